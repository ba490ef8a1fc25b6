package bindings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/shaders/gen/source"
	"github.com/vkevd/vkevd/vk/spirv"
)

type file struct {
	strings.Builder
	sizes strings.Builder // declarations that compile only if structs have their layout in the shaders
}

func (b *file) source(s *source.Source, kernels []*kernel) {
	for i, k := range kernels {
		b.module(s, k)
		b.spec(k, kernels[:i])
		b.push(k, kernels[:i])
	}
}

func (b *file) module(s *source.Source, k *kernel) {
	b.WriteString("\n")
	if len(s.Doc) == 0 {
		fmt.Fprintf(b, "// %s is glsl/%s.\n", k.goName, s.File())
	}
	for i, line := range s.Doc {
		if rest, ok := strings.CutPrefix(line, s.Name+" "); ok && i == 0 {
			line = k.goName + " " + rest
		} else if i == 0 {
			line = k.goName + ": " + line
		}
		fmt.Fprintf(b, "// %s\n", line)
	}
	if s.Float64 {
		b.WriteString("//\n// float64 only.\n")
	}
	if len(k.defines) > 0 {
		fmt.Fprintf(b, "//\n// Compiled with %s.\n", strings.Join(k.defines, ", "))
	}
	types := fmt.Sprintf("%sSpec, %[1]sPush%s", k.goName, k.argument("T"))
	fmt.Fprintf(b, "func %s%s() spirv.Module[%s] {\n", k.goName, k.parameter(), types)
	if k.others != nil {
		fmt.Fprintf(b, "return typed[T, %s](%q, [3]spirv.Dimension{", types, k.name)
	} else {
		fmt.Fprintf(b, "return module[%s](%q, [3]spirv.Dimension{", types, k.name)
	}
	for _, d := range k.info.LocalSize {
		if d.Specialised {
			fmt.Fprintf(b, "{Specialised: true, ID: %d}, ", d.ID)
		} else {
			fmt.Fprintf(b, "{Fixed: %d}, ", d.Fixed)
		}
	}
	b.WriteString("},\n")
	for i, c := range k.info.Capabilities {
		if i > 0 {
			b.WriteString(", ")
		}
		if c.Known() {
			fmt.Fprintf(b, "spirv.Cap%s", c)
		} else {
			fmt.Fprintf(b, "%d", uint32(c))
		}
	}
	b.WriteString(")\n}\n")
}

// parameter returns the type parameters in the Go declarations of a kernel that exists for several
// number types: "[T spirv.Stored]" if half precision is one of them, otherwise "[T spirv.Scalar]".
// If the kernels for complex numbers have real numbers in memory, R is their type. The function
// `argument` returns "[number]", for the use of these declarations, with the type R if it is
// needed. Both functions return "" for a kernel that exists only for float64.
func (k *kernel) parameter() string {
	for _, o := range k.others {
		if o.number == string(spirv.Half) {
			return k.arguments("T spirv.Stored", "R spirv.Real")
		}
	}
	return k.arguments("T spirv.Scalar", "R spirv.Real")
}

func (k *kernel) argument(number string) string {
	if number == "T" {
		return k.arguments("T", "R")
	}
	return k.arguments(number, string(spirv.Kind(number).Part()))
}

func (k *kernel) arguments(number, real string) string {
	switch {
	case k.others == nil:
		return ""
	case slices.ContainsFunc(k.push, func(f pushField) bool { return f.real }):
		return "[" + number + ", " + real + "]"
	}
	return "[" + number + "]"
}

// spec writes the struct of the specialization constants and the function that returns the
// defaults. If one of the `earlier` variants of the source has the same struct, spec writes an
// alias instead.
func (b *file) spec(k *kernel, earlier []*kernel) {
	b.WriteString("\n")
	if same := first(earlier, k, sameSpec); same != nil {
		fmt.Fprintf(b, "type %sSpec = %sSpec\n", k.goName, same.goName)
	} else {
		fmt.Fprintf(b, "type %sSpec struct {\n", k.goName)
		for _, f := range k.spec {
			fmt.Fprintf(b, "%s %s `spirv:\"%d\"`\n", f.name, f.Kind, f.ID)
		}
		b.WriteString("}\n")
	}
	values := make([]string, len(k.spec))
	for i, f := range k.spec {
		values[i] = f.name + ": " + f.value
	}
	fmt.Fprintf(b, "\nfunc %sDefaults() %[1]sSpec { return %[1]sSpec{%s} }\n", k.goName, strings.Join(values, ", "))
}

// push writes the struct of the push block, or an alias of an earlier variant's struct.
func (b *file) push(k *kernel, earlier []*kernel) {
	b.WriteString("\n")
	if same := first(earlier, k, samePush); same != nil {
		fmt.Fprintf(b, "type %sPush%s = %sPush%s\n", k.goName, k.parameter(), same.goName, k.argument("T"))
		return
	}
	fmt.Fprintf(b, "type %sPush%s struct {\n", k.goName, k.parameter())
	for i, f := range k.push {
		b.pad(k, f.pad, func(o *kernel) uintptr { return o.push[i].pad })
		kind, elem := string(f.Kind), string(f.Elem)
		if f.real {
			kind, elem = "R", "R"
		} else if f.typed {
			kind, elem = "T", "T"
		}
		if f.IsAddr() {
			fmt.Fprintf(b, "%s %s[%s] `spirv:%q`\n", f.Name, f.Kind, elem, f.Access())
		} else {
			fmt.Fprintf(b, "%s %s\n", f.Name, kind)
		}
	}
	b.pad(k, k.trailing(), (*kernel).trailing)
	b.WriteString("}\n")
	if k.push == nil {
		return
	}
	for _, n := range append([]instantiation{{string(spirv.Float64), k}}, k.others...) {
		typ := k.goName + "Push" + k.argument(n.number)
		for _, f := range n.push {
			if f.pad > 0 {
				fmt.Fprintf(&b.sizes, "_ = [1]struct{}{}[unsafe.Offsetof(%s{}.%s)-%d]\n", typ, f.Name, f.Offset)
			}
		}
		fmt.Fprintf(&b.sizes, "_ = [1]struct{}{}[unsafe.Sizeof(%s{})-%d]\n", typ, n.size)
	}
}

// pad writes explicit padding of `pad` bytes if the padding is the same for all number types. If
// the padding differs, it writes nothing, because Go inserts the padding itself: on 64-bit machines
// Go aligns fields by their size.
func (b *file) pad(k *kernel, pad uintptr, of func(*kernel) uintptr) {
	for _, o := range k.others {
		if of(o.kernel) != pad {
			return
		}
	}
	if pad > 0 {
		fmt.Fprintf(b, "_ [%d]byte\n", pad)
	}
}

func first(all []*kernel, k *kernel, same func(a, b *kernel) bool) *kernel {
	for _, other := range all {
		if same(other, k) && other.parameter() == k.parameter() {
			return other
		}
	}
	return nil
}
