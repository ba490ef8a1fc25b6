package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// PanelQR factors panels of b columns (dgeqrf, dgeqr2):
//
//	panel = Q·[R; 0]     Q = H0·H1⋯ = I − Y·T·Yᵀ, min(b, m) reflectors
//
// On return the panel holds Y explicitly (a unit lower trapezoid, zeros above
// it and in the columns that have no reflector), tau the b factors, and r the
// upper triangle of R, in the rows that exist; below its diagonal r is not touched.
//
// It is Householder's method and stable for whatever finite panel: zero,
// rank-deficient, near overflow or underflow. Each column waits for sums over the
// one before: there is a dispatch for each, or, with the same bits, one for all whose
// workgroups wait for each other.
type PanelQR struct {
	b    int
	tune PanelTuning

	start  *vk.Kernel[shaders.GeqrfPanelStartSpec, shaders.GeqrfPanelStartPush[float64]]
	first  *vk.Kernel[shaders.GeqrfPanelFirstSpec, shaders.GeqrfPanelFirstPush[float64]]
	column *vk.Kernel[shaders.GeqrfPanelColumnSpec, shaders.GeqrfPanelColumnPush[float64]]
	whole  *vk.Kernel[shaders.GeqrfPanelWholeSpec, shaders.GeqrfPanelWholePush[float64]] // instead of first and column, or nil
	tall   *vk.Kernel[shaders.GeqrfPanelWholeSpec, shaders.GeqrfPanelWholePush[float64]] // the same where a workgroup has several chunks
	chunk  int                                                                           // rows
	abort  spirv.Addr[uint32]

	state        [2]vk.Region[float64] // what one dispatch hands to the next, in turn
	slots        vk.Region[uint64]     // what a workgroup hands to the others, for each column
	exponents    vk.Region[int32]
	info         vk.Region[uint32]
	work, status *vk.Layout
}

// NewPanelQR prepares for panels of b columns and any number of rows.
func NewPanelQR(dev *vk.Device, b int, tune Tuning) (*PanelQR, error) {
	if b < 1 || b > maxPanel {
		return nil, fmt.Errorf("stages: panels of %d columns: 1 to %d can be factored", b, maxPanel)
	}
	t := tune.Panel
	if err := t.fits(dev, b); err != nil {
		return nil, err
	}
	t.Groups = min(t.Groups, vk.MostGroups())
	q := &PanelQR{b: b, tune: t, chunk: int(t.chunk(b)), abort: dev.Abort()}
	spec := shaders.GeqrfPanelColumnSpec{LocalSize: t.localSize(b), Columns: uint32(b), Chunk: t.chunk(b)}
	kernels := builder{dev: dev}
	q.start = build(&kernels, shaders.GeqrfPanelStart[float64](), shaders.GeqrfPanelStartSpec(spec))
	together := t.together(dev.Info())
	if together {
		var err error
		if together, err = mayWait(dev, tune); err != nil {
			return nil, err
		}
	}
	if together {
		s := shaders.GeqrfPanelWholeDefaults()
		s.LocalSize, s.Columns, s.Chunk = spec.LocalSize, spec.Columns, spec.Chunk
		q.whole = build(&kernels, shaders.GeqrfPanelWhole[float64](), s)
		s.Kept = 2 // more registers than there are, with more
		q.tall = build(&kernels, shaders.GeqrfPanelWhole[float64](), s)
	} else {
		q.first = build(&kernels, shaders.GeqrfPanelFirst[float64](), spec)
		q.column = build(&kernels, shaders.GeqrfPanelColumn[float64](), spec)
	}
	if kernels.err != nil {
		return nil, kernels.err
	}
	state := b * (1 + t.Groups)
	for i := range q.state {
		q.state[i] = vk.Reserve[float64]("panel state", state)
	}
	q.exponents = vk.Reserve[int32]("panel exponents", 1+t.Groups)
	if q.whole == nil {
		q.work, q.status = vk.Together(q.state[0], q.state[1], q.exponents), vk.Together()
		return q, nil
	}
	q.slots = vk.Reserve[uint64]("panel slots", (b-1)*state)
	q.info = vk.Reserve[uint32]("panel info", 1)
	q.work, q.status = vk.Together(q.state[0], q.slots, q.exponents), vk.Together(q.info)
	return q, nil
}

// maxPanel keeps a useful number of rows of a panel in a tile of shared memory.
const maxPanel = 128

// Work is the workspace of one factorisation at a time.
func (q *PanelQR) Work() *vk.Layout { return q.work }

// Status is the memory of Info, which must stay as it is until Info is read.
func (q *PanelQR) Status() *vk.Layout { return q.status }

// Info is the INFO word after a run: 0, or 1 + the column that was waited for in
// vain, which leaves the results undefined. It is empty where nothing waits.
func (q *PanelQR) Info(ws *vk.Arena) vk.Slice[uint32] {
	if q.whole == nil {
		return vk.Slice[uint32]{}
	}
	return q.info.In(ws)
}

// Flops counts those of a panel of m rows.
func (q *PanelQR) Flops(m int) float64 {
	b := float64(min(q.b, m))
	return 2*b*b*float64(m) - 2*b*b*b/3
}

// Record factors the panel, which has b columns. r is b×b, of any leading
// dimension, tau has b elements; none of the three may overlap.
func (q *PanelQR) Record(rec *vk.Recorder, ws *vk.Arena, panel, r product.Matrix, tau vk.Slice[float64]) {
	q.begin(rec, ws)
	q.record(rec, ws, panel, r, tau)
}

// begin makes ready for any number of panels, one INFO word for all.
func (q *PanelQR) begin(rec *vk.Recorder, ws *vk.Arena) {
	if q.whole != nil {
		vk.Fill(rec, q.info.In(ws), 0)
	}
}

func (q *PanelQR) record(rec *vk.Recorder, ws *vk.Arena, panel, r product.Matrix, tau vk.Slice[float64]) {
	m, b := panel.Rows, q.b
	if panel.Cols != b || r.Rows != b || r.Cols != b || tau.Len() < b {
		panic(fmt.Sprintf("stages: panel %d×%d, R %d×%d, %d factors: b is %d", m, panel.Cols, r.Rows, r.Cols, tau.Len(), b))
	}
	if m == 0 {
		return
	}
	rows, groups := q.share(m)
	state, exponents := q.state[0].In(ws), q.exponents.In(ws)
	start := shaders.GeqrfPanelStartPush[float64]{
		Panel: panel.Addr(), State: state.Addr(), Exponents: exponents.Addr(),
		M: uint32(m), Ld: uint32(panel.Ld), Rows: uint32(rows),
	}
	if q.whole == nil {
		q.start.Dispatch(rec, vk.Grid(groups), start)
		q.columns(rec, ws, panel, r, tau, rows, groups)
		return
	}
	slots := q.slots.In(ws)
	start.Slots, start.Cleared = slots.Addr(), uint32((min(b, m)-1)*b*(1+groups))
	q.start.Dispatch(rec, vk.Grid(groups), start)
	whole := q.whole
	if rows > q.chunk {
		whole = q.tall
	}
	whole.Dispatch(rec, vk.Grid(groups), shaders.GeqrfPanelWholePush[float64]{
		Panel: panel.Addr(), State: state.Addr(), Slots: slots.Addr(), Exponents: exponents.Addr(), R: r.Addr(), Tau: tau.Addr(),
		Info: q.info.In(ws).Addr(), AbortWord: q.abort,
		M: uint32(m), Ld: uint32(panel.Ld), Ldr: uint32(r.Ld), Rows: uint32(rows), Groups: uint32(groups), Polls: q.tune.Polls,
	})
	rec.Costs(2 * float64(m) * float64(b) * float64(b))
}

// columns records a dispatch for each column.
func (q *PanelQR) columns(rec *vk.Recorder, ws *vk.Arena, panel, r product.Matrix, tau vk.Slice[float64], rows, groups int) {
	m, b, grid := panel.Rows, q.b, vk.Grid(groups)
	for j := range min(b, m) {
		push := shaders.GeqrfPanelColumnPush[float64]{
			Panel: panel.Addr(), From: q.state[j%2].In(ws).Addr(), To: q.state[(j+1)%2].In(ws).Addr(),
			Exponents: q.exponents.In(ws).Addr(), R: r.Addr(), Tau: tau.Addr(),
			M: uint32(m), Ld: uint32(panel.Ld), Ldr: uint32(r.Ld), Rows: uint32(rows), Groups: uint32(groups), J: uint32(j),
		}
		if j == 0 {
			q.first.Dispatch(rec, grid, shaders.GeqrfPanelFirstPush[float64](push))
		} else {
			q.column.Dispatch(rec, grid, push)
		}
		rec.Costs(4 * float64(m) * float64(b-j))
	}
}

// share is the number of rows that each workgroup owns, whole chunks, and of workgroups.
func (q *PanelQR) share(m int) (rows, groups int) {
	rows = (m + q.tune.Groups - 1) / q.tune.Groups
	rows = (rows + q.chunk - 1) / q.chunk * q.chunk
	return rows, (m + rows - 1) / rows
}
