// Package testdata embeds the matrices of this folder, so that a compiled test can run without its
// source.
package testdata

import "embed"

// Matrices holds matrices/NAME.mtx, some with .gz, and matrices/NAME.eig.txt.
//
//go:embed matrices
var Matrices embed.FS
