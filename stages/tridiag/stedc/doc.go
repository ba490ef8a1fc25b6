// Package stedc, internal to vkevd, is divide and conquer on the device: eigenvalues and vectors of
// symmetric tridiagonal matrices (dstedc) on one device or on several, of many at the same time (a
// forest), and singular values and vectors of bidiagonal matrices (dbdsdc). Package tridiag/dc has
// the part of the method that runs on the host.
package stedc
