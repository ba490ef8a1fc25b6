package matio

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
)

// An element is a number type as it lies in a .npy file.
type element struct {
	bytes int
	value func([]byte) float64 // of one element
}

var le, be = binary.LittleEndian, binary.BigEndian

// elementTypes has them by NumPy's name: byte order, kind, bytes.
var elementTypes = map[string]element{
	"<f8": {8, func(p []byte) float64 { return math.Float64frombits(le.Uint64(p)) }},
	">f8": {8, func(p []byte) float64 { return math.Float64frombits(be.Uint64(p)) }},
	"<f4": {4, func(p []byte) float64 { return float64(math.Float32frombits(le.Uint32(p))) }},
	">f4": {4, func(p []byte) float64 { return float64(math.Float32frombits(be.Uint32(p))) }},
	"<i8": {8, func(p []byte) float64 { return float64(int64(le.Uint64(p))) }},
	">i8": {8, func(p []byte) float64 { return float64(int64(be.Uint64(p))) }},
	"<i4": {4, func(p []byte) float64 { return float64(int32(le.Uint32(p))) }},
	">i4": {4, func(p []byte) float64 { return float64(int32(be.Uint32(p))) }},
	"|i1": {1, func(p []byte) float64 { return float64(int8(p[0])) }},
	"|u1": {1, func(p []byte) float64 { return float64(p[0]) }},
	"|b1": {1, func(p []byte) float64 { return float64(min(p[0], 1)) }},
}

// elementNames lists the types for an error message.
func elementNames() string {
	return strings.Join(slices.Sorted(maps.Keys(elementTypes)), " ")
}

// decode appends the elements in p to a.
func (e element) decode(a []float64, p []byte) []float64 {
	for ; len(p) > 0; p = p[e.bytes:] {
		a = append(a, e.value(p))
	}
	return a
}
