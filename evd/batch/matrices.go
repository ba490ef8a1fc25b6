package batch

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/vk"
)

// matrices is the input of a solve: matrices that are all dense, or all tridiagonal.
type matrices[T Number] interface {
	// count is the number of matrices. order returns the order of matrix k, and upper says whether
	// its upper triangle is read.
	count() int
	order(k int) int
	upper(k int) bool

	// flops is the number of operations of a matrix of order n, for the progress.
	flops(n int, vectors bool) float64

	// fits returns an *evd.ShapeError if matrix k has no valid shape, or if its order is above
	// `most`.
	fits(k, most int) error

	// upload prepares the copy of matrices to the device memory of p, and returns a function that
	// copies them. Item i of the part `at` is matrix index[i].
	upload(p *solver[T], at *batch.BatchPart, index []int) func(c *plan.Call) error

	// nonFinite returns an *evd.NonFiniteError for the first entry of matrix k that is NaN or
	// infinite; there must be one.
	nonFinite(k int) error

	// full returns matrix k as doubles with both triangles, column-major and packed.
	full(k int) []float64
}

type symmetric[T Number] []evd.Sym[T]

func (a symmetric[T]) count() int      { return len(a) }
func (a symmetric[T]) order(k int) int { return a[k].N }

func (symmetric[T]) flops(n int, vectors bool) float64 { return batch.BatchFlops(n, vectors) }

// upper tells whether the triangle is an upper one if the memory is read column by column.
func (a symmetric[T]) upper(k int) bool { return (a[k].Uplo == evd.Upper) != a[k].RowMajor }

func (a symmetric[T]) fits(k, most int) error {
	m := a[k]
	if err := m.Validate(); err != nil {
		return err
	}
	if m.N > most {
		return &evd.ShapeError{N: m.N, Ld: m.Ld, Len: len(m.Data), Max: most}
	}
	return nil
}

func (a symmetric[T]) upload(p *solver[T], _ *batch.BatchPart, index []int) func(c *plan.Call) error {
	up := make([]vk.Columns[T], len(index))
	for i, k := range index {
		m := a[k]
		up[i] = vk.Columns[T]{Rows: m.N, Cols: m.N, Ld: max(m.Ld, m.N), Data: m.Data}
	}
	return func(c *plan.Call) error { return vk.UploadParts(c.Ctx, c.Dev, p.a.In(c.Arena), up) }
}

func (a symmetric[T]) nonFinite(k int) error {
	m, ld := a[k], max(a[k].Ld, a[k].N)
	_, i, j := plan.Scan(m.Data, ld, m.N, func(j int) (from, to int) {
		if a.upper(k) {
			return 0, j + 1
		}
		return j, m.N
	})
	bad := &evd.NonFiniteError{Row: i, Col: j, Value: float64(m.Data[i+j*ld])}
	if m.RowMajor {
		bad.Row, bad.Col = j, i
	}
	return bad
}

func (a symmetric[T]) full(k int) []float64 {
	m, n, ld := a[k], a[k].N, max(a[k].Ld, a[k].N)
	full := make([]float64, n*n)
	for j := range n {
		for i := j; i < n; i++ {
			x := float64(m.Data[i+j*ld])
			if a.upper(k) {
				x = float64(m.Data[j+i*ld])
			}
			full[i+j*n], full[j+i*n] = x, x
		}
	}
	return full
}

type tridiagonals[T Number] []evd.Tridiagonal[T]

func (a tridiagonals[T]) count() int      { return len(a) }
func (a tridiagonals[T]) order(k int) int { return a[k].N() }
func (a tridiagonals[T]) upper(int) bool  { return false }

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

func (a tridiagonals[T]) upload(p *solver[T], at *batch.BatchPart, index []int) func(c *plan.Call) error {
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

func (a tridiagonals[T]) full(k int) []float64 {
	n := a.order(k)
	full := make([]float64, n*n)
	for i, x := range a[k].D {
		full[i+i*n] = float64(x)
		if i+1 < n {
			y := float64(a[k].E[i])
			full[i+1+i*n], full[i+(i+1)*n] = y, y
		}
	}
	return full
}
