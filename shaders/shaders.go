// Package shaders, internal to vkevd, is the kernels: GLSL sources (glsl/, by trade), the SPIR-V
// compiled from them, and for each kernel a Go function of its name that returns it together with
// the types of its parameters.
//
// Everything in z*.go and spv/ is generated and committed, so that users of the
// module need no shader compiler; a test tells when it is out of date.
package shaders

import (
	"embed"
	"fmt"
	"slices"

	"github.com/vkevd/vkevd/vk/spirv"
)

//go:generate go run ./gen

//go:embed spv/*.spv
var spv embed.FS

// suffixOf returns what T appends to the names of kernels. It panics if no SPIR-V is committed for
// T; what package evd offers to users makes that impossible.
func suffixOf[T spirv.Real](kernel string) string {
	if kind := spirv.KindOf[T](); kind != spirv.Float64 {
		panic(fmt.Sprintf("shaders: %s has no SPIR-V for %s", kernel, kind))
	}
	return ""
}

// nameOf, codeOf and capabilitiesOf return the name, the SPIR-V and the capabilities of a typed
// kernel for T. capabilitiesOf is given those for float64.
func nameOf[T spirv.Real](kernel string) string { return kernel + suffixOf[T](kernel) }

func codeOf[T spirv.Real](kernel string) []byte { return code(nameOf[T](kernel)) }

func capabilitiesOf[T spirv.Real](all ...spirv.Capability) []spirv.Capability {
	return slices.DeleteFunc(all, func(c spirv.Capability) bool {
		return c == spirv.CapFloat64 && spirv.KindOf[T]() != spirv.Float64
	})
}

// code returns a kernel's SPIR-V. The generator wrote both the call and the file, so a missing file
// is a broken build of this package, and code panics.
func code(kernel string) []byte {
	words, err := spv.ReadFile("spv/" + kernel + ".spv")
	if err != nil {
		panic("shaders: " + err.Error() + "; run make shaders")
	}
	return words
}
