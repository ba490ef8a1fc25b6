// Package accuracy, internal to vkevd, measures the errors of the reduction of bands to bidiagonal
// form in double, single and half precision (package svd, BandPlan). It repeats the experiment of
//
//	E. Ringoot, R. Alomairy, A. Edelman: Memory-Aware Bulge-Chasing on GPUs, 2025, Figure 4
//
// A trial is one matrix A = U·Σ·Vᵀ with known singular values Σ and random orthogonal U and V. A is
// reduced to bands of several widths in double precision. Each band is reduced to bidiagonal form in
// each of the precisions, and the singular values σ̂ of the bidiagonal matrix are computed in double
// precision. The error is ‖σ̂ − σ‖ / ‖σ‖.
package accuracy

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Options say what to measure: each order, with each width of a band, each spectrum, each storage,
// and several random matrices.
type Options struct {
	// Orders are the orders n of the matrices, and Bands the numbers of superdiagonals. A Band of n
	// or more is left out for matrices of order n. All must be positive.
	Orders, Bands []int

	Storages []svd.Storage     // formats in which the band is stored; empty means all formats
	Trials   int               // random matrices of each spectrum, at least 1
	Seed     uint64            // matrices of the same seed, order, spectrum and trial are the same
	Tile     int               // most superdiagonals that one pass removes; 0 means that of the tuning table
	Tuning   *tuning.Tuning    // replaces the device's tuning table, unless it is nil
	Progress func(what string) // is called before each trial with a description, unless it is nil
}

// OptionError says that an option has an impossible value.
type OptionError struct{ Option, Problem string }

func (e *OptionError) Error() string { return e.Option + ": " + e.Problem }

// Check returns an *OptionError for the first option with an impossible value.
func (o Options) Check() error {
	switch {
	case len(o.Orders) == 0:
		return &OptionError{"Orders", "no order of matrices to measure with"}
	case len(o.Bands) == 0:
		return &OptionError{"Bands", "no width of a band to measure with"}
	case o.Trials < 1:
		return &OptionError{"Trials", "must be positive"}
	case o.Tile < 0:
		return &OptionError{"Tile", "must not be negative"}
	case slices.ContainsFunc(o.Storages, func(s svd.Storage) bool { return s < svd.Double || s > svd.Half }):
		return &OptionError{"Storages", "must be Double, Single or Half"}
	}
	switch n, b := slices.Min(o.Orders), slices.Min(o.Bands); {
	case n < 2:
		return &OptionError{"Orders", fmt.Sprintf("%d is too small, at least 2", n)}
	case b < 1:
		return &OptionError{"Bands", fmt.Sprintf("%d is too small, at least 1", b)}
	case b >= n:
		return &OptionError{"Bands", fmt.Sprintf("no band is narrower than the matrices of order %d", n)}
	}
	return nil
}

// Row is the error of one band in one precision.
type Row struct {
	Device    string  `json:"device"`
	Driver    string  `json:"driver"`
	N         int     `json:"n"`
	B         int     `json:"b"`         // superdiagonals of the band
	Passes    []int   `json:"passes"`    // superdiagonals before and after each narrowing pass
	Precision string  `json:"precision"` // double, single or half
	Spectrum  string  `json:"spectrum"`
	Trial     int     `json:"trial"` // from 0
	Seed      uint64  `json:"seed"`
	Error     float64 `json:"error"`   // ‖σ̂ − σ‖ / ‖σ‖
	Seconds   float64 `json:"seconds"` // of the solve of the band, by the clock on the wall
}

// Run measures on one device. It calls `add` with each row as soon as it is measured, and stops at
// the first error of `add`. The error is an *OptionError, that of a plan, ctx.Err(), or that of
// `add`. A device that cannot store numbers of a format gives a *vk.UnsupportedError before anything
// is measured.
func Run(ctx context.Context, dev *vk.Device, opt Options, add func(Row) error) error {
	if err := opt.Check(); err != nil {
		return err
	}
	if len(opt.Storages) == 0 {
		opt.Storages = []svd.Storage{svd.Double, svd.Single, svd.Half}
	}
	r := &run{dev: dev, opt: opt, tune: tuning.On(dev.Info()), add: add}
	if opt.Tuning != nil {
		r.tune = *opt.Tuning
	}
	for _, s := range opt.Storages { // an unsupported format must not be found after hours
		p, err := svd.NewBandPlan[float64](dev, 0, 1, svd.BandOptions{Storage: s})
		if err != nil {
			return err
		}
		p.Close()
	}
	for _, n := range opt.Orders {
		if err := r.order(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

type run struct {
	dev  *vk.Device
	opt  Options
	tune tuning.Tuning
	add  func(Row) error
}

func (r *run) order(ctx context.Context, n int) error {
	s, err := newSource(r.dev, n, r.tune)
	if err != nil {
		return err
	}
	defer s.free()
	for trial := range r.opt.Trials {
		for _, of := range Spectra {
			if r.opt.Progress != nil {
				r.opt.Progress(fmt.Sprintf("n = %d, %v spectrum, trial %d of %d", n, of, trial+1, r.opt.Trials))
			}
			sigma := of.Values(n)
			random := rand.New(rand.NewPCG(r.opt.Seed, uint64(n)<<32|uint64(of)<<24|uint64(trial)))
			a, err := s.make(ctx, sigma, random)
			if err != nil {
				return err
			}
			row := Row{
				Device: r.dev.Info().Name, Driver: r.dev.Info().Driver + " " + r.dev.Info().DriverVersion,
				N: n, Spectrum: of.String(), Trial: trial, Seed: r.opt.Seed,
			}
			for _, b := range r.opt.Bands {
				if b >= n {
					continue
				}
				if err := r.band(ctx, a, b, sigma, row); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// band measures the matrix a, reduced to a band with b superdiagonals, in each precision.
func (r *run) band(ctx context.Context, a stages.Matrix, b int, sigma []float64, row Row) error {
	reducer, err := newReducer(r.dev, len(sigma), b, r.tune)
	if err != nil {
		return err
	}
	defer reducer.free()
	band, err := reducer.reduce(ctx, a)
	if err != nil {
		return err
	}
	for _, storage := range r.opt.Storages {
		row.B, row.Precision = b, storage.String()
		if err := r.solve(ctx, band, storage, sigma, &row); err != nil {
			return err
		}
		if err := r.add(row); err != nil {
			return err
		}
	}
	return nil
}

// solve computes the singular values of a band, and sets the measured fields of the row.
func (r *run) solve(ctx context.Context, band svd.Band[float64], storage svd.Storage, sigma []float64, row *Row) error {
	opt := svd.BandOptions{Storage: storage, Tile: r.opt.Tile, Tuning: r.opt.Tuning}
	p, err := svd.NewBandPlan[float64](r.dev, band.N, band.B, opt)
	if err != nil {
		return err
	}
	defer p.Close()
	began := time.Now()
	res, err := p.Solve(ctx, band)
	if err != nil {
		return err
	}
	row.Seconds, row.Passes, row.Error = time.Since(began).Seconds(), p.Passes(), relative(res.Values, sigma)
	return nil
}

// relative returns ‖got − want‖ / ‖want‖.
func relative(got, want []float64) float64 {
	difference, norm := 0.0, 0.0
	for i, x := range want {
		difference += (got[i] - x) * (got[i] - x)
		norm += x * x
	}
	return math.Sqrt(difference / norm)
}

// Spectrum is a distribution of singular values in [0, 1].
type Spectrum int

const (
	Arithmetic    Spectrum = iota // equal distances: 1, 1 − 1/n, …, 1/n
	Logarithmic                   // equal ratios, from 1 down to 10^−Decades
	QuarterCircle                 // as of a large random matrix, with the density 4/π·√(1 − x²)
)

// Spectra lists all distributions.
var Spectra = []Spectrum{Arithmetic, Logarithmic, QuarterCircle}

// String returns the name of the distribution.
func (s Spectrum) String() string {
	if s < Arithmetic || s > QuarterCircle {
		return fmt.Sprintf("Spectrum(%d)", int(s))
	}
	return [...]string{"arithmetic", "logarithmic", "quarter-circle"}[s]
}

const Decades = 4 // from the largest to the smallest value of a Logarithmic spectrum

// Values returns n singular values in descending order, n ≥ 1.
func (s Spectrum) Values(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		switch s {
		case Arithmetic:
			values[i] = 1 - float64(i)/float64(n)
		case Logarithmic:
			values[i] = math.Pow(10, -Decades*float64(i)/float64(max(n-1, 1)))
		default:
			values[i] = quarterCircle((float64(n-i) - 0.5) / float64(n))
		}
	}
	return values
}

// quarterCircle returns the x in [0, 1] below which the part p of the values lies: the root of
// 2/π·(x·√(1 − x²) + asin x) = p, by bisection.
func quarterCircle(p float64) float64 {
	low, high := 0.0, 1.0
	for {
		x := (low + high) / 2
		if x == low || x == high {
			return x
		}
		if 2/math.Pi*(x*math.Sqrt(1-x*x)+math.Asin(x)) < p {
			low = x
		} else {
			high = x
		}
	}
}

// Quartiles are the quartiles of some errors, and the smallest and the largest error.
type Quartiles struct{ Least, Lower, Median, Upper, Most float64 }

// QuartilesOf returns the quartiles of at least one number. Between two neighbouring numbers it
// interpolates linearly.
func QuartilesOf(errors []float64) Quartiles {
	x := slices.Sorted(slices.Values(errors))
	at := func(p float64) float64 {
		place := p * float64(len(x)-1)
		i := min(int(place), max(len(x)-2, 0))
		if len(x) == 1 {
			return x[0]
		}
		return x[i] + (place-float64(i))*(x[i+1]-x[i])
	}
	return Quartiles{x[0], at(0.25), at(0.5), at(0.75), x[len(x)-1]}
}

// source makes dense matrices of order n with known singular values on the device.
type source struct {
	dev       *vk.Device
	n         int
	ops       product.Ops[float64]
	qr        *panel.TallQR[float64]
	apply     *back.ApplyPanels[float64]
	transpose *move.Transpose[float64]

	// g holds a random matrix and then its reflectors, r the triangle of its QR factorisation, and
	// `factors` the factors T of its panels. x and y hold the matrix that is made.
	g, r, factors, x, y vk.Region[float64]
	arena               *vk.Arena
}

// alone forbids workgroups to wait for each other, so that no stage can fail.
var alone = stages.Waiting{}

// newSource allocates device memory, which the caller frees.
func newSource(dev *vk.Device, n int, t tuning.Tuning) (s *source, err error) {
	b := min(t.Band, n)
	s = &source{dev: dev, n: n}
	if s.ops, err = product.New[float64](dev, t.Products); err != nil {
		return nil, err
	}
	if s.qr, err = panel.NewTallQR(dev, n, n, b, s.ops, alone, t.Panel); err != nil {
		return nil, err
	}
	size := back.PanelsSize{Rows: n, Cols: n, B: b, M: n}
	if s.apply, err = back.NewApplyPanels(dev, stages.PhaseApplyQ0, size, s.ops, t.Panel); err != nil {
		return nil, err
	}
	if s.transpose, err = move.NewTranspose[float64](dev); err != nil {
		return nil, err
	}
	square := func(name string) vk.Region[float64] { return vk.Reserve[float64](name, n*n) }
	s.g, s.r, s.x, s.y = square("G"), square("R"), square("X"), square("Xᵀ")
	s.factors = vk.Reserve[float64]("T", s.qr.Panels()*b*b)
	work := vk.InTurn(s.qr.Work(), s.apply.Work())
	s.arena, err = dev.NewArena(vk.Together(s.g, s.r, s.x, s.y, s.factors, s.ops.Work(), s.qr.Status(), work))
	return s, err
}

func (s *source) free() { s.arena.Close() }

// make makes A = U·diag(sigma)·Vᵀ on the device and returns it. U and V are the orthogonal factors of
// two matrices with normally distributed entries, so they are uniformly distributed.
func (s *source) make(ctx context.Context, sigma []float64, random *rand.Rand) (stages.Matrix, error) {
	n, ws := s.n, s.arena
	packed := func(r vk.Region[float64]) stages.Matrix { return stages.NewMatrix(r.In(ws), n, n, n) }
	diagonal := make([]float64, n*n)
	for i, x := range sigma {
		diagonal[i+i*n] = x
	}
	if err := vk.Upload(ctx, s.dev, s.x.In(ws), square(n, diagonal)); err != nil {
		return stages.Matrix{}, err
	}
	// ApplyPanels keeps its vectors as rows. The first product makes Σ·Uᵀ in place of Σ. The rows of
	// its transpose U·Σ are the vectors of the second product, which makes U·Σ·Vᵀ.
	for _, to := range []stages.Matrix{packed(s.x), packed(s.y)} {
		g := make([]float64, n*n)
		for i := range g {
			g[i] = random.NormFloat64()
		}
		if err := vk.Upload(ctx, s.dev, s.g.In(ws), square(n, g)); err != nil {
			return stages.Matrix{}, err
		}
		rec := vk.NewRecorder(s.dev)
		s.qr.Record(rec, ws, packed(s.g), packed(s.r), s.factors.In(ws))
		s.apply.Record(rec, ws, packed(s.g), s.factors.In(ws), to)
		if to.At == s.x.In(ws) {
			s.transpose.Record(rec, packed(s.x), packed(s.y))
		}
		if _, err := s.dev.Run(ctx, rec, nil); err != nil {
			return stages.Matrix{}, err
		}
	}
	return packed(s.y), nil
}

func square(n int, data []float64) vk.Columns[float64] {
	return vk.Columns[float64]{Rows: n, Cols: n, Ld: n, Data: data}
}

// reducer reduces dense matrices of order n to bands with b superdiagonals.
type reducer struct {
	dev         *vk.Device
	reduction   *reduce.GeneralBandReduction[float64]
	a, band     vk.Region[float64]
	left, right vk.Region[float64]
	arena       *vk.Arena
}

// newReducer allocates device memory, which the caller frees.
func newReducer(dev *vk.Device, n, b int, t tuning.Tuning) (*reducer, error) {
	ops, err := product.New[float64](dev, t.Products)
	if err != nil {
		return nil, err
	}
	b = min(b, n)
	size := reduce.GeneralSize{M: n, N: n, B: b, K: max(1, n/16/b) * b}
	r := &reducer{dev: dev}
	if r.reduction, err = reduce.NewGeneralBandReduction(dev, size, ops, ops, alone, t.Panel); err != nil {
		return nil, err
	}
	r.a, r.band = vk.Reserve[float64]("A", n*n), vk.Reserve[float64]("band", size.BandLen())
	r.left = vk.Reserve[float64]("T of Q1", size.LeftPanels()*b*b)
	r.right = vk.Reserve[float64]("T of P1", size.RightPanels()*b*b)
	r.arena, err = dev.NewArena(vk.Together(
		r.a, r.band, r.left, r.right, ops.Work(), r.reduction.Work(), r.reduction.Status()))
	return r, err
}

func (r *reducer) free() { r.arena.Close() }

// reduce returns the band of the matrix a, which is in device memory and is not changed.
func (r *reducer) reduce(ctx context.Context, a stages.Matrix) (svd.Band[float64], error) {
	ws, n, b := r.arena, r.reduction.N, r.reduction.B
	rec := vk.NewRecorder(r.dev)
	vk.Copy(rec, r.a.In(ws), a.At)
	r.reduction.Record(rec, ws, stages.NewMatrix(r.a.In(ws), n, n, n), r.band.In(ws), r.left.In(ws), r.right.In(ws))
	if _, err := r.dev.Run(ctx, rec, nil); err != nil {
		return svd.Band[float64]{}, err
	}
	data := make([]float64, r.band.Len())
	err := vk.Download(ctx, r.dev, vk.Vector(data), r.band.In(ws))
	// Entry (i, j) lies at i + j·(3b−1) + 2b−1, and in a svd.Band at b + i − j + j·Ld.
	return svd.Band[float64]{N: n, B: b, Ld: 3 * b, Data: data[b-1:]}, err
}
