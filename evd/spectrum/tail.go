package spectrum

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Vectors describes how one set of vectors is copied to the host: the eigenvectors of a matrix, or
// its left or right singular vectors.
type Vectors[T spirv.Scalar] struct {
	Rows int

	// Cols is the number of vectors. 0 means one vector for each computed value.
	Cols int

	// RowMajor says that component i of vector j is stored at Data[i·Ld + j]. Otherwise it is
	// stored at Data[i + j·Ld].
	RowMajor bool

	// Into returns the caller's memory for m vectors: column-major, Rows×m, or m×Rows if RowMajor
	// is set. If Into is nil, Run allocates new memory while the device computes.
	Into func(m int) vk.Columns[T]

	// Back transforms the vectors of T, the rows of x, into those of the caller's matrix, and may
	// overwrite x. The result is a matrix on the device for the download, Rows×m, or m×Rows if
	// RowMajor is set.
	Back func(x product.Matrix[float64]) (product.Matrix[T], error)

	// Fetch, if it is not nil, takes the place of Back and of the download. It writes the results
	// to the host memory that `wait` returns after its allocation.
	Fetch func(x product.Matrix[float64], wait func() vk.Columns[T]) error
}

// Tail is the last part of every Solve, after the reduction to the tridiagonal matrix T. A plan
// makes a Tail for each call, and runs it once:
//
//	T = S·Λ·Sᵀ      computes the selected part of Λ and S
//	λ/σ             the values, which the host divides by σ
//	Q = Q2·S …      the vectors, which Vectors.Back computes and Run downloads
type Tail[T spirv.Scalar] struct {
	Stage *Stage

	// Sigma is the power of two σ: the tridiagonal matrix has σ times the eigenvalues of the
	// caller's matrix.
	Sigma float64

	// Vectors are the sets of vectors to return. It is empty if no vectors are wanted.
	Vectors []Vectors[T]

	// Found is called with the values of T as soon as they are known. It may be nil.
	Found func(values Part)

	// Certify, if it is not nil, measures the accuracy of the eigenvalues of T while T is still on
	// the device. If it returns an error, Run stops and returns this error.
	Certify func(values Part) error

	// memory is the host memory of each set of vectors, from Begin on. `allocated` says that its
	// allocation has begun.
	memory    []*plan.ResultMemory[T]
	allocated bool
}

// Result is the selected part of the spectrum on the host.
type Result[T spirv.Scalar] struct {
	// First is the index of the eigenvalue Values[0] among all eigenvalues. The smallest eigenvalue
	// has the index 0.
	First int

	// Values are the selected eigenvalues λ[First], λ[First+1] …, in ascending order.
	Values []float64

	Vectors []vk.Columns[T]
}

// Begin starts to allocate host memory for the vectors, if their number is known already. The field
// Vectors must have its final sizes, and Stage must be set. A plan calls Begin before the device
// reduces its matrix, so that the operating system provides the memory meanwhile. Run calls Begin
// itself if the plan has not. After Begin the plan must call End in any case.
func (t *Tail[T]) Begin(c *plan.Call) {
	for range t.Vectors {
		t.memory = append(t.memory, plan.NewResultMemory[T](c.Ctx))
	}
	if m, known := t.Stage.number(); known {
		t.allocate(m)
	}
}

// End stops the goroutines that prepare host memory, and waits until they have ended. Memory that
// is ready stays valid.
func (t *Tail[T]) End() {
	for _, m := range t.memory {
		m.Stop()
	}
}

func (t *Tail[T]) allocate(m int) {
	if t.allocated {
		return
	}
	t.allocated = true
	for i, v := range t.Vectors {
		v.allocate(t.memory[i], m)
	}
}

// Run solves the tridiagonal problem for T, which must be on the device and in `host`. It allocates
// host memory for the vectors as soon as their number is known, while the device computes. If Run
// returns an error, no goroutine writes to this memory any more. The errors are those of
// Stage.Solve, of Certify and of Back, and those of package vk.
func (t *Tail[T]) Run(c *plan.Call, host Tridiagonal) (Result[T], error) {
	if t.memory == nil {
		t.Begin(c)
	}
	defer t.End()
	part, err := t.Stage.Solve(c, host, t.Sigma, t.allocate)
	if err != nil {
		return Result[T]{}, err
	}
	res := Result[T]{First: part.First, Values: Unscale[float64](part.Values, t.Sigma)}
	if t.Found != nil {
		t.Found(part)
	}
	if t.Certify != nil {
		if err := t.Certify(part); err != nil {
			return Result[T]{}, err
		}
	}
	for i, v := range t.Vectors {
		fetch := v.Fetch
		if fetch == nil {
			fetch = v.fetch(c)
		}
		if err := fetch(part.Vectors, t.memory[i].Wait); err != nil {
			return Result[T]{}, err
		}
		res.Vectors = append(res.Vectors, t.memory[i].Wait())
	}
	c.Ends()
	return res, nil
}

func (v Vectors[T]) fetch(c *plan.Call) func(product.Matrix[float64], func() vk.Columns[T]) error {
	return func(x product.Matrix[float64], wait func() vk.Columns[T]) error {
		q, err := v.Back(x)
		if err != nil {
			return err
		}
		return plan.During(stages.PhaseTranspose, vk.Download(c.Ctx, c.Dev, wait(), q.At))
	}
}

// allocate provides host memory for m vectors: the caller's, or new memory, which is allocated in
// the background.
func (v Vectors[T]) allocate(memory *plan.ResultMemory[T], m int) {
	if v.Cols > 0 {
		m = v.Cols
	}
	switch {
	case v.Into != nil:
		memory.Use(v.Into(m))
	case v.RowMajor:
		memory.Allocate(m, v.Rows)
	default:
		memory.Allocate(v.Rows, m)
	}
}
