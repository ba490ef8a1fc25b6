// Package product, internal to vkevd, holds dense matrix products on the device: C ← α·op(A)·op(B)
// + β·C (dgemm), the symmetric rank-2k update (dsyr2k) and the symmetric product (dsymm).
//
// The interface Ops contains the products that the stages of the solver need. All large products of
// all stages use this interface. New returns the implementation that computes on the vector units
// in the precision of the matrices. It divides the result into tiles, and a workgroup computes one
// tile. If the tiles are too few to fill the device, a long inner dimension is split, too
// (split-K). Other packages can implement Ops in other ways.
//
// On one device, products with equal shapes and equal transpositions get equal tiles and splits,
// which determine the order of the additions in each sum. Therefore the same product of the same
// numbers has the same bits in each run.
package product
