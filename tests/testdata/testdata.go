// Package testdata, for tests only, embeds the matrices of this folder, so that a compiled test can
// run without its source.
package testdata

import "embed"

// Matrices holds the files matrices/NAME.mtx or matrices/NAME.mtx.gz, and the eigenvalues in
// matrices/NAME.eig.txt.
//
//go:embed matrices
var Matrices embed.FS
