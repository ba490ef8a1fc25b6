package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// PanelQR factors panels of b columns (dgeqrf, dgeqr2):
//
//	panel = Q·[R; 0]     Q = H0·H1⋯ = I − Y·T·Yᵀ, min(b, m) reflectors
//
// After a run the panel holds Y explicitly: a unit lower trapezoid, with zeros above it and in the
// columns that have no reflector. tau holds the b factors, and r the upper triangle of R in the
// rows that exist. The part of r below the diagonal is not written.
//
// The method is Householder's. It is stable for every finite panel: zero, rank-deficient, near
// overflow or underflow. Each column needs sums over the column before it. So each column is a
// dispatch of its own, or one dispatch does all columns and its workgroups wait for each other.
// Both ways give the same bits.
type PanelQR[T spirv.Scalar] struct {
	b    int // columns
	tune PanelTuning

	// start computes the sums of the first column. After start, the first column is one dispatch of
	// first and each later column one of column; or one dispatch of whole does all columns.

	start  *vk.Kernel[shaders.GeqrfPanelStartSpec, shaders.GeqrfPanelStartPush[T]]
	first  *vk.Kernel[shaders.GeqrfPanelFirstSpec, shaders.GeqrfPanelFirstPush[T]]
	column *vk.Kernel[shaders.GeqrfPanelColumnSpec, shaders.GeqrfPanelColumnPush[T]]

	// whole is nil if each column is a dispatch. tall is the variant of whole for workgroups that
	// have several chunks of rows.
	whole, tall *vk.Kernel[shaders.GeqrfPanelWholeSpec, shaders.GeqrfPanelWholePush[T]]

	// chunk is the number of rows that a workgroup processes together. abort is the address of the
	// word that the host sets to end all waits.
	chunk int
	abort spirv.Addr[uint32]

	// state holds row j of the panel, and for each workgroup its part of the dot products of column
	// j with every column. Successive dispatches use the two regions in turn.
	state [2]vk.Region[T]

	// slots serves the kernel whole. It holds the same numbers as state for every column, written
	// by each workgroup for all others. Its words have 64 bits so that a number is never read half
	// written.
	slots vk.Region[uint64]

	// exponents is the binary scale of the rows of each workgroup. With this scale no square
	// overflows.
	exponents vk.Region[int32]

	// flags serves the kernel whole. It holds only the INFO word, because a slot that is not empty
	// is its own flag.
	flags machine.Flags

	work, status *vk.Layout
}

// maxPanel is the largest b. For wider panels too few rows would fit into shared memory.
const maxPanel = 128

// NewPanelQR builds the kernels for panels of b columns, 1 ≤ b ≤ 128, and any number of rows.
func NewPanelQR[T spirv.Scalar](dev *vk.Device, b int, w Waiting, t PanelTuning) (*PanelQR[T], error) {
	if b < 1 || b > maxPanel {
		return nil, fmt.Errorf("stages: panels of %d columns: 1 to %d can be factored", b, maxPanel)
	}
	if err := panelFits[T](t, dev.Info(), b); err != nil {
		return nil, err
	}
	t.Groups = min(t.Groups, vk.MaxGroups()) // one dimension of a grid
	spec := panelSpec[T](t, b)
	q := &PanelQR[T]{b: b, tune: t, chunk: int(spec.Chunk), abort: dev.Abort()}
	kernels := builder{dev: dev}
	q.start = build(&kernels, shaders.GeqrfPanelStart[T](), shaders.GeqrfPanelStartSpec(spec))
	if w.Allowed && t.together(dev.Info()) {
		s := wholeSpec(spec)
		q.whole = build(&kernels, shaders.GeqrfPanelWhole[T](), s)
		s.Kept = 2 // with more, registers spill
		q.tall = build(&kernels, shaders.GeqrfPanelWhole[T](), s)
	} else {
		q.first = build(&kernels, shaders.GeqrfPanelFirst[T](), spec)
		q.column = build(&kernels, shaders.GeqrfPanelColumn[T](), spec)
	}
	if kernels.err != nil {
		return nil, kernels.err
	}
	q.reserve()
	return q, nil
}

// reserve lays out the workspace and the memory of INFO.
func (q *PanelQR[T]) reserve() {
	state := q.b * (1 + q.tune.Groups)
	for i := range q.state {
		q.state[i] = vk.Reserve[T]("panel state", state)
	}
	q.exponents = vk.Reserve[int32]("panel exponents", 1+q.tune.Groups)
	if q.whole == nil {
		q.work, q.status = vk.Together(q.state[0], q.state[1], q.exponents), vk.Together()
		return
	}
	q.slots = vk.Reserve[uint64]("panel slots", (q.b-1)*state)
	q.flags = machine.ReserveFlags("panel info", 0, 0, 1)
	q.work, q.status = vk.Together(q.state[0], q.slots, q.exponents), q.flags.Layout()
}

// Work is the workspace of one factorisation at a time.
func (q *PanelQR[T]) Work() *vk.Layout { return q.work }

// Status is the memory of the INFO word. It must not be overwritten until Info is read.
func (q *PanelQR[T]) Status() *vk.Layout { return q.status }

// Info is the INFO word after a run. It is 0, or 1 + the column whose sums did not arrive within
// the poll limit; in that case the results are undefined. The slice is empty if no workgroup waits.
func (q *PanelQR[T]) Info(ws *vk.Arena) vk.Slice[uint32] {
	if q.whole == nil {
		return vk.Slice[uint32]{}
	}
	return q.flags.Info(ws)
}

// Flops is the cost of factoring a panel of m rows, in flops.
func (q *PanelQR[T]) Flops(m int) float64 {
	b := float64(min(q.b, m))
	return 2*b*b*float64(m) - 2*b*b*b/3
}

// Record factors the panel, which has b columns. r is b×b with any leading dimension, and tau has b
// elements. None of panel, r and tau may overlap.
func (q *PanelQR[T]) Record(rec *vk.Recorder, ws *vk.Arena, panel, r product.Matrix[T], tau vk.Slice[T]) {
	q.begin(rec, ws)
	q.record(rec, ws, panel, r, tau)
}

// begin clears the INFO word. Any number of calls of record may follow.
func (q *PanelQR[T]) begin(rec *vk.Recorder, ws *vk.Arena) {
	if q.whole != nil {
		q.flags.Clear(rec, ws)
	}
}

// record is Record without clearing the INFO word.
func (q *PanelQR[T]) record(rec *vk.Recorder, ws *vk.Arena, panel, r product.Matrix[T], tau vk.Slice[T]) {
	m, b := panel.Rows, q.b
	if panel.Cols != b || r.Rows != b || r.Cols != b || tau.Len() < b {
		panic(fmt.Sprintf("stages: panel %d×%d, R %d×%d, %d factors: b is %d",
			m, panel.Cols, r.Rows, r.Cols, tau.Len(), b))
	}
	if m == 0 {
		return
	}
	rows, groups := q.share(m)
	state, exponents := q.state[0].In(ws), q.exponents.In(ws)
	start := shaders.GeqrfPanelStartPush[T]{
		Panel: panel.Addr(), State: state.Addr(), Exponents: exponents.Addr(),
		M: uint32(m), Ld: uint32(panel.Ld), Rows: uint32(rows),
	}
	if q.whole == nil {
		q.start.Dispatch(rec, vk.Grid(groups), start)
		q.columns(rec, ws, panel, r, tau)
		return
	}
	// The kernel start also marks all slots as empty before the kernel whole polls them.
	slots := q.slots.In(ws)
	start.Slots, start.Cleared = slots.Addr(), uint32((min(b, m)-1)*b*(1+groups))
	q.start.Dispatch(rec, vk.Grid(groups), start)
	whole := q.whole
	if rows > q.chunk {
		whole = q.tall
	}
	whole.Dispatch(rec, vk.Grid(groups), shaders.GeqrfPanelWholePush[T]{
		Panel: panel.Addr(), State: state.Addr(), Slots: slots.Addr(), Exponents: exponents.Addr(),
		R: r.Addr(), Tau: tau.Addr(), Info: q.flags.Info(ws).Addr(), AbortWord: q.abort,
		M: uint32(m), Ld: uint32(panel.Ld), Ldr: uint32(r.Ld), Rows: uint32(rows), Groups: uint32(groups),
		Polls: q.tune.Polls,
	})
	rec.Costs(2 * float64(m) * float64(b) * float64(b))
}

// columns records a dispatch for each column. The two regions of state serve in turn for the sums,
// so that no dispatch reads the region that it writes.
func (q *PanelQR[T]) columns(rec *vk.Recorder, ws *vk.Arena, panel, r product.Matrix[T], tau vk.Slice[T]) {
	m, b := panel.Rows, q.b
	rows, groups := q.share(m)
	grid := vk.Grid(groups)
	for j := range min(b, m) {
		push := shaders.GeqrfPanelColumnPush[T]{
			Panel: panel.Addr(), From: q.state[j%2].In(ws).Addr(), To: q.state[(j+1)%2].In(ws).Addr(),
			Exponents: q.exponents.In(ws).Addr(), R: r.Addr(), Tau: tau.Addr(),
			M: uint32(m), Ld: uint32(panel.Ld), Ldr: uint32(r.Ld), Rows: uint32(rows), Groups: uint32(groups),
			J: uint32(j),
		}
		if j == 0 {
			q.first.Dispatch(rec, grid, shaders.GeqrfPanelFirstPush[T](push))
		} else {
			q.column.Dispatch(rec, grid, push)
		}
		rec.Costs(4 * float64(m) * float64(b-j))
	}
}

// share returns the number of rows of each workgroup, a multiple of the chunk, and the number of
// workgroups.
func (q *PanelQR[T]) share(m int) (rows, groups int) {
	rows = (m + q.tune.Groups - 1) / q.tune.Groups // evenly
	rows = (rows + q.chunk - 1) / q.chunk * q.chunk
	return rows, (m + rows - 1) / rows
}
