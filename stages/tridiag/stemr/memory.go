package stemr

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/vk"
)

// These declarations compile only if the constants of the kernels equal those of package mrrr.
var (
	_ = [1]struct{}{}[mrrr.Candidates-shaders.StemrShiftShifts]
	_ = [1]struct{}{}[mrrr.Samples-shaders.StemrSumsSamples]
	_ = [1]struct{}{}[mrrr.RootSlot+1<<32-shaders.RepresentationRoot]
)

// mrrrMemory is the workspace of MRRR.
//
// The members of a block are its wanted eigenvalues, and one more on each side. A cluster of the
// members i … j−1 owns the columns i … j−1 of the region `clusters`, in the rows of the block. Its
// representation uses columns i and i+1. A child, which is a cluster inside this cluster, owns some
// of the same columns. If the child begins with member i or i+1, the child's representation
// overwrites the parent's representation, which is not read any more. Therefore all representations
// fit into n·(m+2) elements.
type mrrrMemory struct {
	roots      vk.Region[float64] // representations of the blocks: n rows of 2 elements
	clusters   vk.Region[float64] // representations of the clusters: n rows of MRRR.ld elements, columns Slot, Slot+1
	stationary vk.Region[float64] // s̃ of the stationary transform, n for each vector in flight

	// These regions are the input and the results of Sturm counts and bisections, for Count, Bisect
	// and Level in turn. They have one element for each task of Count or Bisect. For Level they
	// have one for each eigenvalue in a cluster of the level.
	tasks  vk.Region[shaders.Task]
	x      vk.Region[float64] // points at which Count counts eigenvalues
	counts vk.Region[uint32]
	lo, hi vk.Region[float64] // ends of each interval
	step   vk.Region[float64] // distance by which an end of the interval moves next, while the interval grows
	phase  vk.Region[uint32]  // what the search for an interval does next: move the lower end, move the upper end, or halve
	of     vk.Region[int32]   // number of the cluster

	// One element for each eigenvector of a level.
	vectorTasks        vk.Region[shaders.Task]
	column             vk.Region[int32] // column of the vector in the result
	vectorLo, vectorHi vk.Region[float64]
	gap                vk.Region[float64]
	lambda, residual   vk.Region[float64]
	finished           vk.Region[uint32]

	// One element for each cluster of a level.
	clusterTasks vk.Region[shaders.Task]
	slot         vk.Region[int32]   // column of the child's representation
	shifts       vk.Region[float64] // mrrr.Candidates candidates for the shift of each cluster
	growth       vk.Region[float64] // largest element of the representation with each candidate
	chosen       vk.Region[int32]   // number of the chosen candidate
	chosenGrowth vk.Region[float64]

	sums vk.Region[float64] // sums of all vectors, 2·mrrr.Samples for each row
}

// newMRRRMemory reserves the workspace for up to m vectors of order n, of which at most inFlight
// are computed at the same time. `ld` is the leading dimension of the matrix of the clusters'
// representations.
func newMRRRMemory(n, m, ld, inFlight int) mrrrMemory {
	reals := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
	words := func(name string, n int) vk.Region[uint32] { return vk.Reserve[uint32](name, n) }
	ints := func(name string, n int) vk.Region[int32] { return vk.Reserve[int32](name, n) }
	tasks := func(name string, n int) vk.Region[shaders.Task] { return vk.Reserve[shaders.Task](name, n) }
	// `counted` is the largest number of tasks, one for each point of a grid or for each
	// eigenvalue. `clusters` is n/2, because a cluster has at least two eigenvalues.
	counted, clusters := max(n, min(mrrr.GridPoints, mrrr.GridPointsPerRow*n)), n/2
	return mrrrMemory{
		roots:      reals("MRRR root representations", 2*n),
		clusters:   reals("MRRR representations", ld*n),
		stationary: reals("MRRR stationary transforms", n*inFlight),

		tasks: tasks("MRRR tasks", counted), x: reals("MRRR points to count at", counted),
		counts: words("MRRR counts", counted),
		lo:     reals("MRRR lower ends", n), hi: reals("MRRR upper ends", n), step: reals("MRRR steps", n),
		phase: words("MRRR phases", n), of: ints("MRRR clusters of eigenvalues", n),

		vectorTasks: tasks("MRRR vector tasks", m), column: ints("MRRR columns", m),
		vectorLo: reals("MRRR vectors' lower ends", m), vectorHi: reals("MRRR vectors' upper ends", m),
		gap: reals("MRRR gaps", m), lambda: reals("MRRR vectors' values", m),
		residual: reals("MRRR residuals", m), finished: words("MRRR finished", m),

		clusterTasks: tasks("MRRR cluster tasks", clusters), slot: ints("MRRR slots", clusters),
		shifts: reals("MRRR shifts", mrrr.Candidates*clusters), growth: reals("MRRR growth", mrrr.Candidates*clusters),
		chosen: ints("MRRR chosen shifts", clusters), chosenGrowth: reals("MRRR growth of the chosen", clusters),

		sums: reals("MRRR sums of vectors", 2*mrrr.Samples*n),
	}
}

func (w *mrrrMemory) layout() *vk.Layout {
	return vk.Together(w.roots, w.clusters, w.stationary,
		w.tasks, w.x, w.counts, w.lo, w.hi, w.step, w.phase, w.of,
		w.vectorTasks, w.column, w.vectorLo, w.vectorHi, w.gap, w.lambda, w.residual, w.finished,
		w.clusterTasks, w.slot, w.shifts, w.growth, w.chosen, w.chosenGrowth, w.sums)
}

// taskList returns tasks in the form that the kernels read. mrrr.RootSlot becomes the constant ROOT
// of representation.glsl.
func taskList(tasks []mrrr.Task) []shaders.Task {
	records := make([]shaders.Task, len(tasks))
	for i, t := range tasks {
		records[i] = shaders.Task{Lo: uint32(t.Lo), Hi: uint32(t.Hi), Slot: uint32(t.Slot), Index: uint32(t.Index)}
		if t.Sharp {
			records[i].Sharp = 1
		}
	}
	return records
}
