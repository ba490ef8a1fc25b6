package spectrum

import (
	"cmp"
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/refine"
	robust "github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Orthonormal measures how orthonormal computed eigenvectors are, and makes them more orthonormal
// if necessary. The vectors are the rows of a matrix X on the device. Let G be X·Xᴴ − I. The
// largest sum of the magnitudes in a column of G, divided by n·ulp, is the orthogonality of a
// certificate. To compute G takes about as long as a back transformation, so there are three steps,
// each with its own recording. Nearly all solves need only the first one.
//
//	probe     G·W for four columns W of random signs gives estimates of the 2-norms of the columns
//	          of G. No sum is larger than √m times the 2-norm
//	sums      of the four columns with the largest estimates
//	polar     X is replaced by the nearest matrix with orthonormal rows, if one of the sums is
//	          larger than loose·n·ulp
type Orthonormal[T spirv.Scalar] struct {
	stage *refine.Orthonormal[T]
	n     int
}

// loose is the largest sum, in units of n·ulp, that is good enough. The goal of all solves is 10.
// The columns with the largest estimates need not have the largest sums. In one measurement, the
// largest sum of all columns was 2.6 times as large as that of these columns.
const loose = 2.5

// NewOrthonormal prepares for up to m vectors of length n.
func NewOrthonormal[T spirv.Scalar](dev *vk.Device, n, m int, ops product.Ops[T]) (*Orthonormal[T], error) {
	stage, err := refine.NewOrthonormal(dev, n, m, ops)
	return &Orthonormal[T]{stage, n}, err
}

// Work is the workspace of RecordProbe and Correct.
func (o *Orthonormal[T]) Work() *vk.Layout { return o.stage.Work() }

// RecordProbe records the probe. After the recording has been executed, Correct must be called with
// the result.
func (o *Orthonormal[T]) RecordProbe(rec *vk.Recorder, ws *vk.Arena, x product.Matrix[T]) (coupled []T) {
	m := x.Rows
	w := make([]float64, m*refine.OrthonormalProbes)
	for i := range w {
		if w[i] = 1; robust.Negative(uint32(i%m), uint32(i/m)) {
			w[i] = -1
		}
	}
	return o.recordCouplings(rec, ws, x, w)
}

func (o *Orthonormal[T]) recordCouplings(rec *vk.Recorder, ws *vk.Arena, x product.Matrix[T], w []float64) []T {
	g := make([]T, len(w))
	vk.ReceiveLast(rec, g, o.stage.RecordCouplings(rec, ws, x, Unscale[T](w, 1)))
	return g
}

// Correct executes the other steps, if they are necessary, in the given phase. It reports whether
// it has changed x. g is workspace with as many rows and columns as x has rows. `coupled` is the
// result of RecordProbe.
func (o *Orthonormal[T]) Correct(c *plan.Call, phase string, x, g product.Matrix[T], coupled []T) (bool, error) {
	m := x.Rows
	limit := loose * Ulp * float64(o.n)
	most := o.mostCoupled(coupled, m, limit/math.Sqrt(float64(m)))
	if len(most) == 0 {
		return false, nil
	}
	w := make([]float64, len(coupled))
	for k, j := range most {
		w[k*m+j] = 1
	}
	var columns []T
	err := c.Run(func(rec *vk.Recorder) {
		rec.Phase(phase, 0, 0)
		columns = o.recordCouplings(rec, c.Arena, x, w)
	})
	if err != nil {
		return false, err
	}
	largest := 0.0
	for k := range most {
		sum := 0.0
		for _, v := range magnitudes(columns[k*m : (k+1)*m]) {
			sum += v
		}
		largest = max(largest, sum)
	}
	if largest <= limit {
		return false, nil
	}
	return true, c.Run(func(rec *vk.Recorder) {
		rec.Phase(phase, 0, 0)
		o.stage.RecordStep(rec, c.Arena, x, g)
	})
}

// ProbeAndCorrect executes the probe, and then does what Correct does.
func (o *Orthonormal[T]) ProbeAndCorrect(c *plan.Call, phase string, x, g product.Matrix[T]) error {
	var coupled []T
	err := c.Run(func(rec *vk.Recorder) {
		rec.Phase(phase, 0, 0)
		coupled = o.RecordProbe(rec, c.Arena, x)
	})
	if err == nil {
		_, err = o.Correct(c, phase, x, g, coupled)
	}
	return err
}

// mostCoupled returns those columns, as many as a recording can measure, that have the largest
// estimates of 2-norms, if these are above `limit`.
func (o *Orthonormal[T]) mostCoupled(coupled []T, m int, limit float64) []int {
	norms := make([]float64, m)
	for i, v := range magnitudes(coupled) {
		norms[i%m] += v * v / refine.OrthonormalProbes
	}
	var most []int
	for j, square := range norms {
		if math.Sqrt(square) > limit {
			most = append(most, j)
		}
	}
	slices.SortStableFunc(most, func(i, j int) int { return cmp.Compare(norms[j], norms[i]) })
	return most[:min(len(most), refine.OrthonormalProbes)]
}

// magnitudes returns |x| for each element of v.
func magnitudes[T spirv.Scalar](v []T) []float64 {
	out := make([]float64, len(v))
	plan.Parts(v, func(parts []float32, each int) { addParts(out, parts, each) },
		func(parts []float64, each int) { addParts(out, parts, each) })
	return out
}

func addParts[T spirv.Real](out []float64, parts []T, each int) {
	for i, x := range parts {
		out[i/each] = math.Hypot(out[i/each], float64(x))
	}
}
