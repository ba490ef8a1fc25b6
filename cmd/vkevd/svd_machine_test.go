package main

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

func (m *fakeMachine) svd(of machine.SingularShape, opt svd.Options) (machine.SingularSolver[float64], error) {
	m.singular = append(m.singular, opt)
	if m.planErr != nil {
		return nil, m.planErr
	}
	whole := &fakeSingular{m, of.M, of.N, opt}
	if of.Form != machine.WholeMatrix {
		return fakeBand{whole, of.Above}, nil
	}
	return whole, nil
}

func (m *fakeMachine) svdSingle(of machine.SingularShape, opt svd.Options) (machine.SingularSolver[float32], error) {
	p, err := m.svd(of, opt)
	return fakeSingleSVD{p}, err
}

// A fakeSingleSVD solves in double precision and rounds the result to single precision.
type fakeSingleSVD struct {
	machine.SingularSolver[float64]
}

func (p fakeSingleSVD) Bytes() uint64 { return p.SingularSolver.Bytes() / 2 }

func (p fakeSingleSVD) Solve(ctx context.Context, a evd.Dense[float32]) (*svd.Result[float32], error) {
	res, err := p.SingularSolver.Solve(ctx, convertedDense[float64](a))
	if err != nil {
		return nil, err
	}
	round := func(z *evd.Dense[float64]) *evd.Dense[float32] {
		if z == nil {
			return nil
		}
		single := convertedDense[float32](*z)
		return &single
	}
	return &svd.Result[float32]{
		Values: res.Values, U: round(res.U), V: round(res.V), Profile: res.Profile, Certificate: res.Certificate,
	}, nil
}

func (p fakeSingleSVD) Check(ctx context.Context, a evd.Dense[float32], res *svd.Result[float32]) (svd.Ratios, error) {
	u, v := convertedDense[float64](*res.U), convertedDense[float64](*res.V)
	r, err := p.SingularSolver.Check(ctx, convertedDense[float64](a), &svd.Result[float64]{Values: res.Values, U: &u, V: &v})
	shorter := report.Ulp / report.UlpOf[float32]()
	return svd.Ratios{Residual: r.Residual * shorter, Left: r.Left * shorter, Right: r.Right * shorter}, err
}

func convertedDense[T, S evd.Float](a evd.Dense[S]) evd.Dense[T] {
	b := evd.Dense[T]{Rows: a.Rows, Cols: a.Cols, Ld: a.Ld, RowMajor: a.RowMajor, Data: make([]T, len(a.Data))}
	for i, x := range a.Data {
		b.Data[i] = T(x)
	}
	return b
}

// A fakeBand converts the diagonals of a band matrix to a dense matrix, and solves the dense
// matrix.
type fakeBand struct {
	machine.SingularSolver[float64]
	b int
}

func (p fakeBand) whole(a evd.Dense[float64]) evd.Dense[float64] {
	n := a.Cols
	d := evd.Dense[float64]{Rows: n, Cols: n, Ld: n, Data: make([]float64, n*n)}
	for j := range n {
		for i := max(0, j-p.b); i <= j; i++ {
			d.Data[i+j*n] = a.Data[p.b+i-j+j*a.Ld]
		}
	}
	return d
}

func (p fakeBand) Solve(ctx context.Context, a evd.Dense[float64]) (*svd.Result[float64], error) {
	return p.SingularSolver.Solve(ctx, p.whole(a))
}

func (p fakeBand) Check(ctx context.Context, a evd.Dense[float64], res *svd.Result[float64]) (svd.Ratios, error) {
	return p.SingularSolver.Check(ctx, p.whole(a), res)
}

// A fakeSingular is a fake plan for singular values. It computes them with package gonum.
type fakeSingular struct {
	*fakeMachine
	rows, cols int
	opt        svd.Options
}

func (p *fakeSingular) Close()         { p.closed++ }
func (p *fakeSingular) Emulated() bool { return p.emulates }
func (p *fakeSingular) Bytes() uint64  { return 16 * uint64(p.rows) * uint64(p.cols) }

func (p *fakeSingular) Memory() []vk.Placed {
	return []vk.Placed{{Name: "A", Bytes: p.Bytes()}}
}

func (p *fakeSingular) Costs() []evd.StageCost {
	return []evd.StageCost{{Stage: "band reduction", Flops: 1e6}, {Stage: "bisection", Flops: 1e3}}
}

func (p *fakeSingular) Solve(ctx context.Context, a evd.Dense[float64]) (*svd.Result[float64], error) {
	if p.after != nil {
		defer p.after()
	}
	if err := p.begin(ctx, p.Costs(), p.opt.Progress); err != nil {
		return nil, err
	}
	res := &svd.Result[float64]{Values: []float64{}, Profile: vk.NewProfile()}
	res.Profile.Add("band reduction", 0.75)
	if p.opt.Certify {
		res.Certificate = &svd.Certificate{Counts: p.certified, Norm: 0.125}
	}
	if a.Rows == 0 || a.Cols == 0 {
		return res, nil
	}
	var f mat.SVD
	if !f.Factorize(mat.NewDense(a.Cols, a.Rows, append([]float64{}, a.Data...)), mat.SVDNone) {
		return nil, fmt.Errorf("gonum gave up")
	}
	res.Values = f.Values(nil)
	res.Values[0] += p.spoil
	if k := p.opt.Largest; k > 0 {
		res.Values = res.Values[:k]
	}
	return res, p.vectors(a, res)
}

// vectors computes singular vectors with package gonum. Their signs do not follow the library's
// rule for signs.
func (p *fakeSingular) vectors(a evd.Dense[float64], res *svd.Result[float64]) error {
	kind := mat.SVDThin
	if p.opt.U == svd.Full || p.opt.V == svd.Full {
		kind = mat.SVDFull
	}
	var f mat.SVD
	if !f.Factorize(mat.NewDense(a.Cols, a.Rows, append([]float64{}, a.Data...)), kind) {
		return fmt.Errorf("gonum gave up")
	}
	columns := func(wanted svd.Vectors, x mat.Matrix) *evd.Dense[float64] {
		rows, cols := x.Dims()
		if wanted == svd.None {
			return nil
		}
		if wanted == svd.Thin {
			cols = len(res.Values)
		}
		d := &evd.Dense[float64]{Rows: rows, Cols: cols, Ld: rows, Data: make([]float64, rows*cols)}
		for j := range cols {
			for i := range rows {
				d.Data[i+j*rows] = x.At(i, j)
			}
		}
		return d
	}
	var u, v mat.Dense // of the transpose, because gonum reads the columns of a as rows
	f.UTo(&v)
	f.VTo(&u)
	res.U, res.V = columns(p.opt.U, &u), columns(p.opt.V, &v)
	return nil
}

func (p *fakeSingular) Check(_ context.Context, a evd.Dense[float64], res *svd.Result[float64]) (svd.Ratios, error) {
	r := singularOnHost(a, res)
	return svd.Ratios{Residual: r[0].Ratio, Left: r[1].Ratio, Right: r[2].Ratio}, p.checkErr
}
