// Package panel, internal to vkevd, factors panels, which are blocks of b neighbouring columns, by
// Householder reflectors (dgeqrf, zgeqrf), and computes the triangular factors T of their products
// I − Y·T·Yᴴ (dlarft, zlarft). It also merges the reflectors of several panels.
package panel
