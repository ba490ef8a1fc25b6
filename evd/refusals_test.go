package evd_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

var dryInfo = vk.Info{Name: "dry", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Memory: 1 << 40, Free: 1 << 40}

// TestRefusals compares the whole text of each refusal of a plan, and accepts the last value before
// each limit.
func TestRefusals(t *testing.T) {
	dev, second := vk.Dry(dryInfo), vk.Dry(dryInfo)
	var rows []stagetest.Refusal
	add := func(text string, call func() error) {
		rows = append(rows, stagetest.Refusal{Text: text, Call: call})
	}
	plan := func(text string, n int, opt evd.Options) {
		add(text, func() error { _, err := evd.NewPlan[float64](dev, n, opt); return err })
	}
	tridiagonal := func(text string, n int, opt evd.Options) {
		add(text, func() error { _, err := evd.NewTridiagonalPlan[float64](dev, n, opt); return err })
	}
	refine := func(text string, n int, opt evd.Options) {
		add(text, func() error { _, err := evd.NewRefinePlan[float64](dev, n, opt); return err })
		add(text, func() error { _, err := evd.NewMixedPlan[float64](dev, n, opt); return err })
	}
	type o = evd.Options

	plan("order -1 is negative", -1, o{})
	plan("", 0, o{})
	plan("order 16777216 is too large, at most 16777215", 1<<24, o{})
	tridiagonal("order -1 is negative", -1, o{})
	tridiagonal("order 2147483648 is too large, at most 2147483647", 1<<31, o{})
	refine("order -1 is negative", -1, o{})
	refine("order 16777216 is too large, at most 16777215", 1<<24, o{})

	plan("option Band, Block: must not be negative", 4, o{Band: -1})
	plan("option Band, Block: must not be negative", 4, o{Block: -1})
	plan("option Block: 6 is not a multiple of the half-bandwidth 4", 40, o{Band: 4, Block: 6})
	plan("", 40, o{Band: 4, Block: 8})
	plan("option Verify: needs the input again, which Overwrite destroys", 4, o{Verify: true, Overwrite: true, Vectors: true})
	plan("option Overwrite: only vectors can take the input's place", 4, o{Overwrite: true})
	plan("", 4, o{Overwrite: true, Vectors: true})
	plan("option RowMajor: only vectors have rows", 4, o{RowMajor: true})
	plan("", 4, o{RowMajor: true, Vectors: true})
	plan("option Shares: there are 1 numbers for 2 devices", 4, o{Devices: []*vk.Device{second}, Shares: []float64{1}})
	plan("option Shares: there are 3 numbers for 2 devices", 4, o{Devices: []*vk.Device{second}, Shares: []float64{1, 2, 3}})
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		plan("option Shares: each must be positive and finite", 4, o{Devices: []*vk.Device{second}, Shares: []float64{1, bad}})
	}
	plan("", 4, o{Devices: []*vk.Device{second}, Shares: []float64{1, math.SmallestNonzeroFloat64}})
	plan("option Distribute: needs further devices, among which the matrix is divided", 4, o{Distribute: true})
	plan("option Products: there is no choice -1", 4, o{Products: -1})
	plan("option Products: there is no choice 3", 4, o{Products: 3})
	plan("option Moduli: 12 is not between 13 and 16", 4, o{Moduli: 12})
	plan("option Moduli: 17 is not between 13 and 16", 4, o{Moduli: 17})
	plan("option Moduli: -1 is not between 13 and 16", 4, o{Moduli: -1})
	plan("", 4, o{Moduli: 13})
	plan("", 4, o{Moduli: 16})
	add(`option Products: "fast" is not auto, native or emulated`, func() error { _, err := evd.ParseProducts("fast"); return err })
	add("option Products: emulated products replace double precision, and the matrix is in single precision", func() error {
		_, err := evd.NewPlan[float32](dev, 40, o{Products: evd.ProductsEmulated})
		return err
	})
	add("option Products: emulated products replace double precision, and the matrix is in single precision", func() error {
		_, err := evd.NewPlan[complex64](dev, 40, o{Products: evd.ProductsEmulated})
		return err
	})
	add("option Moduli: 13 are too few for complex matrices, which need 14 at least", func() error {
		_, err := evd.NewPlan[complex128](dev, 40, o{Products: evd.ProductsEmulated, Moduli: 13})
		return err
	})
	add("option Moduli: 13 are too few for complex matrices, which need 14 at least", func() error {
		_, err := evd.NewRefinePlan[complex128](dev, 40, o{Vectors: true, Moduli: 13})
		return err
	})
	add("option Moduli: 13 are too few for complex matrices, which need 14 at least", func() error {
		_, err := evd.NewMixedPlan[complex128](dev, 40, o{Vectors: true, Moduli: 13})
		return err
	})
	zero := tuning.Tuning{}
	plan("option Tuning: has the half-bandwidth 0 and the block 0; both must be positive", 4, o{Tuning: &zero})

	plan("option Index: [-1, 2) is not a range of 4 values", 4, o{Select: evd.Index(-1, 2)})
	plan("option Index: [2, 5) is not a range of 4 values", 4, o{Select: evd.Index(2, 5)})
	plan("option Index: [3, 2) is not a range of 4 values", 4, o{Select: evd.Index(3, 2)})
	plan("", 4, o{Select: evd.Index(0, 4)})
	plan("", 4, o{Select: evd.Index(4, 4)})
	plan("option Interval: (1, 1] holds no number", 4, o{Select: evd.Interval(1, 1)})
	plan("option Interval: (NaN, 1] holds no number", 4, o{Select: evd.Interval(math.NaN(), 1)})
	plan("", 4, o{Select: evd.Interval(1, math.Nextafter(1, 2))})
	plan("option AtMost: must not be negative", 4, o{Select: evd.Interval(0, 1).AtMost(-1)})
	plan("option AtMost: only an interval needs a limit", 4, o{Select: evd.Index(0, 1).AtMost(1)})
	plan("option AtMost: only an interval needs a limit", 4, o{Select: evd.Selection{}.AtMost(1)})
	const solvers = "there are auto, dc, bisection, mrrr, qr"
	plan("option Solver: Solver(99) is unknown; "+solvers, 4, o{Solver: 99})
	plan("option Solver: bisection finds values only, no vectors", 4, o{Solver: evd.Bisection, Vectors: true})
	add(`option Solver: "DC" is unknown; `+solvers, func() error { _, err := evd.ParseSolver("DC"); return err })

	plan("option Devices: there is a nil device", 4, o{Devices: []*vk.Device{second, nil}})
	const twice = "option Devices: a device is twice in the list, or is the plan's first one"
	plan(twice, 4, o{Devices: []*vk.Device{second, second}})
	plan(twice, 4, o{Devices: []*vk.Device{dev}})
	refine(twice, 4, o{Devices: []*vk.Device{dev}})

	for name, opt := range map[string]o{
		"Band": {Band: 1}, "Block": {Block: 1}, "NoWaits": {NoWaits: true}, "Verify": {Verify: true}, "Overwrite": {Overwrite: true},
		"Products": {Products: evd.ProductsNative}, "Moduli": {Moduli: 14}, "Devices": {Devices: []*vk.Device{second}},
		"Shares": {Shares: []float64{1}}, "Distribute": {Distribute: true},
	} {
		tridiagonal("option "+name+": has no meaning for a tridiagonal matrix", 4, opt)
	}
	refine("option Select: a refinement is for all vectors, because it corrects each vector by multiples of all others", 4, o{Select: evd.Index(0, 4)})
	refine("option Distribute: a refinement needs the whole matrix on one device", 4, o{Distribute: true, Devices: []*vk.Device{second}})
	refine("option Overwrite: a refinement needs the matrix in each step", 4, o{Overwrite: true})
	refine("option Moduli: 17 is not between 13 and 16", 4, o{Moduli: 17})
	refine("", 4, o{})
	stagetest.Refusals(t, rows)
}

// TestSolvesRefuse compares the text of each refusal of a matrix or a result, by each method of
// each plan, also after Close.
func TestSolvesRefuse(t *testing.T) {
	ctx, d := context.Background(), device(t, vk.Options{})
	opt := evd.Options{Vectors: true, Tuning: small()}
	dense, err := evd.NewPlan[float64](d, 3, opt)
	if err != nil {
		t.Fatal(err)
	}
	values, err := evd.NewPlan[float64](d, 3, evd.Options{Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	over, err := evd.NewPlan[float64](d, 3, evd.Options{Tuning: small(), Vectors: true, Overwrite: true})
	if err != nil {
		t.Fatal(err)
	}
	three, err := evd.NewTridiagonalPlan[float64](d, 3, opt)
	if err != nil {
		t.Fatal(err)
	}
	refine, err := evd.NewRefinePlan[float64](d, 3, evd.Options{Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	mixed, err := evd.NewMixedPlan[float64](d, 3, evd.Options{Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	matrix := func() evd.Sym[float64] {
		return evd.NewSym(3, []float64{2, 1, 0, 0, 3, 1, 0, 0, 5}, evd.Lower)
	}
	a, unit := matrix(), evd.Dense[float64]{Rows: 3, Cols: 3, Ld: 3, Data: []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}}
	res, err := dense.Solve(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	var rows []stagetest.Refusal
	add := func(text string, call func() error) {
		rows = append(rows, stagetest.Refusal{Text: text, Call: call})
	}
	// solves are all methods that take a matrix.
	solves := func(text string, a evd.Sym[float64]) {
		for _, p := range []*evd.Plan[float64]{dense, values, over} {
			add(text, func() error { _, err := p.Solve(ctx, a); return err })
		}
		add(text, func() error { _, err := dense.Check(ctx, a, res); return err })
		add(text, func() error { _, err := refine.Refine(ctx, a, unit); return err })
		add(text, func() error { _, err := mixed.Solve(ctx, a); return err })
	}
	solves("matrix of order 2 given to a plan of order 3", evd.NewSym(2, make([]float64, 4), evd.Lower))
	solves("matrix of order 4 given to a plan of order 3", evd.NewSym(4, make([]float64, 16), evd.Lower))
	solves("order 3 with leading dimension 3 does not fit 8 elements", evd.NewSym(3, make([]float64, 8), evd.Lower))
	solves("order 3 with leading dimension 2 does not fit 9 elements", evd.Sym[float64]{N: 3, Ld: 2, Data: make([]float64, 9)})
	bad := func(at int, x float64, upper, byRows bool) evd.Sym[float64] {
		a := matrix()
		a.Uplo, a.RowMajor = evd.Lower, byRows
		if upper {
			a.Uplo = evd.Upper
		}
		a.Data[at] = x
		return a
	}
	const finite = "; entries must be finite (indices from 0)"
	solves("element (2, 1) is NaN"+finite, bad(5, math.NaN(), false, false))
	solves("element (2, 2) is +Inf"+finite, bad(8, math.Inf(1), false, false))
	solves("element (1, 2) is -Inf"+finite, bad(7, math.Inf(-1), true, false))
	solves("element (1, 2) is NaN"+finite, bad(5, math.NaN(), true, true))
	solves("element (2, 1) is NaN"+finite, bad(7, math.NaN(), false, true))
	for _, p := range []interface {
		Solve(context.Context, evd.Sym[float64]) (*evd.Result[float64], error)
	}{dense, values, mixed} {
		add("", func() error { _, err := p.Solve(ctx, matrix()); return err })
		add("", func() error {
			_, err := p.Solve(ctx, evd.Sym[float64]{N: 3, Ld: 4, Data: make([]float64, 11)})
			return err
		})
		add("order 3 with leading dimension 4 does not fit 10 elements", func() error {
			_, err := p.Solve(ctx, evd.Sym[float64]{N: 3, Ld: 4, Data: make([]float64, 10)})
			return err
		})
	}

	initial := func(text string, q evd.Dense[float64]) {
		add(text, func() error { _, err := refine.Refine(ctx, matrix(), q); return err })
	}
	initial("approximate eigenvectors of 3×2 for a matrix of order 3, which needs all of them", evd.Dense[float64]{Rows: 3, Cols: 2, Ld: 3, Data: make([]float64, 6)})
	initial("approximate eigenvectors of 2×3 for a matrix of order 3, which needs all of them", evd.Dense[float64]{Rows: 2, Cols: 3, Ld: 2, Data: make([]float64, 6)})
	initial("order 3 with leading dimension 3 does not fit 8 elements", evd.Dense[float64]{Rows: 3, Cols: 3, Ld: 3, Data: make([]float64, 8)})
	initial("element (1, 2) of the approximate eigenvectors is NaN (indices from 0)", evd.Dense[float64]{Rows: 3, Cols: 3, Ld: 3, Data: []float64{1, 0, 0, 0, 1, 0, 0, math.NaN(), 1}})

	const noVectors = "option Vectors: a check needs them, in the plan and in the result"
	check := func(text string, p *evd.Plan[float64], res *evd.Result[float64]) {
		add(text, func() error { _, err := p.Check(ctx, matrix(), res); return err })
	}
	check(noVectors, values, res)
	check(noVectors, dense, &evd.Result[float64]{Values: res.Values})
	check("matrix of order 2 given to a plan of order 3", dense, &evd.Result[float64]{Values: res.Values, Vectors: &evd.Dense[float64]{Rows: 2, Cols: 3, Ld: 2, Data: make([]float64, 6)}})
	check("matrix of order 3 given to a plan of order 3", dense, &evd.Result[float64]{Values: res.Values[:2], Vectors: res.Vectors})
	check("order 3 with leading dimension 3 does not fit 8 elements", dense, &evd.Result[float64]{Values: res.Values, Vectors: &evd.Dense[float64]{Rows: 3, Cols: 3, Ld: 3, Data: make([]float64, 8)}})
	check("", dense, res)

	of := evd.Tridiagonal[float64]{D: []float64{1, 2, 3}, E: []float64{1, 1}}
	thirds, err := three.Solve(ctx, of)
	if err != nil {
		t.Fatal(err)
	}
	lines := func(text string, of evd.Tridiagonal[float64]) {
		add(text, func() error { _, err := three.Solve(ctx, of); return err })
		add(text, func() error { _, err := three.CountBelow(ctx, of, 1); return err })
		add(text, func() error { _, err := three.Check(ctx, of, thirds); return err })
	}
	lines("", of)
	lines("matrix of order 2 given to a plan of order 3", evd.Tridiagonal[float64]{D: make([]float64, 2), E: make([]float64, 1)})
	lines("order 3 with 1 off-diagonal elements", evd.Tridiagonal[float64]{D: make([]float64, 3), E: make([]float64, 1)})
	lines("element (1, 1) is NaN"+finite, evd.Tridiagonal[float64]{D: []float64{1, math.NaN(), 3}, E: []float64{1, 1}})
	lines("element (2, 1) is +Inf"+finite, evd.Tridiagonal[float64]{D: []float64{1, 2, 3}, E: []float64{1, math.Inf(1)}})
	add("option x: number 1 to count below is NaN", func() error { _, err := three.CountBelow(ctx, of, math.Inf(1), math.NaN()); return err })
	add(noVectors, func() error { _, err := three.Check(ctx, of, &evd.Result[float64]{Values: thirds.Values}); return err })
	stagetest.Refusals(t, rows)

	rows = nil
	for _, p := range []interface{ Close() }{dense, values, over, three, refine, mixed} {
		p.Close()
		p.Close()
	}
	solves("the plan is closed", matrix())
	lines("the plan is closed", of)
	stagetest.Refusals(t, rows)
}

// TestRefusalsOfDevices compares the texts for devices that do not compute in double precision, and
// for devices that cannot share a plan.
func TestRefusalsOfDevices(t *testing.T) {
	single, whole, dry := singleOnly(t), device(t, vk.Options{}), vk.Dry(dryInfo)
	name := single.Info().Name
	lacks := name + ": shaderFloat64: needs yes, has no: this device computes in single precision only; "
	const alone = "plans for float32 work there (vkevd solve --precision f32)"
	const shared = "it cannot share a solve with other devices"
	on := fmt.Sprintf("device %d, %s: ", single.Info().Index, name)
	stagetest.Refusals(t, []stagetest.Refusal{
		{Text: lacks + alone, Call: func() error { _, err := evd.NewPlan[float64](single, 4, evd.Options{}); return err }},
		{Text: lacks + alone, Call: func() error { _, err := evd.NewTridiagonalPlan[float64](single, 4, evd.Options{}); return err }},
		{Text: lacks + alone, Call: func() error { _, err := evd.NewRefinePlan[float64](single, 4, evd.Options{}); return err }},
		{Text: lacks + alone, Call: func() error { _, err := evd.NewMixedPlan[float64](single, 4, evd.Options{}); return err }},
		{Text: on + lacks + shared, Call: func() error {
			_, err := evd.NewPlan[float32](whole, 4, evd.Options{Devices: []*vk.Device{single}})
			return err
		}},
		{Text: "option Devices: some devices are dry, and others are not", Call: func() error {
			_, err := evd.NewPlan[float64](whole, 4, evd.Options{Devices: []*vk.Device{dry}})
			return err
		}},
		{Text: "option Devices: some devices are dry, and others are not", Call: func() error {
			_, err := evd.NewPlan[float64](dry, 4, evd.Options{Devices: []*vk.Device{whole}})
			return err
		}},
	})
}

// TestRotationsInAClusterLeaveAnError refines the vectors of a close pair of eigenvalues. Both
// vectors are rotated by 45° in their plane, and one of them has an error of 10⁻⁸ towards the
// vector of a far eigenvalue. The first step corrects this, and leaves an error of 10⁻⁸ times the
// coupling in the pair, so there must be a second step.
func TestRotationsInAClusterLeaveAnError(t *testing.T) {
	const n = 6
	a := evd.Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n)}
	q := evd.Dense[float64]{Rows: n, Cols: n, Ld: n, Data: make([]float64, n*n)}
	for i := range n {
		a.Data[i+i*n], q.Data[i+i*n] = float64(i), 1
	}
	a.Data[1+n] = 1e-3
	c := math.Sqrt(0.5)
	q.Data[0], q.Data[1], q.Data[n], q.Data[1+n] = c, c, -c, c
	q.Data[3] = 1e-8
	p, err := evd.NewRefinePlan[float64](device(t, vk.Options{}), n, evd.Options{Tuning: small(), Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := p.Refine(context.Background(), a, q)
	if err != nil || res.Refinement.Cold != "" || res.Refinement.Steps != 2 || res.Refinement.Clusters != 1 || res.Refinement.Largest != 2 {
		t.Fatalf("%+v, %v", res.Refinement, err)
	}
	t.Logf("%+v", res.Refinement)
	for k, want := range []float64{0, 1e-3, 2, 3, 4, 5} {
		if !(math.Abs(res.Values[k]-want) <= 1e-14) {
			t.Errorf("value %d is %g", k, res.Values[k])
		}
	}
}

// TestErrorTexts compares the texts of errors that no healthy device causes.
func TestErrorTexts(t *testing.T) {
	c, bad := &evd.Certificate{Ratios: evd.Ratios{Residual: 1.25, Orthogonality: 2.5}, Counts: 3.75, Invariants: 5}, &evd.Certificate{Counts: 99}
	for want, err := range map[string]error{
		"the interval holds 7 values, at most 5 were expected": &evd.TooManyError{Found: 7, AtMost: 5},
		"no result can be verified: residual 1.25, orthogonality 2.5, Sturm counts 3.75, invariants 5; on the safe path: residual 0, orthogonality 0, Sturm counts 99, invariants 0; each must be below 60": &evd.UnverifiedError{First: c, Safe: bad},
		"no result can be verified: no result; on the safe path: residual 0, orthogonality 0, Sturm counts 99, invariants 0; each must be below 60":                                                         &evd.UnverifiedError{Safe: bad},
		"eigenvalue 3 is beyond the largest float64, and is −Inf in the result, and so are others, 2 in all (indices from 0)":                                                                               &evd.OverflowError{Index: 3, Count: 2, Negative: true},
		"singular value 0 is beyond the largest float32, and is +Inf in the result (indices from 0)":                                                                                                        &evd.OverflowError{Count: 1, Singular: true, Single: true},
		"order 3 with 1 off-diagonal elements": &evd.ShapeError{N: 3, Len: 1, Tridiagonal: true},
	} {
		if got := err.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, got := range map[string]string{
		"the vectors are not near to orthonormal eigenvectors": evd.ColdFar,
		"too many eigenvalues are in one cluster":              evd.ColdCluster,
		"the iteration does not converge":                      evd.ColdSteps,
		"the refined result does not pass its certificate":     evd.ColdCertificate,
		"the solve in single precision failed":                 evd.ColdSingle,
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := c.String(), "residual 1.25, orthogonality 2.5, Sturm counts 3.75, invariants 5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
