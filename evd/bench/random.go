package bench

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// random fills device memory with random numbers. Each dispatch uses a new seed, and so makes other
// numbers. Its kernels are
//
//	fill        fills a matrix or a compact band
//	trapezoid   makes reflectors as a band reduction stores them: unit lower trapezoids, and their τ
//	sweeps      makes reflectors as bulge chasing stores them, and their τ
type random struct {
	fill      *vk.Kernel[shaders.RandomFillSpec, shaders.RandomFillPush[float64]]
	trapezoid *vk.Kernel[shaders.RandomTrapezoidSpec, shaders.RandomTrapezoidPush[float64]]
	sweeps    *vk.Kernel[shaders.RandomSweepsSpec, shaders.RandomSweepsPush[float64]]

	seed uint32
}

// randomThreads is the size of a workgroup.
const randomThreads = 128

// newRandom builds the kernels. The first seed is 1 for each Bench, so that two equal Benches
// measure equal matrices.
func newRandom(dev *vk.Device) (r *random, err error) {
	r = &random{}
	if r.fill, err = vk.Build(dev, shaders.RandomFill[float64](), shaders.RandomFillSpec{LocalSize: randomThreads}); err != nil {
		return nil, err
	}
	if r.trapezoid, err = vk.Build(dev, shaders.RandomTrapezoid[float64](), shaders.RandomTrapezoidSpec{LocalSize: randomThreads}); err != nil {
		return nil, err
	}
	r.sweeps, err = vk.Build(dev, shaders.RandomSweeps[float64](), shaders.RandomSweepsSpec{LocalSize: randomThreads})
	return r, err
}

func (r *random) next() uint32 {
	r.seed++
	return r.seed
}

func (r *random) matrix(rec *vk.Recorder, x stages.Matrix) { r.until(rec, x, x.Rows+x.Cols) }

// band makes a random compact band, in the storage of package stages.
func (r *random) band(rec *vk.Recorder, band vk.Slice[float64], n, b int) {
	vk.Fill(rec, band, 0)
	r.until(rec, stages.NewMatrix(band, min(b+1, 2*b), n, 2*b), n)
}

// until fills x with random numbers, uniform in [−1, 1), except the elements (i, j) with i + j ≥
// `end`, which become zero.
func (r *random) until(rec *vk.Recorder, x stages.Matrix, end int) {
	r.fill.Dispatch(rec, vk.Folded(vk.Tiles(x.Rows, randomThreads)*x.Cols), shaders.RandomFillPush[float64]{
		X: x.Addr(), End: uint64(end), Rows: uint32(x.Rows), Cols: uint32(x.Cols), Ld: uint32(x.Ld), Seed: r.next(),
	})
}

// reflectors makes random Householder reflectors as a band reduction stores its Y and τ.
func (r *random) reflectors(rec *vk.Recorder, y stages.Matrix, tau vk.Slice[float64], b int) {
	r.trapezoid.Dispatch(rec, vk.Folded(y.Cols), shaders.RandomTrapezoidPush[float64]{
		Y: y.Addr(), Tau: tau.Addr(), N: uint32(y.Rows), B: uint32(b), Ld: uint32(y.Ld), Seed: r.next(),
	})
}

// chased makes random Householder reflectors of bulge chasing: vectors in `v`, factors in `tau`.
func (r *random) chased(rec *vk.Recorder, v, tau vk.Slice[float64], n, b int) {
	sweeps := max(0, n-2)
	groups := vk.Tiles(vk.Tiles(n-1, uint32(b)), randomThreads)
	r.sweeps.Dispatch(rec, vk.Folded(groups*sweeps), shaders.RandomSweepsPush[float64]{
		V: v.Addr(), Tau: tau.Addr(), N: uint32(n), B: uint32(b), Sweeps: uint32(sweeps), Seed: r.next(),
	})
}

// upperBand makes a random upper band of order n with b superdiagonals. A column has `height`
// elements, of which the one on the outermost diagonal has the index `first`.
func (r *random) upperBand(rec *vk.Recorder, band vk.Slice[float64], n, b, first, height int) {
	vk.Fill(rec, band, 0)
	x := stages.NewMatrix(band.From(first), b+1, n, height) // entry (i, j) of the band is (i−j+b, j) of x
	r.until(rec, x, x.Rows+x.Cols)
	for j := range min(b, n) { // above the first row
		vk.Fill(rec, band.Sub(first+j*height, b-j), 0)
	}
}
