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
