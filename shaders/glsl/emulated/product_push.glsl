// The push block of the kernels that multiply planes of residues. These kernels include this header
// after planes.glsl and residue_tiles.glsl.
#ifndef PRODUCT_PUSH_GLSL
#define PRODUCT_PUSH_GLSL

layout(push_constant, scalar) uniform Push {
	PlanesIn a, b, a2, b2;
	WordsOut words;
	// The bytes from one plane of a factor to the next plane, and the words of the result from one
	// modulus to the next.
	uint64_t plane_bytes_a, plane_bytes_b, modulus_words;
	// The bytes from one panel of a factor to the next panel.
	uint panel_bytes_a, panel_bytes_b;
	// The padded inner dimensions of the two pairs of factors. Both are multiples of the kernel's
	// step.
	uint inner, inner2;
	// Size of the result, and the tiles of this dispatch.
	uint rows, cols, first, count;
	// Not 0: only the tiles of the lower triangle are computed.
	uint lower;
	// The number of moduli.
	uint moduli;
} p;

#endif
