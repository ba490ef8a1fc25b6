package bindings

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/shaders/gen/source"
	"github.com/vkevd/vkevd/vk/spirv"
)

// structs are the structs of the buffers that kernels share with the host, by name.
type structs map[string]*shared

type shared struct {
	spirv.Struct
	kernels []string
}

func newStructs() structs { return structs{} }

func (all structs) add(k *kernel) error {
	for _, s := range k.info.Structs {
		have := all[s.Name]
		if have == nil {
			have = &shared{Struct: s}
			all[s.Name] = have
		}
		if !reflect.DeepEqual(have.Struct, s) {
			return fmt.Errorf("struct %s has different layouts in %s and in %s", s.Name, have.kernels[0], k.name)
		}
		have.kernels = append(have.kernels, k.name)
	}
	return nil
}

// text declares the structs, and the constants that sources share with the host.
func (all structs) text(sources []*source.Source) string {
	var b, sizes strings.Builder
	if len(all) > 0 {
		b.WriteString("import \"unsafe\"\n")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		all[name].emit(&b, &sizes)
	}
	if len(all) > 0 {
		b.WriteString("\n// The layout in the shaders. A different one in Go would not compile.\nvar (\n" + sizes.String() + ")\n")
	}
	emitConstants(&b, sources)
	return b.String()
}

// emit declares the struct. It adds declarations to `sizes` that compile only if the struct has the
// shaders' layout in Go.
func (s *shared) emit(b, sizes *strings.Builder) {
	fmt.Fprintf(b, "\n// %s is an element of a buffer that the host shares with\n// %s.\ntype %[1]s struct {\n",
		s.Name, listed(s.kernels))
	end := uintptr(0)
	pad := func(to uintptr) {
		if to > end {
			fmt.Fprintf(b, "_ [%d]byte\n", to-end)
		}
	}
	for _, f := range s.Fields {
		if f.Offset > end {
			fmt.Fprintf(sizes, "_ = [1]struct{}{}[unsafe.Offsetof(%s{}.%s)-%d]\n", s.Name, source.Camel(f.Name), f.Offset)
		}
		pad(f.Offset)
		if f.Count > 0 {
			fmt.Fprintf(b, "%s [%d]%s\n", source.Camel(f.Name), f.Count, f.Kind)
		} else {
			fmt.Fprintf(b, "%s %s\n", source.Camel(f.Name), f.Kind)
		}
		end = f.Offset + f.Kind.Size()*uintptr(max(f.Count, 1))
	}
	pad(s.Size)
	b.WriteString("}\n")
	fmt.Fprintf(sizes, "_ = [1]struct{}{}[unsafe.Sizeof(%s{})-%d]\n", s.Name, s.Size)
}

// listed joins names for a comment, as "a", "a and b" or "a, b and c". A new line begins after each
// four names.
func listed(names []string) string {
	var b strings.Builder
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			b.WriteString(" and ")
		case i > 0 && i%4 == 0:
			b.WriteString(",\n// ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	return b.String()
}

// emitConstants writes the constants that sources and headers share with the host, file by file.
// The constant SIZE of two_words.comp becomes TwoWordsSize in Go.
func emitConstants(b *strings.Builder, sources []*source.Source) {
	byFile := map[string][]source.Constant{}
	for _, s := range sources {
		for _, c := range s.Constants {
			if !slices.Contains(byFile[c.File], c) {
				byFile[c.File] = append(byFile[c.File], c)
			}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		fmt.Fprintf(b, "\n// Constants of glsl/%s.\nconst (\n", file)
		prefix := source.Camel(strings.TrimSuffix(path.Base(file), path.Ext(file)))
		for _, c := range byFile[file] {
			fmt.Fprintf(b, "%s = %s\n", prefix+source.Camel(strings.ToLower(c.Name)), c.Value)
		}
		b.WriteString(")\n")
	}
}
