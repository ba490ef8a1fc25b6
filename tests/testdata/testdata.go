// Package testdata carries the matrices of this folder inside a compiled test, which may
// run where there is no source.
package testdata

import "embed"

// Matrices holds matrices/NAME.mtx, some with .gz, and matrices/NAME.eig.txt.
//
//go:embed matrices
var Matrices embed.FS
