package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
)

// These are the values of --precision. If the flag is not given, a .npy file of single precision is
// solved in single precision, and any other file in double precision.
const (
	precisionSingle = "f32"
	precisionDouble = "f64"
	precisionMixed  = "mixed" // only for eigenvalues and eigenvectors
)

// precisionFlag adds the flag --precision. `more` continues its usage, and `others` are further words
// that the flag may have, in addition to f32 and f64.
func precisionFlag(cmd *cobra.Command, precision *string, more string, others ...string) {
	cmd.Flags().StringVar(precision, "precision", "",
		"`P` of matrix and result: f32 or f64 (default: that of a .npy file, else\n"+
			"f64); f32 needs about two thirds of the memory"+more)
	cmd.RegisterFlagCompletionFunc("precision", words(append([]string{precisionSingle, precisionDouble}, others...)))
}

// checkPrecision returns an error for an unknown precision. `others` are further words that the flag may
// have.
func checkPrecision(cmd *cobra.Command, precision string, others ...string) error {
	known := append([]string{precisionSingle, precisionDouble}, others...)
	if precision == "" || slices.Contains(known, precision) {
		return nil
	}
	last := len(known) - 1
	return usage(cmd, "--precision: %q is not %s or %s", precision, strings.Join(known[:last], ", "), known[last])
}

// isSingle tells whether a matrix that has been read is solved in single precision. `precision` is
// the value of --precision. If it is "", the problem has the precision of the file.
func isSingle(d *matio.Dense, precision string) bool {
	return precision == precisionSingle || precision == "" && d.Single
}

// precisionName is the name of T in reports.
func precisionName[T evd.Float]() string {
	if ulpOf[T]() > ulp {
		return "float32"
	}
	return "float64"
}

// singlesOf rounds the matrix `d` of a file to single precision, in the memory of d. The error is a
// *singleRangeError if the matrix is beyond the range of single precision. Then no scaling helps,
// because its values would be beyond that range, too.
func singlesOf(file string, d *matio.Dense) ([]float32, error) {
	if d.Single {
		return d.Singles(), nil
	}
	row, col := d.Largest()
	if row >= 0 {
		x := d.At(row, col)
		if y := math.Abs(float64(float32(x))); y > math.MaxFloat32 && !math.IsInf(x, 0) || x != 0 && y < 0x1p-126 {
			return nil, &singleRangeError{file, row, col, x}
		}
	}
	return d.Singles(), nil
}

// A singleRangeError says that the largest entry of a matrix is too large or too small for single
// precision.
type singleRangeError struct {
	file     string
	row, col int
	x        float64
}

func (e *singleRangeError) Error() string {
	return fmt.Sprintf("%s: a(%d,%d) is %g, the largest entry, and beyond the range of single precision, "+
		"2⁻¹²⁶ to 2¹²⁸ (rows and columns from 1); --precision f64 solves it", inputName(e.file), e.row+1, e.col+1, e.x)
}

// doublesOf returns values in double precision.
func doublesOf[T evd.Float](values []T) []float64 {
	doubles := make([]float64, len(values))
	for i, v := range values {
		doubles[i] = float64(v)
	}
	return doubles
}

// ofPrecision makes a problem from the matrix of a file. `precision` is the value of --precision.
func ofPrecision(file string, d *matio.Dense, precision string) (problem, error) {
	n := d.Rows
	if isSingle(d, precision) {
		data, err := singlesOf(file, d)
		return single{evd.NewSym(n, data, evd.Lower)}, err
	}
	a := dense{evd.Sym[float64]{N: n, Ld: max(n, 1), Data: d.Data, Uplo: evd.Lower}}
	if precision == precisionMixed {
		return mixed{a}, nil
	}
	return a, nil
}

// kind is the kind of matrices that the flags select. It does not consider the precision of a file.
func (o *options) kind() kind {
	switch {
	case o.tridiagonal:
		return kindTridiagonal
	case o.precision == precisionSingle:
		return kindSingle
	case o.precision == precisionMixed:
		return kindMixed
	}
	return kindDense
}
