// Package stemr, internal to vkevd, finds eigenvectors of a symmetric tridiagonal matrix on the
// device by relatively robust representations (MRRR, dstemr). Package tridiag/mrrr has the part of
// the method that runs on the host.
package stemr
