package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// PanelQR factors panels of b columns (dgeqrf, dgeqr2):
//
//	panel = Q·[R; 0]     Q = H0·H1⋯ = I − Y·T·Yᵀ, min(b, m) reflectors
//
// On return the panel holds Y explicitly (a unit lower trapezoid, zeros above
// it and in the columns that have no reflector), tau the b factors, and r the
// upper triangle of R, in the rows that exist; below its diagonal r is not touched.
//
// It is Householder's method, one dispatch a column, and stable for whatever
// finite panel: zero, rank-deficient, near overflow or underflow.
type PanelQR struct {
	b    int
	tune PanelTuning

	start  *vk.Kernel[shaders.GeqrfPanelStartSpec, shaders.GeqrfPanelStartPush]
	first  *vk.Kernel[shaders.GeqrfPanelFirstSpec, shaders.GeqrfPanelFirstPush]
	column *vk.Kernel[shaders.GeqrfPanelColumnSpec, shaders.GeqrfPanelColumnPush]

	state     [2]vk.Region[float64] // what one dispatch hands to the next, in turn
	exponents vk.Region[int32]
	work      *vk.Layout
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
	q := &PanelQR{b: b, tune: t}
	spec := shaders.GeqrfPanelColumnSpec{LocalSize: t.localSize(b), Columns: uint32(b), Chunk: t.chunk(b)}
	kernels := builder{dev: dev}
	q.start = build(&kernels, shaders.GeqrfPanelStart(), shaders.GeqrfPanelStartSpec(spec))
	q.first = build(&kernels, shaders.GeqrfPanelFirst(), spec)
	q.column = build(&kernels, shaders.GeqrfPanelColumn(), spec)
	if kernels.err != nil {
		return nil, kernels.err
	}
	for i := range q.state {
		q.state[i] = vk.Reserve[float64]("panel state", b*(1+t.Groups))
	}
	q.exponents = vk.Reserve[int32]("panel exponents", 1+t.Groups)
	q.work = vk.Together(q.state[0], q.state[1], q.exponents)
	return q, nil
}

// maxPanel keeps a useful number of rows of a panel in a tile of shared memory.
const maxPanel = 128

// Work is the workspace of one factorisation at a time.
func (q *PanelQR) Work() *vk.Layout { return q.work }

// Flops counts those of a panel of m rows.
func (q *PanelQR) Flops(m int) float64 {
	b := float64(min(q.b, m))
	return 2*b*b*float64(m) - 2*b*b*b/3
}

// Record factors the panel, which has b columns. r is b×b, of any leading
// dimension, tau has b elements; none of the three may overlap.
func (q *PanelQR) Record(rec *vk.Recorder, ws *vk.Arena, panel, r Matrix, tau vk.Slice[float64]) {
	m, b := panel.Rows, q.b
	if panel.Cols != b || r.Rows != b || r.Cols != b || tau.Len() < b {
		panic(fmt.Sprintf("stages: panel %d×%d, R %d×%d, %d factors: b is %d", m, panel.Cols, r.Rows, r.Cols, tau.Len(), b))
	}
	if m == 0 {
		return
	}
	rows, groups := q.share(m)
	grid := vk.Grid(groups)
	q.start.Dispatch(rec, grid, shaders.GeqrfPanelStartPush{
		Panel: panel.Addr(), State: q.state[0].In(ws).Addr(), Exponents: q.exponents.In(ws).Addr(),
		M: uint32(m), Ld: uint32(panel.Ld), Rows: uint32(rows),
	})
	for j := range min(b, m) {
		push := shaders.GeqrfPanelColumnPush{
			Panel: panel.Addr(), From: q.state[j%2].In(ws).Addr(), To: q.state[(j+1)%2].In(ws).Addr(),
			Exponents: q.exponents.In(ws).Addr(), R: r.Addr(), Tau: tau.Addr(),
			M: uint32(m), Ld: uint32(panel.Ld), Ldr: uint32(r.Ld), Rows: uint32(rows), Groups: uint32(groups), J: uint32(j),
		}
		if j == 0 {
			q.first.Dispatch(rec, grid, shaders.GeqrfPanelFirstPush(push))
		} else {
			q.column.Dispatch(rec, grid, push)
		}
		rec.Costs(4 * float64(m) * float64(b-j))
	}
}

// share is the number of rows that each workgroup owns, whole chunks, and of workgroups.
func (q *PanelQR) share(m int) (rows, groups int) {
	chunk := int(q.column.Spec.Chunk)
	rows = (m + q.tune.Groups - 1) / q.tune.Groups
	rows = (rows + chunk - 1) / chunk * chunk
	return rows, (m + rows - 1) / rows
}
