package main

import (
	"context"
	"errors"
	"runtime/debug"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/plancache"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/internal/copies"
	"github.com/vkevd/vkevd/internal/environ"
	"github.com/vkevd/vkevd/vk"
)

// problem is the problem of one LAPACK call, in the caller's memory. Matrices are column-major.
type problem[T evd.Float] struct {
	kind
	rows, n, ld int // rows is for singular values only
	upper       bool
	a           []T // A, or the diagonal
	e           []T // the off-diagonal
	part        part
	u, v        svd.Vectors
	w           []T
	z, vt       columns[T] // null without vectors
}

type kind int

// The order is that of enum vkevd_kind in the C code.
const (
	symmetric kind = iota
	tridiagonal
	singular
)

// part selects eigenvalues by LAPACK's arguments range (here `by`), il, iu, vl and vu.
type part struct {
	by     byte
	il, iu int
	vl, vu float64
}

func (p part) selection() evd.Selection {
	switch p.by {
	case 'I':
		return evd.Index(p.il-1, p.iu)
	case 'V':
		return evd.Interval(p.vl, p.vu)
	}
	return evd.Selection{}
}

type job struct {
	kind
	single  bool // the numbers are float32, otherwise float64
	rows, n int
	vectors bool
	part    part
	u, v    svd.Vectors
}

type engine struct {
	dev   *vk.Device
	plans plancache.Plans[job]
}

// keptPlans is the largest number of plans that are kept for later calls. Programs that call LAPACK
// often alternate between a few orders and kinds of problems.
const keptPlans = 8

// open opens the device that VKEVD_DEVICE names, or the best device, even if it has no double
// precision: the next LAPACK then solves the problems in double precision. Compiled kernels are
// stored in the folder of the command vkevd.
func open() (*engine, error) {
	dev, err := vk.Open(vk.Options{Device: environ.Get("VKEVD_DEVICE"), CacheDir: environ.CacheFolder(), Single: true})
	if err != nil {
		return nil, err
	}
	// The plans use at most an eighth of the device's memory together, because other processes may
	// need memory, too.
	total, _ := dev.Memory()
	en := &engine{dev: dev, plans: plancache.Plans[job]{Most: keptPlans, MostBytes: total / 8}}
	en.plans.Make = en.plan
	return en, nil
}

func (en *engine) plan(j job) (plancache.Plan, error) {
	if j.single {
		return newPlan[float32](en.dev, j)
	}
	return newPlan[float64](en.dev, j)
}

func newPlan[T evd.Float](dev *vk.Device, j job) (plancache.Plan, error) {
	opt := evd.Options{Vectors: j.vectors, Select: j.part.selection()}
	switch j.kind {
	case symmetric:
		return evd.NewPlan[T](dev, j.n, opt)
	case tridiagonal:
		return evd.NewTridiagonalPlan[T](dev, j.n, opt)
	}
	return svd.NewPlan[T](dev, j.rows, j.n, svd.Options{U: j.u, V: j.v})
}

// solve returns the number of computed values. It writes to the caller's memory only after the
// device has succeeded.
func solve[T evd.Float](en *engine, p problem[T]) (found int, err error) {
	j := job{kind: p.kind, single: unsafe.Sizeof(T(0)) == 4, n: p.n, vectors: p.z.first != nil, part: p.part}
	if p.kind == singular {
		j = job{kind: singular, single: j.single, rows: p.rows, n: p.n, u: p.u, v: p.v}
	}
	var values []float64
	var z, v *evd.Dense[T]
	prepared := en.plans.With(j, func(plan plancache.Plan) error {
		values, z, v, err = p.solveBy(plan)
		return err
	})
	if prepared != nil {
		return 0, prepared
	}
	if err != nil {
		return 0, err
	}
	for i, x := range values {
		p.w[i] = T(x)
	}
	p.z.take(z)
	p.vt.takeTransposed(v)
	if z != nil && len(z.Data) >= returnedAbove {
		go debug.FreeOSMemory()
	}
	return len(values), nil
}

// returnedAbove is a number of elements. If the results of a solve have more elements, their memory
// is returned to the operating system immediately. Go would keep it for later results, which may
// never come. The value is a gibibyte of float64.
const returnedAbove = 1 << 27

// solveBy returns the values, the matrix z of eigenvectors or left singular vectors, and the matrix
// v of right singular vectors.
func (p problem[T]) solveBy(plan plancache.Plan) (values []float64, z, v *evd.Dense[T], err error) {
	ctx := context.Background()
	var res *evd.Result[T]
	switch plan := plan.(type) {
	case *evd.Plan[T]:
		a := evd.Sym[T]{N: p.n, Ld: p.ld, Data: p.a, Uplo: evd.Lower}
		if p.upper {
			a.Uplo = evd.Upper
		}
		res, err = plan.Solve(ctx, a)
	case *evd.TridiagonalPlan[T]:
		res, err = plan.Solve(ctx, evd.Tridiagonal[T]{D: p.a, E: p.e})
	case *svd.Plan[T]:
		a := evd.Dense[T]{Rows: p.rows, Cols: p.n, Ld: p.ld, Data: p.a}
		res, err := plan.Solve(ctx, a)
		if err = asLAPACK(err); err != nil {
			return nil, nil, nil, err
		}
		return res.Values, res.U, res.V, nil
	}
	if err = asLAPACK(err); err != nil {
		return nil, nil, nil, err
	}
	return res.Values, res.Vectors, nil, nil
}

// asLAPACK returns the error of a solve, or nil if the result is what LAPACK would return. LAPACK
// returns INFO = 0 and an infinite value if the value is beyond the largest number of its type.
func asLAPACK(err error) error {
	if errors.As(err, new(*evd.OverflowError)) {
		return nil
	}
	return err
}

type columns[T evd.Float] struct {
	first *T
	ld    int
}

func (c columns[T]) take(z *evd.Dense[T]) {
	if z != nil && c.first != nil {
		copies.Columns(slice[T](unsafe.Pointer(c.first), z.Rows, z.Cols, c.ld), c.ld, z.Data, z.Ld, z.Rows, z.Cols)
	}
}

func (c columns[T]) takeTransposed(z *evd.Dense[T]) {
	if z != nil && c.first != nil {
		copies.Transposed(slice[T](unsafe.Pointer(c.first), z.Cols, z.Rows, c.ld), c.ld, z.Data, z.Ld, z.Rows, z.Cols)
	}
}
