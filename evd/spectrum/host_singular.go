package spectrum

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/sturm"
)

// NewGolubKahanOnHost does the same as NewOnHost for Golub-Kahan forms of bidiagonal matrices: n is
// even, and the diagonal is zero. The host finds values by the dqds algorithm, which needs a
// twentieth of the time of bisection. Small values keep their digits. opt.Vectors must not be set.
func NewGolubKahanOnHost(n int, opt Options) *Stage {
	s := &Stage{n: n, capacity: opt.Capacity(n), opt: opt, host: &hostProblem{}, phase: stages.PhaseDqds}
	s.counter = hostCounter{s.host}
	s.Method = onHost(hostDqds(gonum.Implementation{}.Dlasq1), s.host, n, false, s.phase)
	return s
}

// hostDqds returns a method that finds values of a Golub-Kahan form by dqds, and no vectors. lasq1
// is LAPACK's dlasq1. The function computes all values: gonum's took 0.03 s for 1024 singular
// values, and 0.2 s for 2048, on one busy processor (2026-11-23). After an error of HostWork.Stop,
// lasq1 runs to its end without effect. If it does not converge, bisection finds the values.
func hostDqds(lasq1 func(n int, d, e, work []float64) (info int)) hostMethod {
	return func(c *plan.Call, h *hostProblem, from, to int, vectors bool, w *plan.HostWork) ([]float64, error) {
		if err := tridiag.CheckFinite(h.t.D, h.t.E); err != nil {
			return nil, err
		}
		n := len(h.t.D) / 2
		d, e := make([]float64, n), make([]float64, n)
		for i := range d {
			if d[i] = h.t.E[2*i]; i < n-1 {
				e[i] = h.t.E[2*i+1]
			}
		}
		info := 0
		err := tridiag.Interruptible(w.Stop, func() { info = lasq1(n, d, e, make([]float64, 4*n)) })
		if err != nil {
			return nil, err
		}
		if info != 0 {
			return hostBisection(c, h, from, to, vectors, w)
		}
		values := make([]float64, 0, 2*n) // values: −σ and σ in ascending order; d has σ in descending order
		for _, x := range d {
			values = append(values, -x)
		}
		slices.Reverse(d)
		return append(values, d...)[from:to], nil
	}
}

// KeepDigits makes the Stage of a Golub-Kahan form find all values with a small relative error. The
// device counts elements as zero that are smaller than 2⁻⁴⁵⁰ times the largest element. If the form
// has such elements, the host finds those values again that are so small that these elements may
// matter. The form has even order and a zero diagonal, and the wanted values are in the upper half.
func (s *Stage) KeepDigits() {
	if s.host == nil {
		s.Method = relative{s.Method}
	}
}

type relative struct{ Method }

func (m relative) Solve(c *plan.Call, t Problem, from, to int, xt stages.Matrix) ([]float64, error) {
	values, err := m.Method.Solve(c, t, from, to, xt)
	if err != nil {
		return nil, err
	}
	doubtful := losesDigits(t.Host.E, values)
	if doubtful == 0 {
		return values, nil
	}
	form := sturm.NewGolubKahan(t.Host.E)
	err = c.OnHost(stages.PhaseBisection, func(w *plan.HostWork) error {
		return tridiag.ParallelUntil(doubtful, func(k int) { values[k] = form.Value(from + k) }, w.Stop)
	})
	slices.Sort(values) // two methods may exchange values that are equal up to an ulp
	return values, err
}

// losesDigits returns how many values of a Golub-Kahan form may have too few digits. They are the
// first ones of `values`, which is ascending. The result is 0 unless some elements of e are so
// small that counts on the device take them as zero.
func losesDigits(e, values []float64) (count int) {
	const flushed, small = 0x1p-450, 0x1p-390
	most, least := 0.0, math.Inf(1)
	for _, x := range e {
		if x = math.Abs(x); x > 0 {
			most, least = max(most, x), min(least, x)
		}
	}
	if least >= flushed*most {
		return 0
	}
	for count < len(values) && values[count] < small*most {
		count++
	}
	return count
}
