package evd

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// spectral is the step T → Λ, S of both kinds of plan: T on the device, the method,
// and the part of the spectrum that is wanted.
type spectral struct {
	dev    *vk.Device
	n, m   int // the order; the most eigenvalues that there may be to find
	opt    Options
	solver tridiagonalSolver
	stage  string            // the solver's name in profiles
	sturm  *stages.Bisection // counts; nil where nobody needs to
	exact  tridiagonalSolver // sturm, to find again what counts neither certify nor find nearby; nil if solver needs no such help

	d, e, values, x vk.Region[float64] // values: of a check
	shifts          vk.Region[float64]
	counts          vk.Region[uint32]
}

// countsAtOnce is how many shifts are counted at in one exchange with the device: those on both sides of all
// eigenvalues, or as many as keep any device busy, or as a dispatch may take.
func countsAtOnce(n int, t stages.Tuning) int {
	const few, many = 1 << 6, 1 << 16
	return max(few, min(2*n, many, int(t.Bisection.Dispatch)/n))
}

// newSpectral prepares for order n ≥ 1. counts says that shifts other than an interval's
// ends will be counted at.
func newSpectral(dev *vk.Device, n int, opt Options, counts bool, ops product.Ops, t stages.Tuning) (*spectral, error) {
	s := &spectral{dev: dev, n: n, m: opt.Select.capacity(n), opt: opt}
	var err error
	if s.solver, s.stage, err = opt.newSolver(dev, n, ops, t); err != nil {
		return nil, err
	}
	reals := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
	s.d, s.e, s.values = reals("d", n), reals("e", n), reals("eigenvalues", n)
	settles := opt.choose(n, t) != Bisection
	if counts || settles || opt.Select.by == selectedByValue {
		if s.sturm, err = stages.NewBisection(dev, n, t); err != nil {
			return nil, err
		}
		if settles {
			s.exact = bisectionOf(s.sturm, n)
		}
		atOnce := countsAtOnce(n, t)
		s.shifts, s.counts = reals("shifts", atOnce), vk.Reserve[uint32]("counts", atOnce)
	} else {
		s.shifts, s.counts = reals("shifts", 0), vk.Reserve[uint32]("counts", 0)
	}
	s.x = reals("vectors, transposed", s.solver.Room())
	if opt.Vectors {
		s.x = reals("vectors, transposed", max(n*s.m, s.solver.Room()))
	}
	return s, nil
}

// always is what lives as long as T and its vectors do.
func (s *spectral) always() []vk.Space {
	return []vk.Space{s.d, s.e, s.values, s.x, s.shifts, s.counts}
}

// work is needed during solve and count.
func (s *spectral) work() *vk.Layout {
	switch {
	case s.exact != nil: // sturm's is part of it
		return vk.InTurn(s.solver.Work(), s.exact.Work())
	case s.sturm != nil:
		return vk.InTurn(s.solver.Work(), s.sturm.Work())
	}
	return s.solver.Work()
}

func (s *spectral) cost() StageCost { return StageCost{Stage: s.stage, Flops: s.solver.Flops(s.m)} }

// found is a part of the spectrum, of σ·A.
type found struct {
	first  int // values[k] is λ[first+k]
	values []float64
	x      stages.Matrix // vectors, one a row
}

// receive records that T comes to the host.
func (s *spectral) receive(rec *vk.Recorder, ws *vk.Arena) Tridiagonal[float64] {
	t := Tridiagonal[float64]{make([]float64, s.n), make([]float64, s.n-1)}
	vk.ReceiveLast(rec, t.D, s.d.In(ws))
	vk.ReceiveLast(rec, t.E, s.e.In(ws))
	return t
}

// solve finds what is selected of the eigenvalues of T(d, e), which is σ times the
// caller's matrix; host is T, too. If vectors are wanted, begin is told how many there will be, as soon as that is known.
func (s *spectral) solve(c *call, host Tridiagonal[float64], sigma float64, begin func(vectors int)) (found, error) {
	var below [2]int
	if s.opt.Select.by == selectedByValue {
		ends := s.opt.Select.ends(sigma)
		counts, err := s.count(c, ends[:])
		if err != nil {
			return found{}, err
		}
		below = [2]int(counts)
	}
	from, to := s.opt.Select.within(s.n, below)
	if to-from > s.m {
		return found{}, &TooManyError{Found: to - from, AtMost: s.m}
	}
	if s.opt.Vectors {
		begin(to - from)
	}
	f := found{first: from}
	if s.x.Len() > 0 {
		f.x = s.vectors(c.ws, to-from)
	}
	if from == to {
		return f, nil
	}
	t := tridiagonal{s.d.In(c.ws), s.e.In(c.ws), host}
	var err error
	f.values, err = s.solver.Solve(c, t, from, to, f.x)
	if err == nil && s.exact != nil {
		err = s.settle(c, t, f)
	}
	return f, during(s.stage, err)
}

// vectors is where m of them lie, transposed.
func (s *spectral) vectors(ws *vk.Arena, m int) stages.Matrix {
	return stages.NewMatrix(s.x.In(ws), m, s.n, max(m, 1))
}

// count counts the eigenvalues of T below each shift; one within rounding of a shift
// may count either way.
func (s *spectral) count(c *call, shifts []float64) ([]int, error) {
	result := make([]int, 0, len(shifts))
	for some := range slices.Chunk(shifts, s.shifts.Len()) {
		counts, err := s.countSome(c, some)
		if err != nil {
			return nil, during(stages.PhaseCounts, err)
		}
		for i, x := range some {
			switch {
			case math.IsInf(x, -1):
				result = append(result, 0)
			case math.IsInf(x, 1):
				result = append(result, s.n)
			default:
				result = append(result, int(counts[i]))
			}
		}
	}
	return result, nil
}

// countSome is count for as many shifts as there is room for. What it says of infinite
// ones means nothing.
func (s *spectral) countSome(c *call, shifts []float64) ([]uint32, error) {
	counts := make([]uint32, len(shifts))
	return counts, c.run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseCounts, 0, 0)
		vk.SendFirst(rec, s.shifts.In(c.ws), shifts)
		s.sturm.RecordCounts(rec, c.ws, s.d.In(c.ws), s.e.In(c.ws), s.shifts.In(c.ws), s.counts.In(c.ws).Sub(0, len(counts)))
		vk.ReceiveLast(rec, counts, s.counts.In(c.ws))
	})
}
