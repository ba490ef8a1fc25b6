package bindings

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/vkevd/vkevd/shaders/gen/source"
	"github.com/vkevd/vkevd/vk/spirv"
)

// kernel is a compiled variant of a source, with the names that it has in Go.
type kernel struct {
	name    string // name of the kernel and of its file in spv/
	goName  string // name of the kernel's function in Go
	defines []string
	info    *spirv.Info
	spec    []specField     // specialization constants, ordered by id
	push    []pushField     // members of the push block, ordered by offset
	size    uintptr         // bytes of the push block with trailing padding
	others  []instantiation // the same kernel for other number types; nil if it exists only for float64
}

// pushField is a member of the push block. Name is the name of the Go field.
type pushField struct {
	spirv.PushField
	pad   uintptr // bytes between the previous member and this one
	typed bool    // whether the member, or the memory that it points to, has the kernel's number type
	real  bool    // whether it has real numbers of this precision, in kernels for complex numbers, too
}

type instantiation struct {
	number string // name of the type in Go
	*kernel
}

type specField struct {
	name string // name of the Go field
	spirv.SpecConstant
	value string // default value, as a Go expression
}

// kernelsOf returns the kernels of a source, one for each declared variant. The function `code`
// returns the SPIR-V of a variant by its name. A source that includes numerics.glsl is compiled for
// several number types. A comparison of the results shows which parameters depend on the number
// type.
func kernelsOf(s *source.Source, code func(name string) ([]byte, error)) (all []*kernel, err error) {
	read := func(v source.Variant) (*kernel, error) {
		words, err := code(v.Name)
		if err != nil {
			return nil, err
		}
		info, err := spirv.Reflect(words)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		k, err := newKernel(v, info)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		return k, nil
	}
	for _, v := range s.Variants {
		k, err := read(v)
		if err != nil {
			return nil, err
		}
		for _, n := range s.Others(v) {
			other, err := read(v.For(n))
			if err == nil {
				err = k.typed(other, n.Go)
			}
			if err != nil {
				return nil, fmt.Errorf("%s for %s: %w", v.Name, n.Go, err)
			}
		}
		all = append(all, k)
	}
	return all, nil
}

// newKernel makes a kernel from a variant and from `info`, which describes the variant's SPIR-V. It
// returns an error for names that collide in Go, for members that Go cannot place at their offsets,
// for push blocks larger than spirv.MaxPushBytes, and for defaults that are not finite.
func newKernel(v source.Variant, info *spirv.Info) (*kernel, error) {
	k := &kernel{name: v.Name, goName: source.Camel(v.Name), defines: v.Defines, info: info}
	taken := map[string]bool{}
	for _, c := range info.Spec {
		value, err := literal(c)
		if err != nil {
			return nil, err
		}
		f := specField{source.Camel(strings.ToLower(c.Name)), c, value}
		if taken[f.name] {
			return nil, fmt.Errorf("two specialization constants have the name %s in Go", f.name)
		}
		taken[f.name] = true
		k.spec = append(k.spec, f)
	}
	clear(taken)
	align := uintptr(4)
	for _, f := range info.Push {
		f.Name = source.Camel(f.Name)
		if taken[f.Name] {
			return nil, fmt.Errorf("two push members have the name %s in Go", f.Name)
		}
		taken[f.Name] = true
		if f.Offset%f.Size != 0 {
			return nil, fmt.Errorf("push member %s of %d bytes is at offset %d; Go aligns it to its size",
				f.Name, f.Size, f.Offset)
		}
		k.push = append(k.push, pushField{PushField: f, pad: f.Offset - k.size})
		k.size = f.Offset + f.Size
		align = max(align, f.Size)
	}
	// Explicit padding after the last member gives the Go struct the same size on 32-bit machines
	// as on 64-bit machines.
	k.size = (k.size + align - 1) / align * align
	if k.size > spirv.MaxPushBytes {
		return nil, fmt.Errorf("push block of %d bytes; every device has room for %d", k.size, spirv.MaxPushBytes)
	}
	return k, nil
}

func (k *kernel) trailing() uintptr {
	if k.push == nil {
		return 0
	}
	last := k.push[len(k.push)-1]
	return k.size - last.Offset - last.Size
}

// typed adds to k.others the kernel `other`: the same kernel, compiled for the number type with the
// Go name `number`. A float64 member of k gets the type parameter T, and must have the type
// `number` in `other`. If it is real in the kernels for complex numbers, it gets the type parameter
// R, for the real numbers that belong to T. A member that is uint64 in single precision gets the Go type spirv.RealBits. typed returns an error if k
// and `other` differ in any other way, except in the capabilities for their number types.
func (k *kernel) typed(other *kernel, number string) error {
	if !sameSpec(k, other) {
		return fmt.Errorf("the specialization constants depend on the number type")
	}
	if !reflect.DeepEqual(k.info.Structs, other.info.Structs) {
		return fmt.Errorf("the structs in buffers depend on the number type")
	}
	if len(k.push) != len(other.push) {
		return fmt.Errorf("the push block has %d members, and %d for float64", len(other.push), len(k.push))
	}
	for i := range k.push {
		f, g := &k.push[i], other.push[i]
		of, in := f.Kind, g.Kind
		if f.IsAddr() && g.IsAddr() {
			of, in = f.Elem, g.Elem
		}
		if bits := of == spirv.Float64 && in == spirv.Uint64 || of == spirv.BitsOfReal && (in == spirv.Uint64 || in == spirv.Float64); bits && !f.IsAddr() {
			f.Kind, of, in = spirv.BitsOfReal, spirv.BitsOfReal, spirv.BitsOfReal
		}
		f.typed = of == spirv.Float64
		want := spirv.Kind(number)
		if want == spirv.Complex128 && in == spirv.Float64 {
			f.real = f.typed
		}
		if f.real {
			want = want.Part()
		}
		if f.typed && in != want {
			return fmt.Errorf("push member %s is %s in place of %s", g.Name, in, want)
		}
		if f.Name != g.Name || f.IsAddr() != g.IsAddr() || of != in && !f.typed {
			return fmt.Errorf("push member %s (%s) is member %s (%s) for float64", g.Name, in, f.Name, of)
		}
	}
	want := slices.Clone(k.info.Capabilities)
	if number != string(spirv.Complex128) {
		want = without(want, spirv.CapFloat64)
	}
	if number == string(spirv.Half) {
		want = append(want, spirv.CapStorageBuffer16BitAccess)
		slices.Sort(want)
	}
	if !slices.Equal(other.info.Capabilities, want) {
		return fmt.Errorf("capabilities %v, want %v", other.info.Capabilities, want)
	}
	k.others = append(k.others, instantiation{number, other})
	return nil
}

func without(all []spirv.Capability, one spirv.Capability) []spirv.Capability {
	return slices.DeleteFunc(slices.Clone(all), func(c spirv.Capability) bool { return c == one })
}

// literal returns the default of a constant as a Go expression. It fails for infinities and NaN.
func literal(c spirv.SpecConstant) (string, error) {
	float := func(x float64, bits int) (string, error) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return "", fmt.Errorf("the default of %s is %v", c.Name, x)
		}
		return strconv.FormatFloat(x, 'g', -1, bits), nil
	}
	switch c.Kind {
	case spirv.Boolean:
		if c.Default != 0 {
			return "spirv.True", nil
		}
		return "spirv.False", nil
	case spirv.Int32:
		return strconv.FormatInt(int64(int32(c.Default)), 10), nil
	case spirv.Int64:
		return strconv.FormatInt(int64(c.Default), 10), nil
	case spirv.Float32:
		return float(float64(math.Float32frombits(uint32(c.Default))), 32)
	case spirv.Float64:
		return float(math.Float64frombits(c.Default), 64)
	}
	return strconv.FormatUint(c.Default, 10), nil
}

// sameSpec and samePush report whether two variants can share one Go type: sameSpec for their
// specialization constants, and samePush for their push blocks.
func sameSpec(a, b *kernel) bool {
	return slices.EqualFunc(a.spec, b.spec, func(f, g specField) bool {
		return f.name == g.name && f.Kind == g.Kind
	})
}

func samePush(a, b *kernel) bool {
	return slices.EqualFunc(a.push, b.push, func(f, g pushField) bool {
		return f.Name == g.Name && f.Offset == g.Offset && f.Kind == g.Kind && f.Elem == g.Elem && f.typed == g.typed && f.real == g.real
	})
}
