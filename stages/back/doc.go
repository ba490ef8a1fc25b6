// Package back, internal to vkevd, applies the orthogonal factors of the reductions to vectors: the
// reflectors of a bulge chasing (Q2, P2) and those of panels (Q1, P1, Q0).
package back
