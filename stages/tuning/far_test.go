package tuning_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// farLd is the largest leading dimension that a Matrix may have and that keeps its columns aligned.
const farLd = product.MostLd - 8

// farArena allocates a matrix of farLd rows with 330, 165 or 31 columns, the largest number for
// which the device has memory. With 330 columns its end is past 2³² elements (41 GiB). With 31
// columns its end is past 2³¹ bytes, which is the largest buffer of the CPU driver.
func farArena(t *testing.T, d *vk.Device) stages.Matrix {
	t.Helper()
	for _, cols := range []int{330, 165, 31} {
		at := vk.Reserve[float64]("far", farLd*cols)
		layout := vk.Together(at)
		if _, free := d.Memory(); layout.Bytes() > free/2 { // other processes may need memory, too
			continue
		}
		ws, err := d.NewArena(layout)
		var oom *vk.OutOfMemoryError
		if errors.As(err, &oom) {
			t.Log(err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(ws.Close)
		return stages.NewMatrix(at.In(ws), farLd, cols, farLd)
	}
	t.Skip("not enough device memory")
	return stages.Matrix{}
}

// TestAtTheFarEnd runs stages on blocks near the end of a huge matrix, where offsets are largest.
// The results must have the same bits as the results for a small matrix of its own.
func TestAtTheFarEnd(t *testing.T) {
	const n = 24
	d := stagetest.Device(t)
	far := farArena(t, d)
	chain := newReductionAndBack(t, d, n)
	near := vk.Reserve[float64]("near", 3*n*n)
	ws := stagetest.Arena(t, d, vk.Together(near))
	alone := func(k int) stages.Matrix { return stages.NewMatrix(near.In(ws).Sub(k*n*n, n*n), n, n, n) }
	last := func(k int) stages.Matrix { return far.Block(farLd-(k+1)*n, far.Cols-n, n, n) }
	want := chain.run(t, alone(0), alone(1), alone(2))
	got := chain.run(t, last(0), last(1), last(2))
	for i, what := range []string{"reflectors and band", "vectors, transposed", "vectors"} {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("%s: other bits", what)
		}
	}
	t.Logf("%d columns: elements up to %d", far.Cols, farLd*far.Cols)
}

// reductionAndBack is a band reduction A → B with the first back transformation. The back
// transformation is applied to the identity, so that it forms Q1.
type reductionAndBack struct {
	dev       *vk.Device
	n         int
	load      *move.SymmetricLoad[float64]
	band      *reduce.BandReduction[float64]
	q1        *back.ApplyQ1[float64]
	transpose *move.Transpose[float64]
	signs     *move.Signs[float64]
	b, t      vk.Region[float64]
	ws        *vk.Arena
}

func newReductionAndBack(t *testing.T, d *vk.Device, n int) *reductionAndBack {
	t.Helper()
	tune := tuning.Smallest()
	ops, err := product.New[float64](d, tune.Products)
	errs := []error{err}
	keep := func(err error) { errs = append(errs, err) }
	c := &reductionAndBack{dev: d, n: n}
	c.load, err = move.NewSymmetricLoad[float64](d)
	keep(err)
	c.band, err = reduce.NewBandReduction(d, reduce.BandSize{N: n, B: tune.Band, K: tune.Block}, ops, waiting(t, d, tune), tune.Panel)
	keep(err)
	c.q1, err = back.NewApplyQ1(d, back.Size{N: n, B: tune.Band, M: n}, ops, tune.Panel)
	keep(err)
	c.transpose, err = move.NewTranspose[float64](d)
	keep(err)
	c.signs, err = move.NewSigns[float64](d)
	keep(err)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	c.b, c.t = vk.Reserve[float64]("band", 2*tune.Band*n), vk.Reserve[float64]("T", c.band.Panels()*tune.Band*tune.Band)
	c.ws = stagetest.Arena(t, d, vk.Together(c.b, c.t, ops.Work(), vk.InTurn(c.band.Work(), c.q1.Work())))
	return c
}

// run reduces a random matrix in a. It forms Q1, transposed in x and not transposed in z, and
// returns the final contents of a, x and z.
func (c *reductionAndBack) run(t *testing.T, a, x, z stages.Matrix) (found [3][]float64) {
	t.Helper()
	column := func(m stages.Matrix, j int) vk.Slice[float64] { return m.At.Sub(j*m.Ld, m.Rows) }
	in := stagetest.Normal(c.n, c.n, c.n, 1)
	for j := range c.n {
		unit := make([]float64, c.n)
		unit[j] = 1
		stagetest.Put(t, c.dev, column(a, j), in.Data[j*c.n:(j+1)*c.n])
		stagetest.Put(t, c.dev, column(x, j), unit)
	}
	rec := vk.NewRecorder(c.dev)
	c.load.Record(rec, a, move.Triangle{}, 0.5)
	c.band.Record(rec, c.ws, a, c.b.In(c.ws), c.t.In(c.ws))
	c.q1.Record(rec, c.ws, a, c.t.In(c.ws), x)
	c.transpose.Record(rec, x, z)
	c.signs.Record(rec, z)
	if _, err := c.dev.Run(context.Background(), rec, nil); err != nil {
		t.Fatal(err)
	}
	for i, m := range []stages.Matrix{a, x, z} {
		for j := range c.n {
			found[i] = append(found[i], stagetest.Get(t, c.dev, column(m, j))...)
		}
	}
	return found
}
