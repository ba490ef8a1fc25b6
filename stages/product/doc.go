// Package product, internal to vkevd, holds dense matrix products on the device: C ← α·op(A)·op(B)
// + β·C (dgemm), the symmetric rank-2k update (dsyr2k) and the symmetric product (dsymm).
//
// Ops is what the stages of the solver need of them; every large product of every stage goes
// through it. New is the implementation on the vector units in the precision of the matrices: a
// result is tiled, a workgroup computes one tile, and a long inner dimension is split (split-K)
// where the tiles are too few to fill the device. Another package can implement Ops in another way.
//
// Equal shapes get equal tiles and equal splits, and sums are taken in an order that only the shape
// decides. So the same product of the same numbers has the same bits in each run.
package product
