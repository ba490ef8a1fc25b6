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
	push    []spirv.PushField // Name is Go's
	size    uintptr           // of the push block with its trailing padding
}

type specField struct {
	name string
	spirv.SpecConstant
	value string // the default, as a Go expression
}

func newKernel(s *source.Source, v source.Variant, info *spirv.Info) (*kernel, error) {
	k := &kernel{name: v.Name, goName: camel(v.Name), defines: v.Defines, info: info}
	taken := map[string]bool{}
	for _, c := range info.Spec {
		value, err := literal(c)
		if err != nil {
			return nil, err
		}
		f := specField{camel(strings.ToLower(c.Name)), c, value}
		if taken[f.name] {
			return nil, fmt.Errorf("two specialisation constants would be %s in Go", f.name)
		}
		taken[f.name] = true
		k.spec = append(k.spec, f)
	}
	clear(taken)
	align := uintptr(4)
	for _, f := range info.Push {
		f.Name = camel(f.Name)
		if taken[f.Name] {
			return nil, fmt.Errorf("two push members would be %s in Go", f.Name)
		}
		taken[f.Name] = true
		if f.Offset%f.Size != 0 {
			return nil, fmt.Errorf("push member %s of %d bytes at offset %d: Go cannot place it", f.Name, f.Size, f.Offset)
		}
		k.push = append(k.push, f)
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

// camel turns snake_case into CamelCase and leaves inner capitals alone.
func camel(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
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
	return slices.EqualFunc(a.push, b.push, func(f, g spirv.PushField) bool {
		return f.Name == g.Name && f.Offset == g.Offset && f.Kind == g.Kind && f.Elem == g.Elem
	})
}
