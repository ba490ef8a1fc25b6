// Package refine, internal to vkevd, improves approximate eigenvectors: the steps of Ogita and
// Aishima, with clusters of eigenvalues.
package refine
