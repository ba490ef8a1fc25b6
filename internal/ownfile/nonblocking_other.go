//go:build !unix

package ownfile

// nonblocking has no bits: other systems have no pipes in folders.
const nonblocking = 0
