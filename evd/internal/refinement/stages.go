// Package refinement, internal to vkevd, improves approximate eigenvectors of one symmetric matrix,
// or of a pair of matrices, on one device, by Ogita and Aishima's iteration.
package refinement

import (
	"context"

	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/refine"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/vk"
)

// Stages are the stages of a refinement, in their order, and the regions of device memory that they
// pass to each other. Memory that only one stage uses is not in it. The comments give the sizes in
// elements. The zero value has no stages, for the orders 0 and 1.
type Stages[T emulation.Double] struct {
	// N is the order of the matrix.
	N int

	products  Products[T]
	load      *move.SymmetricLoad[T]
	refine    *refine.Refinement[T]
	orient    *dense.Orientation[T]
	residuals *residual.Residual[T]
	rowMajor  bool // the result has a vector in each row

	a    vk.Region[T]    // n² elements: A
	x    [2]vk.Region[T] // n² elements each: Xᵀ, and Xᵀ·A or the improved Xᵀ
	sums [3]vk.Region[T] // n elements each, for a check: λ, residuals, orthogonality
}

// New makes the stages of a refinement of order n ≥ 2. The caller lays out their memory.
func New[T emulation.Double](dev *vk.Device, n int, cfg dense.Config) (*Stages[T], error) {
	t, err := dense.Sizes[T](dev, n, cfg)
	if err != nil {
		return nil, err
	}
	// With the context of a caller, the measurement could end early for all later callers.
	rate, err := machine.Of(dev).Float64Rate(context.Background())
	if err != nil {
		return nil, err
	}
	s := &Stages[T]{N: n, rowMajor: cfg.RowMajor}
	if s.products, err = newProducts[T](dev, n, cfg, t.Bounded(rate/dense.RealFlops[T]())); err != nil {
		return nil, err
	}
	if s.load, err = move.NewSymmetricLoad[T](dev); err != nil {
		return nil, err
	}
	if s.refine, err = refine.NewRefinement(dev, n, s.products.reserved()...); err != nil {
		return nil, err
	}
	if s.orient, err = dense.NewOrientation[T](dev, cfg.RowMajor); err != nil {
		return nil, err
	}
	s.residuals, err = residual.NewResidual[T](dev, n, n, s.products.native)
	return s, err
}

// Layout reserves the regions and returns the layout of the device memory. A and the vectors are
// always in use. The workspaces of the steps and of a check share memory. `before` is the memory of
// stages that run before the refinement, and that need A and x[1]. `before` shares memory with
// everything else.
func (s *Stages[T]) Layout(before *vk.Layout) *vk.Layout {
	n := s.N
	entries := func(name string, n int) vk.Region[T] { return vk.Reserve[T](name, n) }
	s.a = entries("A", n*n)
	s.x = [2]vk.Region[T]{entries("vectors, transposed", n*n), entries("vectors, next", n*n)}
	s.sums = [3]vk.Region[T]{entries("eigenvalues", n), entries("residual sums", n), entries("orthogonality sums", n)}
	after := vk.Together(s.x[0], s.products.Work(), vk.InTurn(s.refine.Work(), s.residuals.Work()))
	return vk.Together(s.a, s.x[1], s.sums[0], s.sums[1], s.sums[2],
		s.products.emulated.Status(), vk.InTurn(before, after))
}

// usualSteps is the number of steps in forecasts. Vectors from single precision take this number of
// steps.
const usualSteps = 2

// Costs returns a forecast of the operations of a refinement with two steps. The operations of
// updates are part of the phase of the products. Costs returns nil without stages.
func (s *Stages[T]) Costs() []plan.StageCost {
	if s.refine == nil {
		return nil
	}
	products, update := s.refine.Flops()
	return []plan.StageCost{{Stage: stages.PhaseRefineProducts, Flops: usualSteps * (products + update) * dense.RealFlops[T]()}}
}

// Emulated reports whether integer units compute large matrix products.
func (s *Stages[T]) Emulated() bool { return len(s.products.emulated) > 0 }
