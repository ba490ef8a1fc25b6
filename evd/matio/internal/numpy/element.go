package numpy

import (
	"encoding/binary"
	"math"
	"strings"
)

// An Element is a type of numbers in a .npy file. NumPy's name of a type has three parts: byte
// order, kind and number of bytes. For example "<f8" is a little-endian double. Kinds are f (IEEE
// 754 floating point), i and u (integers with and without sign), b (boolean: 0 is false, and any
// other byte is true, which is read as 1) and c (complex: the real part, then the imaginary part).
type Element struct {
	// Numbers is 2 if an element is complex, otherwise 1. Bytes is the size of one number.
	Numbers, Bytes int
	// Value converts one number to a double. Integers beyond 2⁵³ are rounded to nearest.
	Value func([]byte) float64
	// Native says that the numbers are doubles as this machine stores them.
	Native bool
}

var le, be = binary.LittleEndian, binary.BigEndian

// Types maps NumPy's name of a type to the type. The name is the byte order (< little, >
// big, | none), the kind and the number of bytes. Types of one byte have no byte order. The table
// is not changed after `init`.
var Types = map[string]Element{
	"|i1": {Numbers: 1, Bytes: 1, Value: func(p []byte) float64 { return float64(int8(p[0])) }},
	"|u1": {Numbers: 1, Bytes: 1, Value: func(p []byte) float64 { return float64(p[0]) }},
	"|b1": {Numbers: 1, Bytes: 1, Value: func(p []byte) float64 { return float64(min(p[0], 1)) }},
}

// init adds the types of more than one byte to Types, in both byte orders.
func init() {
	for sign, order := range map[string]binary.ByteOrder{"<": le, ">": be} {
		for name, value := range map[string]func([]byte) float64{
			"f8": func(p []byte) float64 { return math.Float64frombits(order.Uint64(p)) },
			"f4": func(p []byte) float64 { return float64(math.Float32frombits(order.Uint32(p))) },
			"f2": func(p []byte) float64 { return half(order.Uint16(p)) },
			"i8": func(p []byte) float64 { return float64(int64(order.Uint64(p))) },
			"i4": func(p []byte) float64 { return float64(int32(order.Uint32(p))) },
			"i2": func(p []byte) float64 { return float64(int16(order.Uint16(p))) },
			"u8": func(p []byte) float64 { return float64(order.Uint64(p)) },
			"u4": func(p []byte) float64 { return float64(order.Uint32(p)) },
			"u2": func(p []byte) float64 { return float64(order.Uint16(p)) },
		} {
			Types[sign+name] = Element{1, int(name[1] - '0'), value, name == "f8" && sign == "<" == NativeLittle}
		}
		for name, part := range map[string]string{"c16": "f8", "c8": "f4"} {
			pair := Types[sign+part]
			pair.Numbers = 2
			Types[sign+name] = pair
		}
	}
}

// half returns the value of an IEEE binary16 number: a sign bit, an exponent of 5 bits with bias
// 15, and a fraction of 10 bits. The result is exact. Exponent 0 means zero or a subnormal number,
// and exponent 31 means infinity or NaN.
func half(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	var x float64
	switch exponent {
	case 31:
		x = math.Inf(1)
		if fraction != 0 {
			x = math.NaN()
		}
	case 0:
		x = fraction * 0x1p-24
	default:
		x = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 != 0 {
		return -x
	}
	return x
}

// Fill sets dst to the next numbers of a file, two for a complex element. The function `read` fills
// its argument with the next bytes.
func (e Element) Fill(dst []float64, read func([]byte) error) error {
	if e.Native {
		return read(Raw(dst))
	}
	const piece = 1 << 15 // elements that are read at a time
	chunk := make([]byte, min(len(dst), piece)*e.Bytes)
	for len(dst) > 0 {
		now := chunk[:min(len(chunk), len(dst)*e.Bytes)]
		if err := read(now); err != nil {
			return err
		}
		for i := range len(now) / e.Bytes {
			dst[i] = e.Value(now[i*e.Bytes:])
		}
		dst = dst[len(now)/e.Bytes:]
	}
	return nil
}

// typeNames maps NumPy's other names of types to those in Types, without the byte order. C's
// long and NumPy's int are missing, because their size depends on the machine.
var typeNames = map[string]string{
	"?": "b1", "b": "i1", "B": "u1", "h": "i2", "H": "u2", "i": "i4", "I": "u4", "q": "i8", "Q": "u8",
	"e": "f2", "f": "f4", "d": "f8", "F": "c8", "D": "c16",
	"bool": "b1", "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8",
	"uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8",
	"float16": "f2", "half": "f2", "float32": "f4", "single": "f4",
	"float64": "f8", "double": "f8", "float": "f8", "complex64": "c8", "complex128": "c16",
}

// UsualType returns the name in Types for a name that numpy.load accepts. A name may have
// any byte order before it, also for types of one byte. No byte order, = and | mean the machine's.
func UsualType(descr string) string {
	order, name := "<", strings.TrimLeft(descr, "<>=|")
	if !NativeLittle {
		order = ">"
	}
	switch prefix := descr[:len(descr)-len(name)]; prefix {
	case "<", ">":
		order = prefix
	case "", "=", "|":
	default:
		return descr
	}
	if usual, ok := typeNames[name]; ok {
		name = usual
	}
	if strings.HasSuffix(name, "1") {
		order = "|"
	}
	return order + name
}
