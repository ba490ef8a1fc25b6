package stemr

import (
	"context"
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/vk"
)

// MRRR finds eigenvalues and eigenvectors of a symmetric tridiagonal matrix by multiple relatively
// robust representations (dstemr; Dhillon and Parlett 2004):
//
//	T·Z = Z·Λ     for the m = iu − il eigenvalues il … iu−1; the smallest has index 0
//
// MRRR needs O(n·m) operations. Package stages/tridiag/mrrr is the algorithm and runs on the host.
// From O(n) numbers for each level of the representation tree, it decides which eigenvalues are
// single and which form clusters. The device does all work of order n·m. The host needs the results
// of each level before it can continue. Therefore there is no method Record: Solve records and runs
// each level.
//
//	memory.go    the workspace
//	run.go       one solve in progress
//	record.go    its recordings
//	fallback.go  blocks that divide and conquer solves
//
// Source: I. Dhillon and B. Parlett, Linear Algebra Appl. 387 (2004); by levels, C. Lessig and P.
// Bientinesi, PPAM 2009.
type MRRR struct {
	dev      *vk.Device
	n, m     int // order of T, and largest number of vectors
	tune     Tuning
	fallback *stedc.DivideConquer // nil: the host solves all blocks that need it

	count   *vk.Kernel[shaders.StemrCountSpec, shaders.StemrCountPush]
	bisect  *vk.Kernel[shaders.StemrBisectSpec, shaders.StemrBisectPush]
	bracket *vk.Kernel[shaders.StemrBracketSpec, shaders.StemrBracketPush]
	shift   *vk.Kernel[shaders.StemrShiftSpec, shaders.StemrShiftPush]
	child   *vk.Kernel[shaders.StemrChildSpec, shaders.StemrChildPush]
	vector  *vk.Kernel[shaders.StemrVectorSpec, shaders.StemrVectorPush]
	sums    *vk.Kernel[shaders.StemrSumsSpec, shaders.StemrSumsPush]
	place   *vk.Kernel[shaders.StemrPlaceSpec, shaders.StemrPlacePush]

	memory mrrrMemory
	work   *vk.Layout
}

type MRRRCounters = mrrr.Counters

const mrrrSumThreads = 128

// mrrrFlops is the approximate cost for each row of each vector: 50 Sturm counts of the two
// bisections, and three steps of a Rayleigh quotient iteration. A division counts as one operation.
const mrrrFlops = 50*6 + 3*25

// NewMRRR prepares the solver for matrices of order n and up to m of their vectors, 0 ≤ m ≤ n.
//
// Divide and conquer solves the blocks of T for which MRRR finds no good vectors. The host solves
// small blocks. If there are large blocks, the stage `fallback`, which must be made for order n,
// solves all of T on the device. If `fallback` is nil, the host solves the large blocks, too. If m
// = n, Work includes the memory of `fallback`, because MRRR needs as much memory anyway. If m < n,
// Solve allocates this memory only when it is needed, which is rare: n² elements and fallback.Work.
func NewMRRR(dev *vk.Device, n, m int, fallback *stedc.DivideConquer, t Tuning) (*MRRR, error) {
	if m < 0 || m > n {
		panic(fmt.Sprintf("stages: %d vectors of order %d", m, n))
	}
	if err := t.Fits(dev.Info()); err != nil {
		return nil, err
	}
	s := &MRRR{dev: dev, n: n, m: m, tune: t, fallback: fallback}
	b := stages.Builder{Dev: dev}
	threads := s.tune.Threads
	s.count = stages.Build(&b, shaders.StemrCount(), shaders.StemrCountSpec{LocalSize: threads})
	s.bisect = stages.Build(&b, shaders.StemrBisect(), shaders.StemrBisectSpec{LocalSize: threads})
	s.bracket = stages.Build(&b, shaders.StemrBracket(), shaders.StemrBracketSpec{LocalSize: threads})
	s.shift = stages.Build(&b, shaders.StemrShift(), shaders.StemrShiftSpec{LocalSize: threads})
	s.child = stages.Build(&b, shaders.StemrChild(), shaders.StemrChildSpec{LocalSize: threads})
	s.vector = stages.Build(&b, shaders.StemrVector(), shaders.StemrVectorSpec{LocalSize: threads})
	s.sums = stages.Build(&b, shaders.StemrSums(), shaders.StemrSumsSpec{LocalSize: mrrrSumThreads})
	s.place = stages.Build(&b, shaders.StemrPlace(), shaders.StemrPlaceSpec{LocalSize: threads})
	if b.Err != nil {
		return nil, b.Err
	}
	s.memory = newMRRRMemory(n, m, s.ld(), s.inFlight())
	s.work = s.memory.layout()
	if s.inPlace() {
		s.work = vk.InTurn(s.work, fallback.Work())
	}
	return s, nil
}

// `ld` is the leading dimension of the matrix of the clusters' representations, which is stored row
// by row: its number of columns. A cluster of c ≥ 2 eigenvalues owns c columns and uses two of
// them. For m wanted eigenvalues there are m + 2 columns, because on each side of the wanted range
// a cluster may contain one more eigenvalue.
func (s *MRRR) ld() int { return min(s.n, s.m+2) }

func (s *MRRR) inFlight() int { return min(s.m, s.tune.Vectors) }

// inPlace reports whether the workspace includes the memory of divide and conquer.
func (s *MRRR) inPlace() bool { return s.fallback != nil && s.m == s.n }

// Work is about n·(m + min(m, Tuning.Vectors)) elements for order n and at most m vectors. If it
// includes the memory of the fallback, it is as large as the larger of the two.
func (s *MRRR) Work() *vk.Layout { return s.work }

func (s *MRRR) Flops() float64 { return mrrrFlops * float64(s.n) * float64(s.m) }

// Solve finds the eigenvalues il … iu−1 of the tridiagonal matrix with diagonal d (n elements) and
// off-diagonal e (n−1 elements), in ascending order. It writes their vectors to xt, which is
// (iu−il)×n: element (j, i) is component i of the vector of value il+j.
//
// If MRRR fails for large blocks, divide and conquer solves the problem, on the device if NewMRRR
// got a fallback and xt is packed (Ld = iu−il). Divide and conquer uses the memory of Work if Work
// includes it and xt has n² elements. Otherwise Solve allocates the memory. The error is a
// *tridiag.NonFiniteError, a *tridiag.NoConvergenceError of divide and conquer, a
// *vk.OutOfMemoryError if there is no memory for divide and conquer, or another error of package
// vk.
func (s *MRRR) Solve(
	ctx context.Context, ws *vk.Arena, d, e []float64, il, iu int, xt stages.Matrix,
) ([]float64, MRRRCounters, *vk.Profile, error) {
	if xt.Rows != iu-il || xt.Cols != s.n || len(d) != s.n || iu-il > s.m {
		panic(fmt.Sprintf("stages: vectors %d to %d of order %d into %d×%d, prepared for %d of order %d", il, iu,
			len(d), xt.Rows, xt.Cols, s.m, s.n))
	}
	if il == iu {
		return nil, MRRRCounters{}, vk.NewProfile(), nil
	}
	return newMRRRRun(ctx, ws, s, xt).solve(d, e, il, iu)
}
