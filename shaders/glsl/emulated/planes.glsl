// This header defines how the residues of a factor lie in memory, for products on integer units.
//
// The kernels of emulated products that write or read residues include this header. The header
// declares specialization constants 1 and 2, and defines place_in_panel and place_of.
//
// A factor is a set of rows along the inner dimension. Its residues modulo one modulus pᵢ are
// called a plane. A plane has signed bytes. Rows are grouped into panels of PANEL rows, and the
// inner dimension into blocks of DEPTH bytes. The blocks of a panel lie one after another. A block
// has DEPTH bytes of each row of its panel, row by row. A workgroup that computes along the inner
// dimension reads a panel from its first byte to its last.
//
// The numbers of rows and of elements of a row are padded with zeros to whole tiles.
#ifndef PLANES_GLSL
#define PLANES_GLSL

layout(constant_id = 1) const uint PANEL = 128;
// DEPTH is 8, 16 or 32.
layout(constant_id = 2) const uint DEPTH = 32;

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer PlanesIn { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly buffer PlanesOut { uint at[]; };

// place_in_panel returns the number of bytes from the first byte of a panel, which is PANEL rows of
// a plane of residues, to its element (row, k).
uint place_in_panel(uint row, uint k) { return k / DEPTH * (PANEL * DEPTH) + row * DEPTH + k % DEPTH; }

// place_of returns the number of bytes from the first byte of a plane (the residues of a factor
// modulo one modulus) to its element (row, k). panel_bytes is the distance in bytes from one panel,
// PANEL rows, to the next.
uint64_t place_of(uint row, uint k, uint panel_bytes) {
	return uint64_t(row / PANEL) * panel_bytes + place_in_panel(row % PANEL, k);
}

#endif
