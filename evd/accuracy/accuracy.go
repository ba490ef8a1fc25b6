// Package accuracy, internal to vkevd, measures the errors of the reduction of bands to bidiagonal
// form in double, single and half precision (package svd, BandPlan). It repeats the experiment of
//
//	E. Ringoot, R. Alomairy, A. Edelman: Memory-Aware Bulge-Chasing on GPUs, 2025, Figure 4
//
// A trial is one matrix A = U·Σ·Vᵀ with known singular values Σ and random orthogonal U and V. A is
// reduced to bands of several widths in double precision. Each band is reduced to bidiagonal form
// in each of the precisions, and the singular values σ̂ of the bidiagonal matrix are computed in
// double precision. The error is ‖σ̂ − σ‖ / ‖σ‖.
package accuracy

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Options say what Run measures. For each order, each spectrum and each trial, Run makes one random
// matrix. It measures each matrix with each width of the band and each storage format. All spectra
// are always measured.
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

type OptionError struct{ Option, Problem string }

func (e *OptionError) Error() string { return e.Option + ": " + e.Problem }

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
// `add`. A device that cannot store numbers of a format gives a *vk.UnsupportedError before
// anything is measured.
func Run(ctx context.Context, dev *vk.Device, opt Options, add func(Row) error) error {
	if err := opt.Check(); err != nil {
		return err
	}
	if len(opt.Storages) == 0 {
		opt.Storages = []svd.Storage{svd.Double, svd.Single, svd.Half}
	}
	if opt.Tuning == nil {
		table := tuning.On(dev.Info())
		opt.Tuning = &table
	}
	for _, s := range opt.Storages { // an unsupported format must not be found after hours
		p, err := svd.NewBandPlan[float64](dev, 0, 1, svd.BandOptions{Storage: s})
		if err != nil {
			return err
		}
		p.Close()
	}
	for _, n := range opt.Orders {
		for trial := range opt.Trials {
			for of := range Spectrum(len(spectra)) {
				if opt.Progress != nil {
					opt.Progress(fmt.Sprintf("n = %d, %v spectrum, trial %d of %d", n, of, trial+1, opt.Trials))
				}
				if err := opt.trial(ctx, dev, of, n, trial, add); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// trial measures one matrix, reduced to bands of all widths, in each format.
func (o Options) trial(ctx context.Context, dev *vk.Device, of Spectrum, n, trial int, add func(Row) error) error {
	sigma, info := of.Values(n), dev.Info()
	random := rand.New(rand.NewPCG(o.Seed, uint64(n)<<32|uint64(of)<<24|uint64(trial)))
	a, err := matrixOf(ctx, dev, sigma, random, *o.Tuning)
	if err != nil {
		return err
	}
	row := Row{Device: info.Name, Driver: info.Driver + " " + info.DriverVersion, N: n, Spectrum: of.String(), Trial: trial, Seed: o.Seed}
	for _, row.B = range o.Bands {
		if row.B >= n {
			continue
		}
		band, err := bandOf(ctx, dev, a, n, row.B, *o.Tuning)
		if err != nil {
			return err
		}
		for _, storage := range o.Storages {
			row.Precision = storage.String()
			if err := o.solve(ctx, dev, band, storage, sigma, &row); err != nil {
				return err
			}
			if err := add(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// solve computes the singular values of a band, and sets the measured fields of the row.
func (o Options) solve(ctx context.Context, dev *vk.Device, band svd.Band[float64], storage svd.Storage, sigma []float64, row *Row) error {
	p, err := svd.NewBandPlan[float64](dev, band.N, band.B, svd.BandOptions{Storage: storage, Tile: o.Tile, Tuning: o.Tuning})
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

func relative(got, want []float64) float64 {
	difference, norm := 0.0, 0.0
	for i, x := range want {
		difference += (got[i] - x) * (got[i] - x)
		norm += x * x
	}
	return math.Sqrt(difference / norm)
}

// alone forbids workgroups to wait for each other, so that no stage can fail.
var alone = stages.Waiting{}

// matrixOf makes A = U·diag(sigma)·Vᵀ on the device and returns its columns. U and V are the
// orthogonal factors of two matrices with normally distributed entries.
func matrixOf(ctx context.Context, dev *vk.Device, sigma []float64, random *rand.Rand, t tuning.Tuning) ([]float64, error) {
	n := len(sigma)
	b := min(t.Band, n)
	ops, err := product.New[float64](dev, t.Products)
	if err != nil {
		return nil, err
	}
	qr, err := panel.NewTallQR(dev, n, n, b, ops, alone, t.Panel)
	if err != nil {
		return nil, err
	}
	apply, err := back.NewApplyPanels(dev, stages.PhaseApplyQ0, back.PanelsSize{Rows: n, Cols: n, B: b, M: n}, ops, t.Panel)
	if err != nil {
		return nil, err
	}
	g, r, x := vk.Reserve[float64]("G", n*n), vk.Reserve[float64]("R", n*n), vk.Reserve[float64]("X", n*n)
	factors := vk.Reserve[float64]("T", qr.Panels()*b*b)
	ws, err := dev.NewArena(vk.Together(g, r, x, factors, ops.Work(), qr.Status(), vk.InTurn(qr.Work(), apply.Work())))
	if err != nil {
		return nil, err
	}
	defer ws.Close()
	packed := func(r vk.Region[float64]) stages.Matrix { return stages.NewMatrix(r.In(ws), n, n, n) }
	a, normal := make([]float64, n*n), make([]float64, n*n)
	for i, s := range sigma {
		a[i+i*n] = s
	}
	// ApplyPanels multiplies vectors by an orthogonal matrix. Its vectors are the rows of a matrix.
	// The first call turns the rows of Σ into those of Σ·Uᵀ. The transpose is U·Σ, whose rows the
	// second call turns into those of U·Σ·Vᵀ.
	for range 2 {
		for i := range n {
			for j := range i {
				a[i+j*n], a[j+i*n] = a[j+i*n], a[i+j*n]
			}
		}
		for i := range normal {
			normal[i] = random.NormFloat64()
		}
		if err := vk.Upload(ctx, dev, x.In(ws), vk.Vector(a)); err != nil {
			return nil, err
		}
		if err := vk.Upload(ctx, dev, g.In(ws), vk.Vector(normal)); err != nil {
			return nil, err
		}
		rec := vk.NewRecorder(dev)
		qr.Record(rec, ws, packed(g), packed(r), factors.In(ws))
		apply.Record(rec, ws, packed(g), factors.In(ws), packed(x))
		if _, err := dev.Run(ctx, rec, nil); err != nil {
			return nil, err
		}
		if err := vk.Download(ctx, dev, vk.Vector(a), x.In(ws)); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// bandOf reduces the dense matrix a of order n to a band with b superdiagonals.
func bandOf(ctx context.Context, dev *vk.Device, a []float64, n, b int, t tuning.Tuning) (band svd.Band[float64], err error) {
	ops, err := product.New[float64](dev, t.Products)
	if err != nil {
		return band, err
	}
	size := reduce.GeneralSize{M: n, N: n, B: b, K: max(1, n/16/b) * b}
	reduction, err := reduce.NewGeneralBandReduction(dev, size, ops, ops, alone, t.Panel)
	if err != nil {
		return band, err
	}
	dense, reduced := vk.Reserve[float64]("A", n*n), vk.Reserve[float64]("band", size.BandLen())
	left := vk.Reserve[float64]("T of Q1", size.LeftPanels()*b*b)
	right := vk.Reserve[float64]("T of P1", size.RightPanels()*b*b)
	ws, err := dev.NewArena(vk.Together(dense, reduced, left, right, ops.Work(), reduction.Work(), reduction.Status()))
	if err != nil {
		return band, err
	}
	defer ws.Close()
	if err := vk.Upload(ctx, dev, dense.In(ws), vk.Vector(a)); err != nil {
		return band, err
	}
	rec := vk.NewRecorder(dev)
	reduction.Record(rec, ws, stages.NewMatrix(dense.In(ws), n, n, n), reduced.In(ws), left.In(ws), right.In(ws))
	if _, err := dev.Run(ctx, rec, nil); err != nil {
		return band, err
	}
	data := make([]float64, reduced.Len())
	err = vk.Download(ctx, dev, vk.Vector(data), reduced.In(ws))
	// Entry (i, j) lies at i + j·(3b−1) + 2b−1, and in a svd.Band at b + i − j + j·Ld.
	return svd.Band[float64]{N: n, B: b, Ld: 3 * b, Data: data[b-1:]}, err
}

// Spectrum is a distribution of singular values in [0, 1].
type Spectrum int

const (
	Arithmetic    Spectrum = iota // equal distances: 1, 1 − 1/n, …, 1/n
	Logarithmic                   // equal ratios, from 1 down to 1e-4
	QuarterCircle                 // as of a large random matrix, with the density 4/π·√(1 − x²)
)

// spectra has the name of each distribution, and a function that returns the value with index i,
// counted from 0, of n values in descending order.
var spectra = [...]struct {
	name  string
	value func(i, n float64) float64
}{
	{"arithmetic", func(i, n float64) float64 { return 1 - i/n }},
	{"logarithmic", func(i, n float64) float64 { return math.Pow(10, -4*i/max(n-1, 1)) }},
	{"quarter-circle", func(i, n float64) float64 { return quarterCircle((n - i - 0.5) / n) }},
}

func (s Spectrum) String() string { return spectra[s].name }

func (s Spectrum) Values(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = spectra[s].value(float64(i), float64(n))
	}
	return values
}

// quarterCircle returns the x in [0, 1] for which the fraction p of all values of a quarter-circle
// distribution lies below x: the root of 2/π·(x·√(1 − x²) + asin x) = p, by bisection.
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

// A Cell is a place in a table or a picture of errors: the rows of one order, one width of the band
// and one precision.
type Cell struct {
	N, B      int
	Precision string
	Count     int // of rows
	Quartiles
}

// Cells summarises rows, ordered by n, b and precision.
func Cells(rows []Row) (cells []Cell) {
	of := map[Cell][]float64{}
	for _, r := range rows {
		c := Cell{N: r.N, B: r.B, Precision: r.Precision}
		if of[c] == nil {
			cells = append(cells, c)
		}
		of[c] = append(of[c], r.Error)
	}
	rank := map[string]int{}
	for s := svd.Double; s <= svd.Half; s++ {
		rank[s.String()] = int(s)
	}
	slices.SortFunc(cells, func(x, y Cell) int {
		return cmp.Or(cmp.Compare(x.N, y.N), cmp.Compare(x.B, y.B), cmp.Compare(rank[x.Precision], rank[y.Precision]))
	})
	for i, c := range cells {
		cells[i].Count, cells[i].Quartiles = len(of[c]), quartilesOf(of[c])
	}
	return cells
}

// Quartiles are the quartiles of some errors, and the smallest and the largest error.
type Quartiles struct{ Least, Lower, Median, Upper, Most float64 }

// quartilesOf returns the quartiles of at least one number. Between two neighbouring numbers it
// interpolates linearly.
func quartilesOf(errors []float64) Quartiles {
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
