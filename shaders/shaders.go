// Package shaders, internal to vkevd, is the kernels: GLSL sources (glsl/, by trade), the SPIR-V
// compiled from them, and for each kernel a Go function of its name that returns it together with
// the types of its parameters.
//
// Everything in z*.go and spv/ is generated and committed, so that users of the
// module need no shader compiler; a test tells when it is out of date.
package shaders

import "embed"

//go:generate go run ./gen

//go:embed spv/*.spv
var spv embed.FS

// code returns a kernel's words. The generator wrote both the name and the
// file, so a missing one is a broken build of this package.
func code(kernel string) []byte {
	words, err := spv.ReadFile("spv/" + kernel + ".spv")
	if err != nil {
		panic("shaders: " + err.Error() + "; run make shaders")
	}
	return words
}
