// Package panel, internal to vkevd, factors panels, which are blocks of b neighbouring columns, by
// Householder reflectors (dgeqrf), and computes the triangular factors T of their products
// I − Y·T·Yᵀ (dlarft). It also merges the reflectors of several panels.
package panel
