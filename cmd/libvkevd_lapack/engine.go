package main

import (
	"context"
	"errors"
	"math/cmplx"
	"runtime/debug"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/evd/plancache"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/internal/copies"
	"github.com/vkevd/vkevd/internal/environ"
	"github.com/vkevd/vkevd/vk"
)

// problem is the problem of one LAPACK call, in the caller's memory. Matrices are column-major.
type problem[T evd.Number] struct {
	kind
	rows, n, ld int // rows is for singular values only
	upper       bool
	a           []T // A, or the diagonal
	itype, ldb  int // pair: LAPACK's argument itype
	b           []T // B, which is replaced by its factor
	e           []T // the off-diagonal
	part        part
	u, v        svd.Vectors
	w           values
	z, vt       columns[T] // null without vectors
}

type kind int

// The order is that of enum vkevd_kind in the C code.
const (
	symmetric kind = iota // or Hermitian
	tridiagonal
	singular
	pair
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
	number
	rows, n int
	itype   int
	vectors bool
	part    part
	u, v    svd.Vectors
}

// number is the type of the numbers in a matrix: float64 is the zero value.
type number struct{ single, complex bool }

func numberOf[T evd.Number]() number {
	switch any(*new(T)).(type) {
	case complex64:
		return number{single: true, complex: true}
	case complex128:
		return number{complex: true}
	case float32:
		return number{single: true}
	}
	return number{}
}

// solver is a plan for problems of one kind, with numbers of type T.
type solver[T evd.Number] interface {
	plancache.Plan

	// solve returns the values, the matrix z of eigenvectors or left singular vectors, and the
	// matrix v of right singular vectors.
	solve(problem[T]) (values []float64, z, v *evd.Dense[T], err error)
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
	switch j.number {
	case numberOf[complex128]():
		return newDense[complex128](en.dev, j)
	case numberOf[complex64]():
		return newDense[complex64](en.dev, j)
	case numberOf[float32]():
		return newPlan[float32](en.dev, j)
	}
	return newPlan[float64](en.dev, j)
}

func newPlan[T evd.Float](dev *vk.Device, j job) (plancache.Plan, error) {
	if j.kind != tridiagonal {
		return newDense[T](dev, j)
	}
	p, err := evd.NewTridiagonalPlan[T](dev, j.n, j.options())
	return tridiagonalPlan[T]{p}, err
}

func newDense[T evd.Number](dev *vk.Device, j job) (plancache.Plan, error) {
	switch j.kind {
	case pair:
		p, err := pencil.NewPlan[T](dev, j.n, pencil.Options{
			Type: pencil.Type(j.itype - 1), Vectors: j.vectors, Select: j.part.selection(),
		})
		return pairPlan[T]{p}, err
	case singular:
		p, err := svd.NewPlan[T](dev, j.rows, j.n, svd.Options{U: j.u, V: j.v})
		return singularPlan[T]{p}, err
	}
	p, err := evd.NewPlan[T](dev, j.n, j.options())
	return symmetricPlan[T]{p}, err
}

func (j job) options() evd.Options {
	return evd.Options{Vectors: j.vectors, Select: j.part.selection()}
}

// solve returns the number of computed values. It writes to the caller's memory only after the
// device has succeeded.
func solve[T evd.Number](en *engine, p problem[T]) (found int, err error) {
	j := job{kind: p.kind, number: numberOf[T](), n: p.n, itype: p.itype, vectors: p.z.first != nil, part: p.part}
	if p.kind == singular {
		j = job{kind: singular, number: j.number, rows: p.rows, n: p.n, u: p.u, v: p.v}
	}
	var values []float64
	var z, v *evd.Dense[T]
	prepared := en.plans.With(j, func(plan plancache.Plan) error {
		values, z, v, err = plan.(solver[T]).solve(p)
		err = asLAPACK(err)
		if errors.As(err, new(*pencil.NotPositiveError)) {
			return nil // the plan can be kept
		}
		return err
	})
	if prepared != nil {
		return 0, prepared
	}
	if err != nil {
		return 0, err
	}
	p.w.take(values)
	p.z.take(z)
	p.vt.takeAdjoint(v)
	if z != nil && len(z.Data) >= returnedAbove || p.kind == pair && p.n*p.n >= returnedAbove { // a pair copies the factor of B
		go debug.FreeOSMemory()
	}
	return len(values), nil
}

// returnedAbove is a number of elements. If the results of a solve have more elements, their memory
// is returned to the operating system immediately. Go would keep it for later results, which may
// never come. The value is a gibibyte of float64.
const returnedAbove = 1 << 27

type symmetricPlan[T evd.Number] struct{ *evd.Plan[T] }

func (s symmetricPlan[T]) solve(p problem[T]) (values []float64, z, v *evd.Dense[T], err error) {
	res, err := s.Solve(context.Background(), p.triangle(p.a, p.ld))
	return eigen(res, err)
}

func (p problem[T]) triangle(data []T, ld int) evd.Sym[T] {
	return evd.Sym[T]{N: p.n, Ld: ld, Data: data, Uplo: evd.Uplo(p.upper)}
}

type pairPlan[T evd.Number] struct{ *pencil.Plan[T] }

// solve also replaces B by its factor, after everything else has succeeded. If B is not positive
// definite, the next library finds this, too, and sets info.
func (s pairPlan[T]) solve(p problem[T]) (values []float64, z, v *evd.Dense[T], err error) {
	ctx, b := context.Background(), p.triangle(p.b, p.ldb)
	res, err := s.SolvePair(ctx, p.triangle(p.a, p.ld), b)
	if res == nil {
		return nil, nil, nil, err
	}
	if err := s.CopyFactor(ctx, b); err != nil {
		return nil, nil, nil, err
	}
	return eigen(&res.Result, err)
}

type tridiagonalPlan[T evd.Float] struct{ *evd.TridiagonalPlan[T] }

func (t tridiagonalPlan[T]) solve(p problem[T]) (values []float64, z, v *evd.Dense[T], err error) {
	res, err := t.Solve(context.Background(), evd.Tridiagonal[T]{D: p.a, E: p.e})
	return eigen(res, err)
}

func eigen[T evd.Number](res *evd.Result[T], err error) (values []float64, z, v *evd.Dense[T], _ error) {
	if res == nil {
		return nil, nil, nil, err
	}
	return res.Values, res.Vectors, nil, err
}

type singularPlan[T evd.Number] struct{ *svd.Plan[T] }

func (s singularPlan[T]) solve(p problem[T]) (values []float64, z, v *evd.Dense[T], err error) {
	a := evd.Dense[T]{Rows: p.rows, Cols: p.n, Ld: p.ld, Data: p.a}
	res, err := s.Solve(context.Background(), a)
	if res == nil {
		return nil, nil, nil, err
	}
	return res.Values, res.U, res.V, err
}

// asLAPACK returns the error of a solve, or nil if the result is what LAPACK would return. LAPACK
// returns INFO = 0 and an infinite value if the value is beyond the largest number of its type.
func asLAPACK(err error) error {
	if errors.As(err, new(*evd.OverflowError)) {
		return nil
	}
	return err
}

// values is the caller's memory for eigenvalues or singular values, which are real.
type values interface{ take([]float64) }

type reals[R evd.Float] []R

func (w reals[R]) take(values []float64) {
	for i, x := range values {
		w[i] = R(x)
	}
}

type columns[T evd.Number] struct {
	first *T
	ld    int
}

func (c columns[T]) take(z *evd.Dense[T]) {
	if z != nil && c.first != nil {
		copies.Columns(slice[T](unsafe.Pointer(c.first), z.Rows, z.Cols, c.ld), c.ld, z.Data, z.Ld, z.Rows, z.Cols)
	}
}

// takeAdjoint writes Zᴴ. It conjugates z itself.
func (c columns[T]) takeAdjoint(z *evd.Dense[T]) {
	if z != nil && c.first != nil {
		conjugate(z)
		copies.Transposed(slice[T](unsafe.Pointer(c.first), z.Cols, z.Rows, c.ld), c.ld, z.Data, z.Ld, z.Rows, z.Cols)
	}
}

// conjugate replaces complex numbers by their conjugates, and leaves real ones as they are.
func conjugate[T evd.Number](z *evd.Dense[T]) {
	switch data := any(z.Data).(type) {
	case []complex128:
		copies.Each(z.Cols, z.Rows, func(j int) {
			for i, x := range data[j*z.Ld:][:z.Rows] {
				data[j*z.Ld+i] = cmplx.Conj(x)
			}
		})
	case []complex64:
		copies.Each(z.Cols, z.Rows, func(j int) {
			for i, x := range data[j*z.Ld:][:z.Rows] {
				data[j*z.Ld+i] = complex(real(x), -imag(x))
			}
		})
	}
}
