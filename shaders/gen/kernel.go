package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vkevd/vkevd/shaders/gen/source"
	"github.com/vkevd/vkevd/vk/spirv"
)

// kernel is a compiled variant, in Go's words.
type kernel struct {
	name    string // the file's
	goName  string
	defines []string
	info    *spirv.Info
	spec    []specField
	push    []pushField
	size    uintptr         // of the push block with its trailing padding
	others  []instantiation // for the other number types; nil if it exists for float64 alone
}

// pushField is a member of the push block, and its padding.
type pushField struct {
	spirv.PushField         // Name is Go's
	pad             uintptr // bytes before it that no member has
	typed           bool    // the member, or what it points to, has the kernel's number type
}

// instantiation is a kernel for another number type.
type instantiation struct {
	number string // in Go
	*kernel
}

type specField struct {
	name string
	spirv.SpecConstant
	value string // the default, as a Go expression
}

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
			return nil, fmt.Errorf("two specialisation constants would be %s in Go", f.name)
		}
		taken[f.name] = true
		k.spec = append(k.spec, f)
	}
	clear(taken)
	align := uintptr(4)
	for _, f := range info.Push {
		f.Name = source.Camel(f.Name)
		if taken[f.Name] {
			return nil, fmt.Errorf("two push members would be %s in Go", f.Name)
		}
		taken[f.Name] = true
		if f.Offset%f.Size != 0 {
			return nil, fmt.Errorf("push member %s of %d bytes at offset %d: Go cannot place it", f.Name, f.Size, f.Offset)
		}
		k.push = append(k.push, pushField{PushField: f, pad: f.Offset - k.size})
		k.size = f.Offset + f.Size
		align = max(align, f.Size)
	}
	// Go rounds a struct up to its alignment; say so, that all machines agree.
	k.size = (k.size + align - 1) / align * align
	if k.size > spirv.MaxPushBytes {
		return nil, fmt.Errorf("push block of %d bytes, at most %d fit every device", k.size, spirv.MaxPushBytes)
	}
	return k, nil
}

// elem returns the kind or type that an address points to, as [spirv.PushField] and as package shaders
// spell it.
func (k *kernel) elem(f pushField) (kind, goType string) {
	for _, s := range k.info.Structs {
		if string(f.Elem) == s.Name {
			return "shaders." + s.Name, s.Name
		}
	}
	return string(f.Elem), string(f.Elem)
}

// typed takes in that the kernel exists for another number type, too: members that are float64 here
// and of the other type there get the type parameter.
func (k *kernel) typed(other *kernel, number string) error {
	if !sameSpec(k, other) {
		return fmt.Errorf("the specialisation constants depend on the number type")
	}
	if len(k.info.Structs) > 0 {
		return fmt.Errorf("structs in buffers cannot depend on the number type yet")
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
		f.typed = of == spirv.Float64 && in == spirv.Kind(number)
		if f.Name != g.Name || f.IsAddr() != g.IsAddr() || of != in && !f.typed {
			return fmt.Errorf("push member %s of %s is %s of %s for float64", g.Name, in, f.Name, of)
		}
	}
	if want := without(k.info.Capabilities, spirv.CapFloat64); !slices.Equal(other.info.Capabilities, want) {
		return fmt.Errorf("capabilities %v, want %v", other.info.Capabilities, want)
	}
	k.others = append(k.others, instantiation{number, other})
	return nil
}

func without(all []spirv.Capability, one spirv.Capability) []spirv.Capability {
	return slices.DeleteFunc(slices.Clone(all), func(c spirv.Capability) bool { return c == one })
}

// literal returns the Go expression of a constant's default value.
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

// sameSpec and samePush tell whether two variants can share a Go type.
func sameSpec(a, b *kernel) bool {
	return slices.EqualFunc(a.spec, b.spec, func(f, g specField) bool {
		return f.name == g.name && f.Kind == g.Kind
	})
}

func samePush(a, b *kernel) bool {
	return slices.EqualFunc(a.push, b.push, func(f, g pushField) bool {
		return f.Name == g.Name && f.Offset == g.Offset && f.Kind == g.Kind && f.Elem == g.Elem && f.typed == g.typed
	})
}
