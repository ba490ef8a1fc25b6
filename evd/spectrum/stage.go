package spectrum

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Stage is the step T → Λ, S of a plan: it has T on the device, the method, and the part of the
// spectrum that is wanted.
type Stage struct {
	// Method is the method for the tridiagonal problem. It is exported for tests, which replace it
	// by one that makes errors.
	Method Method

	// n is the order. capacity is the largest number of eigenvalues that a solve may have to find.
	n, capacity int

	// opt says what is wanted. phase is the name of the method's phase in profiles.
	opt   Options
	phase string

	// sturm computes Sturm counts. It is nil if no counts are needed. exact is bisection with the
	// kernels of sturm, which settle uses. It is nil if Method is bisection.
	sturm *stages.Bisection
	exact Method

	// d and e hold T, values holds the values of a check, and x holds the vectors: see D, E, Lambda
	// and X.
	d, e, values, x vk.Region[float64]

	// shifts and counts are the data of one transfer to and from the device.
	shifts vk.Region[float64]
	counts vk.Region[uint32]
}

// New prepares for order n ≥ 1 and for options that Options.Check accepts. counts says that Count
// or Certify will be called. ops are the plan's products; divide and conquer announces its own
// products to them. The error is that of a stage's constructor.
func New(dev *vk.Device, n int, opt Options, counts bool, ops product.Ops[float64], t tuning.Tuning) (*Stage, error) {
	s := &Stage{n: n, capacity: opt.Capacity(n), opt: opt}
	chosen := opt.choose(n, t)
	if err := s.chooseMethod(dev, chosen, ops, t); err != nil {
		return nil, err
	}
	reals := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
	s.d, s.e, s.values = reals("d", n), reals("e", n), reals("eigenvalues", n)
	atOnce, settles := 0, chosen != Bisection
	if counts || settles || opt.Select.by == selectedByValue {
		var err error
		if s.sturm, err = stages.NewBisection(dev, n, t.Bisection); err != nil {
			return nil, err
		}
		if settles {
			s.exact = bisectionOf(s.sturm, n)
		}
		atOnce = countsAtOnce(n, t)
	}
	s.shifts, s.counts = reals("shifts", atOnce), vk.Reserve[uint32]("counts", atOnce)
	elements := s.Method.Elements()
	if opt.Vectors {
		elements = max(elements, n*s.capacity)
	}
	s.x = reals("vectors, transposed", elements)
	return s, nil
}

// chooseMethod makes the method. For values alone, divide and conquer has a variant that needs less
// memory.
func (s *Stage) chooseMethod(dev *vk.Device, chosen Solver, ops product.Ops[float64], t tuning.Tuning) (err error) {
	m := find(chosen)
	construct := m.construct
	if chosen == DivideConquer && !s.opt.Vectors {
		construct = newDivideConquerValues
	}
	s.phase = m.phase
	s.Method, err = construct(dev, s.n, s.capacity, ops, t)
	return err
}

// Always lists the memory that is in use from the reduction to T until the vectors have been
// transformed back.
func (s *Stage) Always() []vk.Space {
	return []vk.Space{s.d, s.e, s.values, s.x, s.shifts, s.counts}
}

// Work is the memory that Solve, Count and Certify need while they run. Other stages may use the
// same bytes at other times.
func (s *Stage) Work() *vk.Layout {
	switch {
	case s.exact != nil: // sturm's is part of it
		return vk.InTurn(s.Method.Work(), s.exact.Work())
	case s.sturm != nil:
		return vk.InTurn(s.Method.Work(), s.sturm.Work())
	}
	return s.Method.Work()
}

// Settles tells whether Solve finds those values again that Sturm counts do not certify. It does so
// with all methods except Bisection.
func (s *Stage) Settles() bool { return s.exact != nil }

// Cost is the predicted number of operations of the method, for the largest number of eigenpairs
// that it may have to find.
func (s *Stage) Cost() StageCost {
	return StageCost{Stage: s.phase, Flops: s.Method.Flops(s.capacity)}
}

// D is the place of T's diagonal on the device, n elements.
func (s *Stage) D(ws *vk.Arena) vk.Slice[float64] { return s.d.In(ws) }

// E is the place of T's off-diagonal on the device. It has n elements, of which the last is not
// used.
func (s *Stage) E(ws *vk.Arena) vk.Slice[float64] { return s.e.In(ws) }

// Lambda is memory of n elements, for values that a check uploads to the device.
func (s *Stage) Lambda(ws *vk.Arena) vk.Slice[float64] { return s.values.In(ws) }

// X is the memory of Sᵀ. It is free before Solve, and after the vectors have been used.
func (s *Stage) X(ws *vk.Arena) vk.Slice[float64] { return s.x.In(ws) }

// Send records that T is sent to the device. t must not change until the recording has run.
func (s *Stage) Send(rec *vk.Recorder, ws *vk.Arena, t Tridiagonal) {
	vk.SendFirst(rec, s.d.In(ws), t.D)
	vk.SendFirst(rec, s.e.In(ws), t.E)
}

// Receive records that T is copied to the host. The result is valid when the recording has run.
func (s *Stage) Receive(rec *vk.Recorder, ws *vk.Arena) Tridiagonal {
	t := Tridiagonal{make([]float64, s.n), make([]float64, s.n-1)}
	vk.ReceiveLast(rec, t.D, s.d.In(ws))
	vk.ReceiveLast(rec, t.E, s.e.In(ws))
	return t
}

// Solve finds the selected part of the spectrum of T, which must be on the device and in host. T is
// σ times the matrix whose spectrum the caller selects from. Solve calls allocate, which may be nil,
// with the number of eigenvalues as soon as it is known, so that the memory of their vectors on the
// host can be allocated while the device computes. Errors are *TooManyError, *NoConvergenceError,
// *StageError, and those of package vk.
func (s *Stage) Solve(c *Call, host Tridiagonal, sigma float64, allocate func(vectors int)) (Part, error) {
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
	if s.x.Len() > 0 {
		p.Vectors = stages.NewMatrix(s.x.In(c.Arena), to-from, s.n, max(to-from, 1))
	}
	if from == to {
		return p, nil
	}
	t := Problem{s.d.In(c.Arena), s.e.In(c.Arena), host}
	c.begins(s.phase)
	var err error
	p.Values, err = s.Method.Solve(c, t, from, to, p.Vectors)
	if err == nil && s.exact != nil {
		err = s.settle(c, t, p)
	}
	return p, During(s.phase, err)
}
