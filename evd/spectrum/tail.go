package spectrum

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Vectors says how one set of vectors comes to the host: the eigenvectors of a matrix, or its left
// or right singular vectors.
type Vectors[T spirv.Real] struct {
	// Rows is the number of components of a vector.
	Rows int

	// Cols is the number of vectors, if it is not that of the values; else 0.
	Cols int

	// RowMajor stores component i of vector j at Data[i·Ld + j], not at Data[i + j·Ld].
	RowMajor bool

	// Into returns the caller's memory for m vectors, as a column-major matrix: m×Rows if RowMajor,
	// otherwise Rows×m. If Into is nil, new memory is allocated while the device computes.
	Into func(m int) vk.Columns[T]

	// Back transforms the vectors of T, one per row of x, and returns the matrix to download:
	// Rows×m, or m×Rows if RowMajor. x comes from the solver for T, and may be overwritten.
	Back func(x product.Matrix[float64]) (product.Matrix[T], error)
}

// Tail is the last part of every Solve, after T is known. A plan makes a Tail for each call, and
// runs it once:
//
//	T = S·Λ·Sᵀ      the selected part
//	λ/σ             to the host
//	Q = Q2·S …      by Vectors.Back, and to the host
type Tail[T spirv.Real] struct {
	// Stage is the stage that solves for T.
	Stage *Stage

	// Sigma is the power of two σ: T is σ times the caller's matrix.
	Sigma float64

	// Vectors are the sets of vectors to return. There are none if Options.Vectors is not set.
	Vectors []Vectors[T]

	// Certify may measure the values, λ·σ, while T is still on the device. It may be nil. Its error
	// ends Run.
	Certify func(values Part) error
}

// Result is the selected part of the spectrum on the host.
type Result[T spirv.Real] struct {
	// First is the index of Values[0] among all eigenvalues.
	First int

	// Values are λ[First], λ[First+1] …, ascending.
	Values []T

	// Vectors has the vectors of each set of Tail.Vectors, as they are stored.
	Vectors []vk.Columns[T]
}

// Run solves for T, which must be on the device and in host. Memory for vectors is allocated as
// soon as their number is known, while the device computes. After an error no goroutine writes to
// that memory any more. Errors are those of Stage.Solve, of Certify and of Back, and those of
// package vk.
func (t Tail[T]) Run(c *Call, host Tridiagonal) (Result[T], error) {
	memory := make([]*resultMemory[T], len(t.Vectors))
	for i := range memory {
		memory[i] = newResultMemory[T](c.Ctx)
		defer memory[i].stop()
	}
	part, err := t.Stage.Solve(c, host, t.Sigma, func(m int) {
		for i, v := range t.Vectors {
			v.allocate(memory[i], m)
		}
	})
	if err != nil {
		return Result[T]{}, err
	}
	res := Result[T]{First: part.First, Values: Unscale[T](part.Values, t.Sigma)}
	if t.Certify != nil {
		if err := t.Certify(part); err != nil {
			return Result[T]{}, err
		}
	}
	for i, v := range t.Vectors {
		q, err := v.Back(part.Vectors)
		if err != nil {
			return Result[T]{}, err
		}
		z := memory[i].wait()
		if err := During(stages.PhaseTranspose, vk.Download(c.Ctx, c.Dev, z, q.At)); err != nil {
			return Result[T]{}, err
		}
		res.Vectors = append(res.Vectors, z)
	}
	return res, nil
}

// allocate provides memory for m vectors: the caller's memory, or new memory whose allocation is
// only started here.
func (v Vectors[T]) allocate(memory *resultMemory[T], m int) {
	if v.Cols > 0 {
		m = v.Cols
	}
	switch {
	case v.Into != nil:
		memory.z = v.Into(m)
	case v.RowMajor:
		memory.allocate(m, v.Rows)
	default:
		memory.allocate(v.Rows, m)
	}
}
