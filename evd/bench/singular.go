package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/stages"
	chases "github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// The measurements in this file are for singular values of n×n matrices. In these measurements, b
// is the number of superdiagonals of the intermediate band, and k is the rank of the updates. If
// Options give no ranks, k is the rank that package svd chooses for the order.

// newGe2tb prepares the measurement of the reduction of a dense matrix to an upper band. Bytes are
// those that the method must move: each panel of b columns reads the trailing matrix twice, and
// each block of k columns reads and writes it once.
func newGe2tb(b *Bench, s sizes, t tuning.Tuning) *load {
	forecast := must(b.singular(vk.Dry(b.dev.Info()), s, svd.Options{Tuning: &t}))
	ops := b.products(t)
	waiting := b.waiting(t)
	width := forecast.Band()
	size := reduce.GeneralSize{M: s.n, N: s.n, B: width, K: forecast.Block()}
	reduction := must(reduce.NewGeneralBandReduction(b.dev, size, ops, ops, waiting, t.Panel))
	ra, a := packed("A", s.n, s.n)
	band := vk.Reserve[float64]("band", size.BandLen())
	left := vk.Reserve[float64]("T of Q1", size.LeftPanels()*width*width)
	right := vk.Reserve[float64]("T of P1", size.RightPanels()*width*width)
	n := float64(s.n)
	return &load{
		row:     Row{B: width, K: size.K},
		flops:   reduction.Flops(),
		bytes:   realBytes * n * n * n / 3 * 2 * (1/float64(width) + 1/float64(size.K)),
		layout:  vk.Together(ra, band, left, right, ops.Work(), reduction.Work(), reduction.Status()),
		prepare: b.fills(a),
		record: func(rec *vk.Recorder, ws *vk.Arena) {
			reduction.Record(rec, ws, a(ws), band.In(ws), left.In(ws), right.In(ws))
		},
		infos:  reduction.Infos,
		result: band,
	}
}

// newTb2bd prepares the measurement of the reduction of an upper band to bidiagonal form, without
// storing reflectors. The counted bytes are the band once.
func newTb2bd(b *Bench, s sizes, t tuning.Tuning) *load {
	waiting := b.waiting(t)
	chase := must(chases.NewBidiagonalChasing[float64](b.dev, chases.Size{N: s.n, B: s.b}, waiting, t.Chase))
	size := reduce.GeneralSize{M: s.n, N: s.n, B: s.b, K: s.b}
	band, c := vk.Reserve[float64]("band", size.BandLen()), vk.Reserve[float64]("C", 2*s.n-1)
	return &load{
		row:    Row{B: s.b},
		flops:  chase.Flops(),
		bytes:  realBytes * float64(s.b+1) * float64(s.n),
		layout: vk.Together(band, c, chase.Work()),
		prepare: func(rec *vk.Recorder, ws *vk.Arena) {
			b.random.upperBand(rec, band.In(ws), s.n, s.b)
		},
		record: func(rec *vk.Recorder, ws *vk.Arena) {
			none := stages.Reflectors[float64]{}
			chase.Record(rec, ws, band.In(ws), chases.GolubKahan(c.In(ws)), none, none)
		},
		info:   chase.Info,
		result: c,
	}
}

// upperBand records commands that make a random upper band of order n with b superdiagonals, in the
// storage of reduce.GeneralSize.
func (r *random) upperBand(rec *vk.Recorder, band vk.Slice[float64], n, b int) {
	vk.Fill(rec, band, 0)
	x := stages.NewMatrix(band.From(b-1), b+1, n, 3*b) // entry (i, j) of the band is (i−j+b, j) of x
	r.until(rec, x, x.Rows+x.Cols)
	for j := range min(b, n) { // above the first row
		vk.Fill(rec, band.Sub(b-1+j*3*b, b-j), 0)
	}
}

// gaussianBidiagonal returns the bidiagonal form of a random matrix with normally distributed
// entries: d_i has a χ distribution with n−i degrees of freedom, and e_i one with n−1−i. Divide and
// conquer deflates only few values of such a matrix.
func gaussianBidiagonal(n int) (d, e []float64) {
	source := rand.NewPCG(uint64(n), 1)
	chi := func(k int) float64 { return math.Sqrt(distuv.ChiSquared{K: float64(k), Src: source}.Rand()) }
	d, e = make([]float64, n), make([]float64, max(n-1, 0))
	for i := range d {
		d[i] = chi(n - i)
	}
	for i := range e {
		e[i] = chi(n - 1 - i)
	}
	return d, e
}

// newBdsdc prepares the measurement of divide and conquer of a bidiagonal matrix (LAPACK's dbdsdc),
// for all singular values and the vectors of both sides. The time includes the host's part.
func newBdsdc(b *Bench, s sizes, t tuning.Tuning) *load {
	ops := b.products(t)
	divide := must(stedc.NewBidiagonalConquer(b.dev, s.n, ops, t.Products, t.DivideConquer))
	d, e := gaussianBidiagonal(s.n)
	rs, st := packed("S", s.n, s.n)
	rw, wt := packed("W", s.n, s.n)
	n := float64(s.n)
	return &load{
		flops:  divide.Flops(),
		bytes:  realBytes * 2 * n * n,
		layout: vk.Together(rs, rw, divide.Work(), ops.Work()),
		run: func(ctx context.Context, ws *vk.Arena) (sample, error) {
			began := time.Now()
			_, profile, err := divide.Solve(ctx, ws, d, e, st(ws), wt(ws))
			return sample{profile.Total(), time.Since(began).Seconds(), profile}, err
		},
		result: rs,
	}
}

// singularSolve measures a whole solve of square matrices with the options opt.
func singularSolve(opt svd.Options) maker {
	return func(b *Bench, s sizes, t tuning.Tuning) *load {
		opt := opt
		opt.Tuning = &t
		return b.singularSolve(s, opt)
	}
}

func (b *Bench) singularSolve(s sizes, opt svd.Options) *load {
	// A plan for a dry device is only a forecast. It allocates no memory, which other measurements
	// may need.
	forecast := must(b.singular(vk.Dry(b.dev.Info()), s, opt))
	flops := 0.0
	for _, c := range forecast.Costs() {
		flops += c.Flops
	}
	n := float64(s.n)
	bytes := realBytes * n * n
	if opt.U != svd.None {
		bytes *= 3
	}
	return &load{
		row:    Row{B: forecast.Band(), K: forecast.Block()},
		flops:  flops,
		bytes:  bytes,
		layout: vk.Together(),
		run: func(ctx context.Context, _ *vk.Arena) (sample, error) {
			plan, err := b.singular(b.dev, s, opt)
			if err != nil {
				return sample{}, err
			}
			defer plan.Close()
			a := b.general(s.n)
			began := time.Now()
			res, err := plan.Solve(ctx, a)
			if err != nil {
				return sample{}, err
			}
			return sample{res.Profile.Total(), time.Since(began).Seconds(), res.Profile}, nil
		},
	}
}

func (b *Bench) singular(dev *vk.Device, s sizes, opt svd.Options) (*svd.Plan[float64], error) {
	if len(b.opt.Bands) > 0 { // otherwise the tuning of opt has the half-bandwidth
		opt.Band = s.b
	}
	if len(b.opt.Blocks) > 0 {
		opt.Block = s.k
	}
	return svd.NewPlan[float64](dev, s.n, s.n, opt)
}

// general returns a random matrix of order n, uniform in [−1, 1). The Bench keeps the matrix for
// the next solve of this order.
func (b *Bench) general(n int) evd.Dense[float64] {
	if b.dense.Rows != n {
		b.matrix = evd.Sym[float64]{} // the host may not hold both
		b.dense = evd.Dense[float64]{Rows: n, Cols: n, Ld: n, Data: uniform(n, func(int) int { return 0 })}
	}
	return b.dense
}
