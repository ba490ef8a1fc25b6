package panel

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// QR factors panels of b columns (dgeqrf, dgeqr2):
//
//	panel = Q·[R; 0]     Q = H0·H1⋯ = I − Y·T·Yᴴ, min(b, m) reflectors
//
// Afterwards the panel holds Y, the reflectors as columns: a unit lower trapezoid, with zeros above
// it and in the columns that have no reflector. tau holds the b factors τ of the reflectors. r
// holds the upper triangle of R, in its first min(b, m) rows; the part of r below the diagonal is
// not written.
//
// The method is Householder's. It is stable for every finite panel, also if the panel is zero,
// rank-deficient, or near overflow or underflow. The reflector of a column depends on sums over all
// rows, to which the previous reflectors have been applied. Therefore each column is a dispatch, or
// one dispatch factors all columns and its workgroups wait for each other. The two ways give the
// same bits.
type QR[T spirv.Scalar] struct {
	b    int // columns
	tune Tuning

	// Kernels. `start` computes the sums for the reflector of the first column. Then one dispatch
	// of `whole` factors all columns, or one of `first` factors the first column and one of
	// `column` each later column.

	start  *vk.Kernel[shaders.GeqrfPanelStartSpec, shaders.GeqrfPanelStartPush[T]]
	first  *vk.Kernel[shaders.GeqrfPanelFirstSpec, shaders.GeqrfPanelFirstPush[T]]
	column *vk.Kernel[shaders.GeqrfPanelColumnSpec, shaders.GeqrfPanelColumnPush[T]]

	// `whole` is nil if each column is a dispatch. `tall` is its variant for panels so tall that a
	// workgroup processes several chunks of rows.
	whole, tall *vk.Kernel[shaders.GeqrfPanelWholeSpec, shaders.GeqrfPanelWholePush[T]]

	// `chunk` is the number of rows that a workgroup processes at the same time. `abort` is the
	// device address of a word that the host sets to end all waits of workgroups.
	chunk int
	abort spirv.Addr[uint32]

	// Each region of `state` belongs to one column j. It holds row j of the panel and, for each
	// workgroup, the products of column j with every column, summed over the workgroup's rows.
	// Successive dispatches use the two regions alternately.
	state [2]vk.Region[T]

	// `slots` is the memory through which the workgroups of the kernel `whole` exchange numbers.
	// For every column each workgroup writes its sums and its elements of the current row, and all
	// others read them. A slot is a word of 64 bits for one number, so that one store writes the
	// number. A complex128 has two slots.
	slots vk.Region[uint64]

	// `exponents` has the binary exponents by which the rows of the workgroups are scaled, so that
	// no square overflows.
	exponents vk.Region[int32]

	// `flags` holds only the INFO word of the kernel `whole`. There are no flags: a workgroup polls
	// the slot (64-bit word) of the number that it needs until the slot is not empty.
	flags machine.Flags

	work, status *vk.Layout
}

// MaxPanel is the largest number of columns of a panel. If a panel were wider, too few of its rows
// would fit into shared memory.
const MaxPanel = 128

// NewQR builds the kernels for panels of b columns, 1 ≤ b ≤ 128, and any number of rows.
func NewQR[T spirv.Scalar](dev *vk.Device, b int, w stages.Waiting, t Tuning) (*QR[T], error) {
	if b < 1 || b > MaxPanel {
		return nil, fmt.Errorf("stages: panels of %d columns: 1 to %d can be factored", b, MaxPanel)
	}
	if err := panelFits[T](t, dev.Info(), b); err != nil {
		return nil, err
	}
	q, err := newPanelQR[T](dev, b, w.Allowed && !w.Crowded && t.together(dev.Info()), t)
	if err != nil || q.whole == nil {
		return q, err
	}
	tall := q.whole.Spec
	tall.Kept = 2 // with more, registers spill
	q.tall, err = vk.Build(dev, shaders.GeqrfPanelWhole[T](), tall)
	return q, err
}

// newPanelQR is NewQR without checks and without the kernel for tall panels. If `together` is true,
// one dispatch factors all columns.
func newPanelQR[T spirv.Scalar](dev *vk.Device, b int, together bool, t Tuning) (*QR[T], error) {
	t.Groups = min(t.Groups, vk.MaxGroups()) // one dimension of a grid
	spec := panelSpec[T](t, b)
	q := &QR[T]{b: b, tune: t, chunk: int(spec.Chunk), abort: dev.Abort()}
	kernels := stages.Builder{Dev: dev}
	q.start = stages.Build(&kernels, shaders.GeqrfPanelStart[T](), shaders.GeqrfPanelStartSpec(spec))
	if together {
		q.whole = stages.Build(&kernels, shaders.GeqrfPanelWhole[T](), wholeSpec(spec))
	} else {
		q.first = stages.Build(&kernels, shaders.GeqrfPanelFirst[T](), spec)
		q.column = stages.Build(&kernels, shaders.GeqrfPanelColumn[T](), spec)
	}
	if kernels.Err != nil {
		return nil, kernels.Err
	}
	q.reserve()
	return q, nil
}

func (q *QR[T]) reserve() {
	state := q.b * (1 + q.tune.Groups)
	for i := range q.state {
		q.state[i] = vk.Reserve[T]("panel state", state)
	}
	q.exponents = vk.Reserve[int32]("panel exponents", 1+q.tune.Groups)
	if q.whole == nil {
		q.work, q.status = vk.Together(q.state[0], q.state[1], q.exponents), vk.Together()
		return
	}
	q.slots = vk.Reserve[uint64]("panel slots", (q.b-1)*state*slotsOf[T]())
	q.flags = machine.ReserveFlags("panel info", 0, 0, 1)
	q.work, q.status = vk.Together(q.state[0], q.slots, q.exponents), q.flags.Layout()
}

// slotsOf returns the number of slots (64-bit words) of a number of type T.
func slotsOf[T spirv.Scalar]() int { return max(1, int(spirv.KindOf[T]().Size()/8)) }

// Work is the workspace of one factorisation. Factorisations that run in turn can share it.
func (q *QR[T]) Work() *vk.Layout { return q.work }

func (q *QR[T]) Status() *vk.Layout { return q.status }

// Info returns the INFO word. It is 0 after a successful run. Otherwise a wait reached the poll
// limit, and the word is 1 plus the index of the column whose sums did not come. The slice is empty
// if workgroups do not wait for each other.
func (q *QR[T]) Info(ws *vk.Arena) vk.Slice[uint32] {
	if q.whole == nil {
		return vk.Slice[uint32]{}
	}
	return q.flags.Info(ws)
}

func (q *QR[T]) Flops(m int) float64 {
	b := float64(min(q.b, m))
	return 2*b*b*float64(m) - 2*b*b*b/3
}

// Record factors the panel, which has b columns. r is b×b, with any leading dimension; tau has b
// elements.
func (q *QR[T]) Record(rec *vk.Recorder, ws *vk.Arena, panel, r product.Matrix[T], tau vk.Slice[T]) {
	q.Begin(rec, ws)
	q.RecordNext(rec, ws, panel, r, tau)
}

// Begin clears the INFO word. Any number of calls of RecordNext may follow.
func (q *QR[T]) Begin(rec *vk.Recorder, ws *vk.Arena) {
	if q.whole != nil {
		q.flags.Clear(rec, ws)
	}
}

// RecordNext is Record without Begin.
func (q *QR[T]) RecordNext(rec *vk.Recorder, ws *vk.Arena, panel, r product.Matrix[T], tau vk.Slice[T]) {
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
	// The kernel `start` also marks all slots, the 64-bit words for exchanged numbers, as empty.
	// Later the kernel `whole` polls a slot until it is not empty.
	slots := q.slots.In(ws)
	start.Slots, start.Cleared = slots.Addr(), uint32((min(b, m)-1)*b*(1+groups)*slotsOf[T]())
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

// columns records one dispatch for each column. Each reads the sums of the previous column and
// writes those for the next one. The two regions of `state` are used alternately, so that no
// dispatch reads the region that it writes.
func (q *QR[T]) columns(rec *vk.Recorder, ws *vk.Arena, panel, r product.Matrix[T], tau vk.Slice[T]) {
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

// share returns the number of rows of each workgroup, a multiple of q.chunk, and the number of
// workgroups.
func (q *QR[T]) share(m int) (rows, groups int) {
	rows = (m + q.tune.Groups - 1) / q.tune.Groups // evenly
	rows = (rows + q.chunk - 1) / q.chunk * q.chunk
	return rows, (m + rows - 1) / rows
}
