package svd

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/bidiagonal"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// hosted implements doubles for float32 on a device without double precision. The host converts the
// bidiagonal matrix C to doubles, finds its values and vectors, converts the vectors to single
// precision, and uploads them.
type hosted struct {
	singleMemory
	receiverOnHost[float32]
}

func newHosted(of shape) *hosted { return &hosted{singleMemory: newSingleMemory(of)} }

func (*hosted) wide() *vk.Layout { return vk.Together() }

// products returns no products, because the host has its own.
func (*hosted) products(*vk.Device, product.Ops[float32], tuning.Tuning) (product.Ops[float64], error) {
	return nil, nil
}

func (*hosted) extra() *vk.Layout { return vk.Together() }

func (h *hosted) bidiagonalVectors(_ *vk.Device, n int, _ product.Ops[float64], _ tuning.Tuning) (bidiagonalVectors, error) {
	return divideConquerOnHost{h, n, hostLeaf}, nil
}

// iteration is QR iteration: divide and conquer with a single leaf.
func (h *hosted) iteration(_ *vk.Device, n int, _ bidiagonalVectors) bidiagonalVectors {
	return divideConquerOnHost{h, n, n}
}

func (h *hosted) receive(rec *vk.Recorder, ws *vk.Arena, gk *spectrum.Stage) func() spectrum.Tridiagonal {
	return h.receiverOnHost.receive(rec, ws, h.e.In(ws), gk)
}

// conquered returns matrices that have only a shape, because the host has the vectors.
func (*hosted) conquered(_ *vk.Arena, _ side, k, n int) stages.Matrix {
	return stages.Matrix{Rows: k, Cols: n, Ld: k}
}

func (*hosted) narrow(*vk.Recorder, *vk.Arena, side, stages.Matrix) {}

// hostLeaf is the largest order of a leaf of divide and conquer on the host.
const hostLeaf = 32

// divideConquerOnHost is divide and conquer on the host, for matrices of order n. It uploads the vectors to
// the memory of `to`.
type divideConquerOnHost struct {
	to      *hosted
	n, leaf int
}

func (divideConquerOnHost) Work() *vk.Layout { return vk.Together() }

// Flops is the number of operations without deflation.
func (s divideConquerOnHost) Flops() float64 { n := float64(s.n); return 8.0 / 3 * n * n * n }

func (s divideConquerOnHost) solve(c *plan.Call, d, e []float64, from, to int, x [2]stages.Matrix) error {
	host := bidiagonal.NewHost(s.n)
	host.Wanted = [2]bool{bidiagonal.Left: x[left].Ld > 0, bidiagonal.Right: x[right].Ld > 0}
	err := c.OnHost(stages.PhaseBidiagonal, func(w *plan.HostWork) error {
		host.Stop, host.Progress = w.Stop, w.Progress
		_, err := bidiagonal.SolveWith(host, d, e, bidiagonal.Options{LeafSize: s.leaf, From: from, To: to})
		return err
	})
	if err != nil {
		return plan.NotConverged(err, stages.PhaseBidiagonal)
	}
	for of, vectors := range [2][]float64{left: host.Result(bidiagonal.Left), right: host.Result(bidiagonal.Right)} {
		if x[of].Ld == 0 {
			continue
		}
		rows := spectrum.Transposed[float32](s.n, vectors)
		if err := vk.Upload(c.Ctx, c.Dev, s.to.vectors(c.Arena, side(of)), rows); err != nil {
			return plan.During(stages.PhaseNarrow, err)
		}
	}
	return nil
}
