// Package steqr, internal to vkevd, has solvers that run on the host and write their vectors to the
// device: QR iteration for symmetric tridiagonal matrices (dsteqr) and for bidiagonal ones
// (dbdsqr).
package steqr
