package spectrum

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	robust "github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/stages/tridiag/ql"
	"github.com/vkevd/vkevd/stages/tridiag/steqr"
	"github.com/vkevd/vkevd/stages/tridiag/sturm"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// hostTuning has the largest orders for QR iteration on the host. On two processors, divide and
// conquer was faster than QR iteration from order 50 on for vectors, and from order 300 on for
// values. The table has the powers of two below these orders. Bisection took nine times as long for
// all values.
var hostTuning = tuning.Tuning{
	QR:            steqr.QRTuning{Vectors: 32, Values: 256},
	ConquerValues: tuning.ConquerValues{From: 1, Share: 8},
}

// NewOnHost returns a Stage for a device without double precision: the host solves the tridiagonal
// problem, and the device has no memory for it. The caller must call Hold before Count and Certify.
// After Solve, HostVectors returns the vectors. The arguments n and opt are those of New.
func NewOnHost(n int, opt Options) *Stage {
	s := &Stage{n: n, capacity: opt.Capacity(n), opt: opt, host: &hostProblem{}}
	chosen := opt.choose(n, hostTuning)
	m := find(chosen)
	s.phase, s.counter = m.phase, hostCounter{s.host}
	s.Method = onHost(m.onHost, s.host, n, opt.Vectors, m.phase)
	if chosen != Bisection {
		s.exact = onHost(hostBisection, s.host, n, false, stages.PhaseBisection)
	}
	return s
}

// hostProblem is a tridiagonal problem for the host. It keeps only O(n) numbers between calls.
type hostProblem struct {
	t     Tridiagonal
	sturm *sturm.Matrix
}

// Hold tells a Stage of NewOnHost the matrix for later calls. The matrix must not change. For other
// Stages it does nothing.
func (s *Stage) Hold(t Tridiagonal) {
	if s.host != nil {
		s.host.t, s.host.sturm = t, sturm.New(t.D, t.E)
	}
}

// HostVectors returns the vectors that the host has computed in the call c, in the type T, packed,
// one per row. The call forgets the vectors in double precision.
func HostVectors[T spirv.Scalar](c *plan.Call, s *Stage) vk.Columns[T] {
	rows := Transposed[T](s.n, c.HostVectors)
	c.HostVectors = nil
	return rows
}

// Transposed returns the transpose of z, which is column-major, packed, and has n rows, in the type
// T.
func Transposed[T spirv.Scalar](n int, z []float64) vk.Columns[T] {
	m := len(z) / n
	rows := vk.Columns[T]{Rows: m, Cols: n, Ld: max(m, 1), Data: make([]T, m*n)}
	plan.Parts(rows.Data,
		func(parts []float32, each int) { transpose(parts, each, m, n, z) },
		func(parts []float64, each int) { transpose(parts, each, m, n, z) })
	return rows
}

// transpose writes element i+k·n of z, in the type T, to element each·(k+i·m) of `rows`.
func transpose[T spirv.Real](rows []T, each, m, n int, z []float64) {
	const tile = 64 // a block of this size of both matrices fits the cache
	tridiag.Parallel((n+tile-1)/tile, func(part int) {
		from, to := part*tile, min((part+1)*tile, n)
		for k0 := 0; k0 < m; k0 += tile {
			for i := from; i < to; i++ {
				for k := k0; k < min(k0+tile, m); k++ {
					rows[each*(k+i*m)] = T(z[i+k*n])
				}
			}
		}
	})
}

type hostCounter struct{ *hostProblem }

func (hostCounter) work() *vk.Layout { return vk.Together() }

func (hostCounter) always() *vk.Layout { return vk.Together() }

func (h hostCounter) counts(c *plan.Call, shifts []float64) ([]int, error) {
	return h.sturm.Counts(shifts, c.Ctx.Err)
}

// hostMethod finds the eigenvalues λ[from] … λ[to−1] of the matrix of h, in ascending order. If
// `vectors` is true, hostMethod stores their vectors in c.HostVectors, as the columns of a packed
// matrix. If w.Stop returns an error, the method must end soon and return this error. The method
// reports each part of the work that it has done to w.Progress. If hostMethod does not know the
// parts, it never calls w.Progress.
type hostMethod func(c *plan.Call, h *hostProblem, from, to int, vectors bool, w *plan.HostWork) ([]float64, error)

// onHost makes a hostMethod a Method for order n. The Method ignores the memory xt, which has only
// a shape, and stores the vectors in the call.
func onHost(method hostMethod, of *hostProblem, n int, vectors bool, phase string) Method {
	flops := func(m int) float64 { // operations of divide and conquer without deflation
		order, values := float64(n), float64(m)
		if vectors {
			return order * order * (order/3 + values)
		}
		return 50 * order * values
	}
	solve := func(c *plan.Call, _ Problem, from, to int, _ stages.Matrix) (values []float64, err error) {
		err = c.OnHost(phase, func(w *plan.HostWork) error {
			values, err = method(c, of, from, to, vectors, w)
			return err
		})
		return values, plan.NotConverged(err, phase)
	}
	return stage{func() *vk.Layout { return vk.Together() }, 0, flops, solve}
}

// hostDivideConquer is divide and conquer. For values alone it needs only O(n) memory.
func hostDivideConquer(c *plan.Call, h *hostProblem, from, to int, vectors bool, w *plan.HostWork) ([]float64, error) {
	host := dc.NewHost(len(h.t.D))
	host.Stop, host.Progress = w.Stop, w.Progress
	values, err := dc.SolveWith(host, h.t.D, h.t.E, dc.Options{From: from, To: to, ValuesOnly: !vectors})
	if err != nil {
		return nil, err
	}
	c.HostVectors = host.Result()
	return values[from:to], nil
}

func hostBisection(_ *plan.Call, h *hostProblem, from, to int, _ bool, w *plan.HostWork) ([]float64, error) {
	return h.sturm.Eigenvalues(from, to, w.Stop)
}

// hostMRRR computes vectors even if only values are wanted.
func hostMRRR(c *plan.Call, h *hostProblem, from, to int, vectors bool, w *plan.HostWork) ([]float64, error) {
	host := robust.NewHost(len(h.t.D), to-from)
	host.Stop = w.Stop
	values, tree, err := robust.SolveWith(host, h.t.D, h.t.E, robust.Options{From: from, To: to})
	c.Tree = &tree
	if vectors {
		c.HostVectors = host.Result()
	}
	return values, err
}

// hostQR is QL and QR iteration. If vectors are wanted, it computes all of them. It is for small
// orders, and cannot be interrupted.
func hostQR(c *plan.Call, h *hostProblem, from, to int, vectors bool, _ *plan.HostWork) ([]float64, error) {
	n := len(h.t.D)
	values, rows, err := ql.Solve(h.t.D, h.t.E, vectors)
	if err != nil {
		return nil, err
	}
	if vectors {
		c.HostVectors = make([]float64, n*(to-from))
		for k := from; k < to; k++ {
			for i := range n {
				c.HostVectors[i+(k-from)*n] = rows[i*n+k]
			}
		}
	}
	return values[from:to], nil
}
