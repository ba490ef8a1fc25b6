package stedc

import (
	"context"
	"fmt"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// SharedConquer computes T = S·Λ·Sᵀ as DivideConquer does, on several devices, of which none has
// memory for all vectors. Device k computes the columns S[:, Jk] of the vectors:
//
//	first device    values, as DivideConquer; the vectors of the leaves go to the host
//	two devices     the vectors of the blocks that the last merge joins, and of all other blocks
//	all devices     columns Jk of the last merge, W·S[:, Jk], some rows (a strip) of W at a time
//
// A strip of W = Q·G is made by the device that has these rows of Q, and goes to all devices
// (vk.Broadcast). The n²/2 elements of W are moved once to each device. The last merge has three
// quarters of all operations, and each device does its share of them. The result has the same bits
// as that of DivideConquer if the matrix products have the same bits in both.
//
//	shared.go        the stage, and its memory on each device
//	shared_lists.go  which device has which block, and the lists of each device
//	shared_run.go    one solve in progress
type SharedConquer struct {
	values deflation[float64]
	share  *ConquerShare
	work   *vk.Layout
}

// ConquerShare is the part of one device in SharedConquer.
type ConquerShare struct {
	vectors vectorsPass
	values  *valuesPass[float64] // on further devices it has memory only for the numbers that the first device has computed
	strip   vk.Region[float64]
	device  int // number of the device
	work    *vk.Layout
}

// blockOwners is the number of devices that form the two blocks that the last merge joins. A block
// has half of all rows at most. So with two such devices, the blocks of one device have n²/4
// elements at most.
const blockOwners = 2

// In the last merge, W has the rotated vectors of the two blocks, and S the vectors of the secular
// equation. A device receives at most maxStrip·n elements of W at a time: maxStrip rows, if the
// last merge has all n rows. maxStrip is also the largest number of columns of S by which the
// device multiplies these rows at a time. With more rows and columns the products would not be
// faster.
const maxStrip = 4096

// NewSharedConquer prepares the first device for matrices of order n ≥ 0. The other arguments are
// those of NewDivideConquer.
func NewSharedConquer(
	dev *vk.Device, n int, ops product.Ops[float64], tiles product.Tuning, t Tuning,
) (*SharedConquer, error) {
	b := stages.Builder{Dev: dev}
	values := newValuesPass(&b, n, t.levels(n), symmetricLeaves[float64](&b, t), stages.PhaseTridiagonal, t)
	s := &SharedConquer{share: newConquerShare(&b, n, 0, ops, tiles, t)}
	s.share.values = &values
	s.values = newDeflation(&b, &values, s.share.vectors.lists.stepLists, 1)
	if b.Err != nil {
		return nil, b.Err
	}
	s.work = vk.Together(values.work, s.values.work, s.share.work)
	return s, nil
}

// NewConquerShare prepares a further device for its part of the vectors. `device` is its number, at
// least 1. The other arguments are those of NewDivideConquer, and t.Leaf must be that of the first
// device.
func NewConquerShare(
	dev *vk.Device, n, device int, ops product.Ops[float64], tiles product.Tuning, t Tuning,
) (*ConquerShare, error) {
	b := stages.Builder{Dev: dev}
	s := newConquerShare(&b, n, device, ops, tiles, t)
	if b.Err != nil {
		return nil, b.Err
	}
	stored := max(t.levels(n), 1)
	s.values = &valuesPass[float64]{dev: dev, phase: stages.PhaseTridiagonal, n: n, stored: stored, tune: t}
	s.values.numbers = vk.Reserve[float64]("D&C merge numbers", stored*allNumbers*n)
	s.work = vk.Together(s.values.numbers, s.work)
	return s, nil
}

func newConquerShare(
	b *stages.Builder, n, device int, ops product.Ops[float64], tiles product.Tuning, t Tuning,
) *ConquerShare {
	s := &ConquerShare{device: device}
	s.vectors = vectorsPass{mergeKernels: newMergeKernels[float64](b, tiles, t), n: n, levels: t.levels(n), Ops: ops}
	s.vectors.buildSort(b)
	v, columns, half := &s.vectors, 0, halfOf(n)
	columns = min(v.panelColumns(), maxStrip)
	for _, shape := range []product.Shape{{M: half, N: half, K: half, Count: 1}, {M: 2 * columns, N: columns, K: n, Count: 1}} {
		if err := ops.Reserve(shape); err != nil && b.Err == nil {
			b.Err = err
		}
	}
	blocks := 0
	if s.hasBlocks() {
		blocks, v.room = v.sharedBlocks(), max((3*half*half+1)/2+n, min(2*t.Leaf, n)*n)
	}
	v.q = vk.Reserve[float64]("D&C blocks", blocks)
	v.panel = vk.Reserve[float64]("D&C panel", n*columns)
	s.strip = vk.Reserve[float64]("D&C strip", n*columns)
	v.lists = newVectorLists(n, v.levels, t.mostMerges(n))
	s.work = vk.Together(v.q, v.panel, s.strip, v.lists.layout())
	return s
}

func (s *ConquerShare) hasBlocks() bool { return s.device < blockOwners }

func halfOf(n int) int { return (n + 1) / 2 }

// sharedBlocks returns a number of elements that suffices on one device for the vectors of all
// blocks of the device together. The first device has the vectors of all leaves first, and the
// blocks later, in the same memory. So it needs the larger of the two sizes. If a leaf may have
// more than half of all rows, one device may have a block of all rows, and the result is n².
func (s *vectorsPass) sharedBlocks() int {
	if s.n < 2*s.tune.Leaf {
		return s.n * s.n
	}
	return max(halfOf(s.n)*halfOf(s.n), s.n*s.tune.Leaf)
}

// Work is the workspace on the first device: n²/4 + 2·n·min(panelColumns(), 4096) elements, and
// O(n·log n) elements more. The memory of X is not part of it.
func (s *SharedConquer) Work() *vk.Layout { return s.work }

func (s *SharedConquer) Share() *ConquerShare { return s.share }

func (s *SharedConquer) Flops() float64 { n := float64(s.values.pass.n); return 4.0 / 3 * n * n * n }

// Work is the workspace on a further device: 2·n·min(panelColumns(), 4096) elements, and O(n·log n)
// elements more. The second device also has n²/4 elements for blocks. The memory of X is not part
// of it.
func (s *ConquerShare) Work() *vk.Layout { return s.work }

// Elements returns the number of elements that the memory of the result X must have on this device,
// for at most m vectors: n·m. On devices with blocks it is at least 3/8·n². All merges but the last
// one keep their rotated vectors and the vectors of their secular equations in this memory.
func (s *ConquerShare) Elements(m int) int {
	return max(s.vectors.n*m, s.vectors.room)
}

type ConquerDevice struct {
	Ctx   context.Context
	Arena *vk.Arena // its layout contains the workspace of Share
	Share *ConquerShare

	// X gets the device's vectors, one per row: m×n for m vectors, packed (Ld = max(m, 1)). Its
	// memory has Share.Elements or more.
	X stages.Matrix

	Profile *vk.Profile

	// Party is the part of the device in a broadcast among all devices. Nobody else may use this
	// broadcast during the solve.
	Party *vk.Party
}

// SolveRange computes the eigenvectors of the eigenvalues from, from+1, … of the tridiagonal matrix
// with diagonal d (n elements) and off-diagonal e (n−1 elements). The vectors are divided among the
// devices. The first device gets the first vectors, as many as its X has rows, and so on.
// SolveRange returns all eigenvalues, in ascending order.
//
// The function `each` calls its argument for the number of each device, at the same time, and
// returns the first error. `progress` may be nil. The errors are those of DivideConquer.Solve.
func (s *SharedConquer) SolveRange(
	d, e []float64, from int, devices []ConquerDevice, each func(do func(k int) error) error, progress func(vk.Progress),
) ([]float64, error) {
	n, to := s.values.pass.n, from
	for k, x := range devices {
		if x.Share.device != k || x.X.Cols != n || x.X.Ld != max(x.X.Rows, 1) || x.X.At.Len() < x.Share.Elements(x.X.Rows) {
			panic(fmt.Sprintf("stages: device %d of %d has %d×%d vectors, Ld %d, for order %d", k, len(devices), x.X.Rows, x.X.Cols, x.X.Ld, n))
		}
		to += x.X.Rows
	}
	if len(d) != n || to > n || len(devices) < blockOwners {
		panic(fmt.Sprintf("stages: %d devices, vectors %d to %d of order %d", len(devices), from, to, n))
	}
	return newSharedRun(s, devices, each, progress).solve(d, e, dc.Options{From: from, To: to})
}
