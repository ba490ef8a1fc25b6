// Package reduce, internal to vkevd, reduces dense matrices by two-sided transformations: a
// Hermitian matrix to a band (dsytrd_sy2sb) on one device or on several, or to tridiagonal form in
// one stage (dsytrd), and a general matrix to an upper band.
package reduce
