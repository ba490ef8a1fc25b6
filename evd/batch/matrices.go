package batch

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/vk"
)

// matrices is the input of a solve: matrices that are all dense, or all tridiagonal, or pairs, of
// which each becomes one dense matrix on the device. R is the type
// of real numbers that belongs to T.
type matrices[T Number, R evd.Float] interface {
	// count is the number of matrices. order returns the order of matrix k, upper says whether the
	// upper triangle of its memory is read, and byRows whether this memory is row-major.
	count() int
	order(k int) int
	upper(k int) bool
	byRows(k int) bool

	// flops is the number of operations of a matrix of order n, for the progress.
	flops(n int, vectors bool) float64

	// fits returns an *evd.ShapeError if matrix k has no valid shape, or if its order is above
	// `most`. For a pair it is in a *pencil.MatrixError.
	fits(k, most int) error

	// upload prepares the copy of matrices to the device memory of p, and returns a function that
	// copies them. Item i of the part `at` is matrix index[i].
	upload(p *solver[T, R], at *batch.BatchPart, index []int) func(c *plan.Call) error

	// nonFinite returns an *evd.NonFiniteError for the first entry of matrix k that is NaN or
	// infinite; there must be one. For a pair it returns the error if C overflows.
	nonFinite(k int) error

	// ratios measures the spectrum of matrix k, which has no error.
	ratios(k int, s Spectrum[T]) evd.Ratios
}

type symmetric[T Number, R evd.Float] []evd.Sym[T]

func (a symmetric[T, R]) count() int      { return len(a) }
func (a symmetric[T, R]) order(k int) int { return a[k].N }

func (symmetric[T, R]) flops(n int, vectors bool) float64 { return batch.BatchFlops[T](n, vectors) }

// upper tells whether the triangle is an upper one if the memory is read column by column.
func (a symmetric[T, R]) upper(k int) bool { return (a[k].Uplo == evd.Upper) != a[k].RowMajor }

func (a symmetric[T, R]) byRows(k int) bool { return a[k].RowMajor }

func (a symmetric[T, R]) fits(k, most int) error {
	m := a[k]
	if err := m.Validate(); err != nil {
		return err
	}
	if m.N > most {
		return &evd.ShapeError{N: m.N, Ld: m.Ld, Len: len(m.Data), Max: most}
	}
	return nil
}

func (a symmetric[T, R]) upload(p *solver[T, R], _ *batch.BatchPart, index []int) func(c *plan.Call) error {
	up := a.columns(index)
	return func(c *plan.Call) error { return vk.UploadParts(c.Ctx, c.Dev, p.a.In(c.Arena), up) }
}

// columns returns the memory of the matrices with these numbers.
func (a symmetric[T, R]) columns(index []int) []vk.Columns[T] {
	all := make([]vk.Columns[T], len(index))
	for i, k := range index {
		m := a[k]
		all[i] = vk.Columns[T]{Rows: m.N, Cols: m.N, Ld: max(m.Ld, m.N), Data: m.Data}
	}
	return all
}

func (a symmetric[T, R]) nonFinite(k int) error {
	m := a[k]
	_, err := dense.NewTriangle(m.N, m.Ld, m.Data, m.Uplo == evd.Upper, m.RowMajor).Largest()
	return (*evd.NonFiniteError)(err.(*dense.NonFiniteError))
}

func (a symmetric[T, R]) ratios(k int, s Spectrum[T]) evd.Ratios { return ratios(s, a.full(k)) }

// full returns matrix k with both triangles, column-major and packed.
func (a symmetric[T, R]) full(k int) []T {
	m, n, ld := a[k], a[k].N, max(a[k].Ld, a[k].N)
	full := make([]T, n*n)
	for j := range n {
		for i := j; i < n; i++ {
			x := m.Data[i+j*ld]
			if a.upper(k) {
				x = m.Data[j+i*ld]
			}
			full[i+j*n], full[j+i*n] = x, x
		}
	}
	conjugate(full, n, m.Uplo == evd.Upper)
	return full
}

// conjugate conjugates the lower or else the upper triangle of a complex matrix, and makes its
// diagonal real. Real matrices do not change.
func conjugate[T Number](a []T, n int, lower bool) {
	plan.Parts(a,
		func(parts []float32, each int) { conjugateParts(parts, each, n, lower) },
		func(parts []float64, each int) { conjugateParts(parts, each, n, lower) })
}

func conjugateParts[R evd.Float](parts []R, each, n int, lower bool) {
	for j := 0; j < n && each > 1; j++ {
		for i := range n {
			switch imaginary := &parts[each*(i+j*n)+1]; {
			case i == j:
				*imaginary = 0
			case (i > j) == lower:
				*imaginary = -*imaginary
			}
		}
	}
}

type tridiagonals[T evd.Float] []evd.Tridiagonal[T]

func (a tridiagonals[T]) count() int      { return len(a) }
func (a tridiagonals[T]) order(k int) int { return a[k].N() }
func (a tridiagonals[T]) upper(int) bool  { return false }
func (a tridiagonals[T]) byRows(int) bool { return false }

func (tridiagonals[T]) flops(n int, vectors bool) float64 {
	return batch.TridiagonalBatchFlops(n, vectors)
}

func (a tridiagonals[T]) fits(k, most int) error {
	if err := a[k].Validate(); err != nil {
		return err
	}
	if n := a[k].N(); n > most {
		return &evd.ShapeError{N: n, Len: len(a[k].E), Tridiagonal: true, Max: most}
	}
	return nil
}

func (a tridiagonals[T]) upload(p *solver[T, T], at *batch.BatchPart, index []int) func(c *plan.Call) error {
	rows := 0
	for _, k := range index {
		rows += a.order(k)
	}
	host := make([]T, 2*rows)
	d, e := host[:rows], host[rows:]
	for i, k := range index {
		n := a.order(k)
		copy(d[at.T[i]:], a[k].D)
		copy(e[at.T[i]:], a[k].E[:n-1])
	}
	return func(c *plan.Call) error {
		toD, toE := p.batch.Given(c.Arena)
		if err := vk.Upload(c.Ctx, c.Dev, toD.Sub(0, rows), vk.Vector(d)); err != nil {
			return err
		}
		return vk.Upload(c.Ctx, c.Dev, toE.Sub(0, rows), vk.Vector(e))
	}
}

func (a tridiagonals[T]) nonFinite(k int) error {
	bad := func(x T) bool { return x-x != 0 }
	for i, x := range a[k].D {
		if bad(x) {
			return &evd.NonFiniteError{Row: i, Col: i, Value: float64(x)}
		}
		if i+1 < a.order(k) && bad(a[k].E[i]) {
			return &evd.NonFiniteError{Row: i + 1, Col: i, Value: float64(a[k].E[i])}
		}
	}
	panic("batch: the device has found a NaN that is not there")
}

func (a tridiagonals[T]) ratios(k int, s Spectrum[T]) evd.Ratios { return ratios(s, a.full(k)) }

func (a tridiagonals[T]) full(k int) []T {
	n := a.order(k)
	full := make([]T, n*n)
	for i, x := range a[k].D {
		full[i+i*n] = x
		if i+1 < n {
			y := a[k].E[i]
			full[i+1+i*n], full[i+(i+1)*n] = y, y
		}
	}
	return full
}
