// The push block of the kernels that multiply planes of residues. They include it after planes.glsl
// and residue_tiles.glsl.
#ifndef PRODUCT_PUSH_GLSL
#define PRODUCT_PUSH_GLSL

layout(push_constant, scalar) uniform Push {
	PlanesIn a, b, a2, b2;
	WordsOut words;
	// Bytes from modulus to modulus of the factors, and words of the result.
	uint64_t plane_bytes_a, plane_bytes_b, modulus_words;
	// Bytes from panel to panel.
	uint panel_bytes_a, panel_bytes_b;
	// Padded inner dimensions of both pairs: multiples of the kernel's step.
	uint inner, inner2;
	// Size of the result, and the tiles of this dispatch.
	uint rows, cols, first, count;
	// Not 0: tiles of the lower triangle.
	uint lower;
	// The number of moduli.
	uint moduli;
} p;

#endif
