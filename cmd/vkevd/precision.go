package main

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
)

func isSingle(d *matio.Dense, precision string) bool {
	return precision == cli.PrecisionSingle || precision == "" && d.Single
}

func precisionName[T evd.Float]() string {
	if report.UlpOf[T]() > report.Ulp {
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
		"2⁻¹²⁶ to 2¹²⁸ (rows and columns from 1); --precision f64 solves it", cli.InputName(e.file), e.row+1, e.col+1, e.x)
}

// kind is the kind of matrices that the flags select. It does not consider the precision of a file.
func (o *options) kind() machine.Kind {
	switch {
	case o.tridiagonal:
		return machine.KindTridiagonal
	case o.precision == cli.PrecisionSingle:
		return machine.KindSingle
	case o.precision == cli.PrecisionMixed:
		return machine.KindMixed
	}
	return machine.KindDense
}
