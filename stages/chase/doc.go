// Package chase, internal to vkevd, reduces bands by bulge chasing: a Hermitian band to tridiagonal
// form (dsytrd_sb2st), an upper band to bidiagonal form (dgbbrd), and an upper band to a narrower
// one.
package chase
