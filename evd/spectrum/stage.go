package spectrum

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Stage is the step of a plan that solves the tridiagonal problem T = S·Λ·Sᵀ: the method, the
// device memory of T, and the wanted part of the spectrum.
type Stage struct {
	// Method is exported because tests replace it by a method that makes errors.
	Method Method

	// n is the order. `capacity` is the largest number of eigenvalues that a solve can find.
	n, capacity int

	// opt has the options of the solve. `phase` is the name of the method's phase in profiles,
	// progress and forecasts.
	opt   Options
	phase string

	// shared says that the method works on several devices (Shared).
	shared bool

	// counter computes Sturm counts, or is nil if none are needed. `exact` is a bisection with the
	// same counts, for values that are not accurate enough. It is nil if the method is bisection
	// itself, or dqds.
	counter counter
	exact   Method

	// These are the device memory that D, E, Lambda and X return. They are empty if the host solves
	// the problem.
	d, e, values, x vk.Region[float64]

	// host is the problem if the host solves it, and nil otherwise.
	host *hostProblem
}

// New prepares for order n ≥ 1 and for options that Options.Check accepts. `counts` says whether
// Count or Certify will be called. `ops` are the plan's products, in which divide and conquer
// reserves workspace for its own.
func New(dev *vk.Device, n int, opt Options, counts bool, ops product.Ops[float64], t tuning.Tuning) (*Stage, error) {
	s := &Stage{n: n, capacity: opt.Capacity(n), opt: opt}
	chosen := opt.choose(n, t)
	if err := s.chooseMethod(dev, chosen, ops, t); err != nil {
		return nil, err
	}
	reals := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
	s.d, s.e, s.values = reals("d", n), reals("e", n), reals("eigenvalues", n)
	settles := chosen != Bisection
	if counts || settles || opt.Select.by == selectedByValue {
		sturm, err := stebz.NewBisection(dev, n, t.Bisection)
		if err != nil {
			return nil, err
		}
		if settles {
			s.exact = bisectionOf(sturm, n)
		}
		s.counter = newDeviceCounter(sturm, s, countsAtOnce(n, t))
	}
	elements := s.Method.Elements()
	if opt.Vectors && !s.Shared() {
		elements = max(elements, n*s.capacity)
	}
	s.x = reals("vectors, transposed", elements)
	return s, nil
}

// chooseMethod makes the method that `chosen` names. Divide and conquer has a variant for values
// without vectors, which needs less memory, and one for several devices.
func (s *Stage) chooseMethod(dev *vk.Device, chosen Solver, ops product.Ops[float64], t tuning.Tuning) (err error) {
	m, vectors := find(chosen), s.capacity
	construct := m.construct
	switch {
	case chosen != DivideConquer:
	case !s.opt.Vectors:
		construct = newDivideConquerValues
	case s.opt.Part > 0:
		construct, vectors, s.shared = newSharedConquer, s.opt.Part, true
	}
	s.phase = m.phase
	s.Method, err = construct(dev, s.n, vectors, ops, t)
	return err
}

// Always lists the device memory that is in use from the reduction to T until the vectors of T have
// been transformed to those of the caller's matrix.
func (s *Stage) Always() []vk.Space {
	if s.host != nil {
		return nil
	}
	always := []vk.Space{s.d, s.e, s.values, s.x}
	if s.counter != nil {
		always = append(always, s.counter.always())
	}
	return always
}

// Work is the device memory that Solve, Count and Certify need while they run. Other stages may use
// the same bytes at other times.
func (s *Stage) Work() *vk.Layout {
	switch {
	case s.exact != nil: // the workspace of `exact` contains that of the counter
		return vk.InTurn(s.Method.Work(), s.exact.Work())
	case s.counter != nil:
		return vk.InTurn(s.Method.Work(), s.counter.work())
	}
	return s.Method.Work()
}

// Settles reports whether Solve computes again those values that Sturm counts do not certify. It
// does so with every method except Bisection and dqds.
func (s *Stage) Settles() bool { return s.exact != nil }

// Cost returns the predicted number of operations, for the largest number of eigenpairs.
func (s *Stage) Cost() plan.StageCost {
	return plan.StageCost{Stage: s.phase, Flops: s.Method.Flops(s.capacity)}
}

func (s *Stage) at(ws *vk.Arena, r vk.Region[float64]) vk.Slice[float64] {
	if s.host != nil {
		return vk.Slice[float64]{}
	}
	return r.In(ws)
}

// D returns the memory of the diagonal: n elements.
func (s *Stage) D(ws *vk.Arena) vk.Slice[float64] { return s.at(ws, s.d) }

// E returns the memory of the off-diagonal: n elements, of which the last is not used.
func (s *Stage) E(ws *vk.Arena) vk.Slice[float64] { return s.at(ws, s.e) }

// Lambda returns device memory of n elements, for values that a check uploads.
func (s *Stage) Lambda(ws *vk.Arena) vk.Slice[float64] { return s.at(ws, s.values) }

// X returns the memory of the vectors, one per row. Other stages may use it before Solve, and after
// the last use of the vectors.
func (s *Stage) X(ws *vk.Arena) vk.Slice[float64] { return s.at(ws, s.x) }

// Matrix returns a matrix in the memory of X, or, if the host solves the problem, only a shape.
func (s *Stage) Matrix(ws *vk.Arena, rows, cols, ld int) stages.Matrix {
	if s.host != nil {
		return stages.Matrix{Rows: rows, Cols: cols, Ld: ld}
	}
	return stages.NewMatrix(s.x.In(ws), rows, cols, ld)
}

// Send copies t to the device, where Solve expects it. t must not change until the recording has
// been executed. If the host solves the problem, Send is Hold.
func (s *Stage) Send(rec *vk.Recorder, ws *vk.Arena, t Tridiagonal) {
	if s.host != nil {
		s.Hold(t)
		return
	}
	vk.SendFirst(rec, s.d.In(ws), t.D)
	vk.SendFirst(rec, s.e.In(ws), t.E)
}

// Receive copies T from the device to the host. The result is valid after the recording has run.
func (s *Stage) Receive(rec *vk.Recorder, ws *vk.Arena) Tridiagonal {
	t := Tridiagonal{make([]float64, s.n), make([]float64, s.n-1)}
	vk.ReceiveLast(rec, t.D, s.d.In(ws))
	vk.ReceiveLast(rec, t.E, s.e.In(ws))
	return t
}

func (s *Stage) number() (m int, known bool) {
	if s.opt.Select.by == selectedByValue {
		return 0, false
	}
	from, to := s.opt.Select.within(s.n, [2]int{})
	return to - from, to-from <= s.capacity
}

// Solve finds the selected part of the spectrum of T. `host` is T on the host. T must also be on
// the device, unless the host solves the problem. T is similar to σ times the matrix from whose
// spectrum the caller selects. Solve calls `allocate` with the number of eigenvalues as soon as it
// is known, so that the caller can allocate host memory for the vectors while the device computes.
// `allocate` may be nil. The errors are *TooManyError, *plan.NoConvergenceError, *stages.InfoError,
// and those of package vk.
func (s *Stage) Solve(c *plan.Call, host Tridiagonal, sigma float64, allocate func(vectors int)) (Part, error) {
	s.Hold(host)
	var below [2]int
	if s.opt.Select.by == selectedByValue {
		ends := s.opt.Select.ends(sigma)
		counts, err := s.Count(c, ends[:])
		if err != nil {
			return Part{}, err
		}
		below = [2]int(counts)
	}
	from, to := s.opt.Select.within(s.n, below)
	if to-from > s.capacity {
		return Part{}, &TooManyError{Found: to - from, AtMost: s.capacity}
	}
	if allocate != nil {
		allocate(to - from)
	}
	p := Part{First: from}
	if s.host != nil || s.x.Len() > 0 {
		rows := s.rows(c, to-from)
		p.Vectors = s.Matrix(c.Arena, rows, s.n, max(rows, 1))
	}
	if from == to {
		return p, nil
	}
	t := Problem{Host: host}
	if s.host == nil {
		t.D, t.E = s.d.In(c.Arena), s.e.In(c.Arena)
	}
	c.Begins(s.phase)
	var err error
	p.Values, err = s.Method.Solve(c, t, from, to, p.Vectors)
	if err == nil && s.exact != nil {
		err = s.settle(c, t, p)
	}
	return p, plan.During(s.phase, err)
}
