package svd_test

import (
	"context"
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestRefusals compares the whole text of each refusal of a plan, and accepts the last value before
// each limit.
func TestRefusals(t *testing.T) {
	dev := vk.Dry(vk.Info{Name: "dry", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Memory: 1 << 40, Free: 1 << 40})
	var rows []stagetest.Refusal
	add := func(text string, call func() error) {
		rows = append(rows, stagetest.Refusal{Text: text, Call: call})
	}
	dense := func(text string, m, n int, opt svd.Options) {
		add(text, func() error { _, err := svd.NewPlan[float64](dev, m, n, opt); return err })
	}
	lines := func(text string, n int, opt svd.Options) {
		add(text, func() error { _, err := svd.NewBidiagonalPlan[float64](dev, n, opt); return err })
	}
	band := func(text string, n, b int, opt svd.BandOptions) {
		add(text, func() error { _, err := svd.NewBandPlan[float64](dev, n, b, opt); return err })
	}
	type o = svd.Options

	const large = "order 16777216 is too large, at most 16777215"
	dense("order -1 is negative", -1, 3, o{})
	dense("order -1 is negative", 3, -1, o{})
	dense(large, 1<<24, 3, o{})
	dense(large, 3, 1<<24, o{})
	dense("", 0, 3, o{})
	lines("order -1 is negative", -1, o{})
	lines(large, 1<<24, o{})
	lines("", 0, o{})
	band("order -1 is negative", -1, 1, svd.BandOptions{})
	band("order -1 is negative", 1, -1, svd.BandOptions{})
	band(large, 1<<24, 1, svd.BandOptions{})
	band(large, 1, 1<<24, svd.BandOptions{})
	band("", 4, 0, svd.BandOptions{})

	const which = "option U, V: must be None, Thin or Full"
	for _, make := range []func(string, o){
		func(text string, opt o) { dense(text, 5, 4, opt) }, func(text string, opt o) { lines(text, 4, opt) },
	} {
		make(which, o{U: -1})
		make(which, o{U: 3})
		make(which, o{V: -1})
		make(which, o{V: 3})
		make("", o{U: svd.Full, V: svd.Full})
		make("option Largest: -1 of 4 singular values", o{Largest: -1})
		make("option Largest: 5 of 4 singular values", o{Largest: 5})
		make("", o{Largest: 4})
		make("option Select: cannot be combined with Largest", o{Largest: 1, Select: svd.Index(0, 1)})
		const all = "option Largest, Select: all vectors (Full) need all singular values"
		make(all, o{Largest: 1, U: svd.Full})
		make(all, o{Select: svd.Index(0, 4), V: svd.Full})
		make("option Storage: must be Double, Single or Half", o{Storage: -1})
		make("option Storage: must be Double, Single or Half", o{Storage: 3})
		make("option Band, Block: must not be negative", o{Band: -1})
		make("option Band, Block: must not be negative", o{Block: -1})
		make("option Index: [-1, 2) is not a range of 4 values", o{Select: svd.Index(-1, 2)})
		make("option Index: [2, 5) is not a range of 4 values", o{Select: svd.Index(2, 5)})
		make("option Index: selects no singular value", o{Select: svd.Index(2, 2)})
		make("", o{Select: svd.Index(3, 4)})
		make("option Interval: (2, 1] holds no number", o{Select: svd.Interval(2, 1)})
		make("option Products: there is no choice 3", o{Products: 3})
		make("option Moduli: 12 is not between 13 and 16", o{Moduli: 12})
	}
	dense("option Block: 6 is not a multiple of the 4 superdiagonals", 40, 40, o{Band: 4, Block: 6})
	dense("", 40, 40, o{Band: 4, Block: 8})
	dense("option Storage: single precision is for values alone, without U and V", 5, 4, o{Storage: svd.Single, U: svd.Thin})
	dense("option Storage: half precision is for values alone, without U and V", 5, 4, o{Storage: svd.Half, V: svd.Thin})
	dense("option Select: an interval is not possible in single precision", 5, 4, o{Storage: svd.Single, Select: svd.Interval(0, 1)})
	dense("", 5, 4, o{Select: svd.Interval(0, 1)})
	dense("option Products: emulated products replace double precision, and half precision needs none", 5, 4, o{Storage: svd.Half, Products: evd.ProductsEmulated})
	add("option Products: emulated products replace double precision, and the matrix is in single precision", func() error {
		_, err := svd.NewPlan[float32](dev, 40, 40, o{Products: evd.ProductsEmulated})
		return err
	})
	dense("dry: storageBuffer16BitAccess, for storage in half precision: needs yes, has no", 5, 4, o{Storage: svd.Half})
	lines("option Band, Block: a bidiagonal matrix needs no reduction", 4, o{Band: 1})
	lines("option Band, Block: a bidiagonal matrix needs no reduction", 4, o{Block: 1})
	lines("option Verify: has no meaning for a bidiagonal matrix; Check measures a result", 4, o{Verify: true})
	lines("option Storage: a bidiagonal matrix needs no reduction", 4, o{Storage: svd.Single})
	band("option Tile: must not be negative", 4, 2, svd.BandOptions{Tile: -1})
	band("option Storage: must be Double, Single or Half", 4, 2, svd.BandOptions{Storage: -1})
	band("option Storage: must be Double, Single or Half", 4, 2, svd.BandOptions{Storage: 3})
	band("option Largest: 5 of 4 singular values", 4, 2, svd.BandOptions{Largest: 5})
	band("option Select: an interval is not possible in single precision", 4, 2, svd.BandOptions{Storage: svd.Single, Select: svd.Interval(0, 1)})
	band("", 4, 2, svd.BandOptions{Select: svd.Interval(0, 1)})
	band("", 4, 2, svd.BandOptions{Largest: 4})
	stagetest.Refusals(t, rows)
}

// TestSolvesRefuse compares the text of each refusal of a matrix or a result, by each method of
// each plan, also after Close.
func TestSolvesRefuse(t *testing.T) {
	ctx, d, small := context.Background(), stagetest.Device(t), tuning.Smallest()
	made := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	dense, err := svd.NewPlan[float64](d, 3, 2, svd.Options{U: svd.Thin, V: svd.Thin, Tuning: &small})
	made(err)
	values, err := svd.NewPlan[float64](d, 3, 2, svd.Options{Tuning: &small})
	made(err)
	lines, err := svd.NewBidiagonalPlan[float64](d, 3, svd.Options{U: svd.Thin, V: svd.Thin, Tuning: &small})
	made(err)
	plain, err := svd.NewBidiagonalPlan[float64](d, 3, svd.Options{Tuning: &small})
	made(err)
	bands, err := svd.NewBandPlan[float64](d, 3, 1, svd.BandOptions{Tuning: &small})
	made(err)
	matrix := func(m, n, ld, length int) evd.Dense[float64] {
		a := evd.Dense[float64]{Rows: m, Cols: n, Ld: ld, Data: make([]float64, length)}
		for i := range min(m, n, length) {
			a.Data[min(i*(ld+1), length-1)] = float64(i + 1)
		}
		return a
	}
	a, c := matrix(3, 2, 3, 6), svd.Bidiagonal[float64]{D: []float64{3, 2, 1}, E: []float64{1, 1}}
	b := svd.Band[float64]{N: 3, B: 1, Ld: 2, Data: []float64{0, 1, 1, 2, 1, 3}}
	res, err := dense.Solve(ctx, a)
	made(err)
	of, err := lines.Solve(ctx, c)
	made(err)

	var rows []stagetest.Refusal
	add := func(text string, call func() error) {
		rows = append(rows, stagetest.Refusal{Text: text, Call: call})
	}
	solves := func(text string, a evd.Dense[float64]) {
		add(text, func() error { _, err := dense.Solve(ctx, a); return err })
		add(text, func() error { _, err := values.Solve(ctx, a); return err })
		add(text, func() error { _, err := dense.Check(ctx, a, res); return err })
	}
	solves("", a)
	solves("matrix of 2×3 given to a plan for 3×2", matrix(2, 3, 2, 6))
	solves("matrix of 3×3 given to a plan for 3×2", matrix(3, 3, 3, 9))
	solves("matrix of 2×2 given to a plan for 3×2", matrix(2, 2, 2, 4))
	solves("matrix of 3×2 with leading dimension 2 in 6 elements", evd.Dense[float64]{Rows: 3, Cols: 2, Ld: 2, Data: make([]float64, 6)})
	solves("matrix of 3×2 with leading dimension 3 in 5 elements", evd.Dense[float64]{Rows: 3, Cols: 2, Ld: 3, Data: make([]float64, 5)})
	solves("matrix of 3×2 with leading dimension 4 in 6 elements", evd.Dense[float64]{Rows: 3, Cols: 2, Ld: 4, Data: make([]float64, 6)})
	solves("", matrix(3, 2, 4, 7))
	solves("matrix of 3×2 with leading dimension 1 in 6 elements", evd.Dense[float64]{Rows: 3, Cols: 2, Ld: 1, RowMajor: true, Data: make([]float64, 6)})
	const finite = "; entries must be finite (indices from 0)"
	bad := matrix(3, 2, 3, 6)
	bad.Data[4] = math.NaN()
	solves("element (1, 1) is NaN"+finite, bad)
	byRows := evd.Dense[float64]{Rows: 3, Cols: 2, Ld: 2, RowMajor: true, Data: []float64{1, 0, 0, 2, math.Inf(-1), 0}}
	solves("element (2, 0) is -Inf"+finite, byRows)

	check := func(text string, p *svd.Plan[float64], res svd.Result[float64]) {
		add(text, func() error { _, err := p.Check(ctx, a, &res); return err })
	}
	const needs = "option U, V: a check needs vectors, in the plan and in the result"
	check(needs, values, *res)
	check(needs, dense, svd.Result[float64]{Values: res.Values})
	two := func(u, v *evd.Dense[float64]) svd.Result[float64] {
		return svd.Result[float64]{Values: res.Values, U: u, V: v}
	}
	of32, of22 := matrix(3, 2, 3, 6), matrix(2, 2, 2, 4)
	check("matrix of 2×2 given to a plan for 3×2", dense, two(&of22, &of22))
	check("matrix of 3×2 given to a plan for 2×2", dense, two(&of32, &of32))
	short := matrix(3, 2, 3, 5)
	check("matrix of 3×2 with leading dimension 3 in 5 elements", dense, two(&short, &of22))
	one := matrix(3, 1, 3, 3)
	check("matrix of 3×1 given to a plan for 3×2", dense, two(&one, &of22))

	bidiagonal := func(text string, c svd.Bidiagonal[float64]) {
		add(text, func() error { _, err := lines.Solve(ctx, c); return err })
		add(text, func() error { _, err := plain.Solve(ctx, c); return err })
		add(text, func() error { _, err := lines.Check(ctx, c, of); return err })
	}
	bidiagonal("", c)
	bidiagonal("matrix of 2×2 given to a plan for 3×3", svd.Bidiagonal[float64]{D: make([]float64, 2), E: make([]float64, 2)})
	bidiagonal("matrix of 3×3 with leading dimension 0 in 1 elements", svd.Bidiagonal[float64]{D: make([]float64, 3), E: make([]float64, 1)})
	bidiagonal("element (2, 2) is NaN"+finite, svd.Bidiagonal[float64]{D: []float64{1, 2, math.NaN()}, E: []float64{1, 1}})
	bidiagonal("element (0, 1) is +Inf"+finite, svd.Bidiagonal[float64]{D: []float64{1, 2, 3}, E: []float64{math.Inf(1), 1}})
	add(needs, func() error { _, err := plain.Check(ctx, c, of); return err })
	add(needs, func() error { _, err := lines.Check(ctx, c, &svd.Result[float64]{Values: of.Values}); return err })
	wrong := svd.Result[float64]{Values: of.Values, U: &of32, V: of.V}
	add("matrix of 3×2 given to a plan for 3×3", func() error { _, err := lines.Check(ctx, c, &wrong); return err })

	banded := func(text string, b svd.Band[float64]) {
		add(text, func() error { _, err := bands.Solve(ctx, b); return err })
	}
	banded("", b)
	banded("matrix of 2×2 given to a plan for 2×3", svd.Band[float64]{N: 2, B: 1, Ld: 2, Data: make([]float64, 6)})
	banded("matrix of 3×3 given to a plan for 2×3", svd.Band[float64]{N: 3, B: 2, Ld: 3, Data: make([]float64, 9)})
	banded("matrix of 2×3 with leading dimension 1 in 6 elements", svd.Band[float64]{N: 3, B: 1, Ld: 1, Data: make([]float64, 6)})
	banded("matrix of 2×3 with leading dimension 2 in 5 elements", svd.Band[float64]{N: 3, B: 1, Ld: 2, Data: make([]float64, 5)})
	banded("element (0, 1) is NaN"+finite, svd.Band[float64]{N: 3, B: 1, Ld: 2, Data: []float64{0, 1, math.NaN(), 2, 1, 3}})
	stagetest.Refusals(t, rows)

	rows = nil
	for _, p := range []interface{ Close() }{dense, values, lines, plain, bands} {
		p.Close()
		p.Close()
	}
	solves("the plan is closed", a)
	bidiagonal("the plan is closed", c)
	banded("the plan is closed", b)
	stagetest.Refusals(t, rows)
}

// TestRefusalsOfDevices compares the texts for a device that does not compute in double precision.
func TestRefusalsOfDevices(t *testing.T) {
	d, err := vk.Open(vk.Options{Device: stagetest.Info().Name, Without: []string{"shaderFloat64"}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	lacks := d.Info().Name + ": shaderFloat64: needs yes, has no: this device computes in single precision only; "
	const single = "plans for float32 work there (vkevd svd --precision f32)"
	stagetest.Refusals(t, []stagetest.Refusal{
		{Text: lacks + single, Call: func() error { _, err := svd.NewPlan[float64](d, 4, 3, svd.Options{}); return err }},
		{Text: lacks + single, Call: func() error { _, err := svd.NewBidiagonalPlan[float64](d, 4, svd.Options{}); return err }},
		{Text: lacks + "storage in single precision works there (vkevd svd --storage f32)", Call: func() error {
			_, err := svd.NewBandPlan[float64](d, 4, 2, svd.BandOptions{})
			return err
		}},
	})
}

// TestTexts compares the texts of measures, and of an error that no healthy device causes.
func TestTexts(t *testing.T) {
	r := svd.Ratios{Residual: 1.25, Left: 2.5, Right: 3.75}
	whole := &svd.Certificate{Counts: 5, Norm: 6.25, Vectors: &r}
	for want, got := range map[string]string{
		"residual 1.25, orthogonality of U 2.5, of V 3.75":                            r.String(),
		"residual 1.25, orthogonality of U 2.5, of V 3.75, Sturm counts 5, norm 6.25": whole.String(),
		"Sturm counts 7, norm 8": (&svd.Certificate{Counts: 7, Norm: 8}).String(),
		"no result can be verified: Sturm counts 7, norm 8; on the safe path: residual 1.25, orthogonality of U 2.5, of V 3.75, Sturm counts 5, norm 6.25; each must be below 60": (&svd.UnverifiedError{First: &svd.Certificate{Counts: 7, Norm: 8}, Safe: whole}).Error(),
		"double":      svd.Double.String(),
		"single":      svd.Single.String(),
		"half":        svd.Half.String(),
		"Storage(-1)": svd.Storage(-1).String(),
		"Storage(3)":  svd.Storage(3).String(),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
