// Package stebz, internal to vkevd, finds eigenvalues of a symmetric tridiagonal matrix by
// bisection on the device (dstebz), and counts eigenvalues below given numbers.
package stebz
