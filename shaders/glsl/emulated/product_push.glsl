// This header declares the push block of the kernels emulated_product_*, which multiply planes of
// residues. These kernels include the header after planes.glsl and residue_tiles.glsl.
#ifndef PRODUCT_PUSH_GLSL
#define PRODUCT_PUSH_GLSL

layout(push_constant, scalar) uniform Push {
	PlanesIn a, b, a2, b2;
	WordsOut words;
	// plane_bytes_a and plane_bytes_b are the distances in bytes from one plane of a factor to the
	// next. With a negative distance, a factor has its planes in the reverse order. modulus_words
	// is the distance in words between the results for two consecutive planes.
	uint64_t plane_bytes_a, plane_bytes_b, modulus_words;
	// panel_bytes_a and panel_bytes_b are the distances in bytes from one panel of a factor, PANEL
	// rows of its residues, to the next.
	uint panel_bytes_a, panel_bytes_b;
	// `inner` and inner2 are the padded inner dimensions of the first and the second pair of
	// factors. Both are multiples of the kernel's step.
	uint inner, inner2;
	// The result has rows×cols elements. This dispatch computes the tiles [first, first + count).
	uint rows, cols, first, count;
	// If `lower` is not 0, only the tiles of the lower triangle of the result are computed.
	uint lower;
	// `moduli` is the number of planes of a factor.
	uint moduli;
} p;

#endif
