// Package batch, internal to vkevd, solves many small symmetric matrices at the same time, dense or
// tridiagonal.
package batch
