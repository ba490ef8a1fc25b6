package emulated

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// rows is a factor as rows along the inner dimension: of op(A), or columns of op(B). Element k of
// row r lies r·stepRow + k·stepInner after the first one.
type rows struct {
	at                 vk.Slice[float64]
	rows, inner        int
	stepRow, stepInner int
}

// operand is op(m) as rows, or as columns if right is set.
func operand(op product.Op, m product.Matrix[float64], right bool) rows {
	if (op == product.Trans) != right {
		return rows{m.At, m.Cols, m.Rows, m.Ld, 1}
	}
	return rows{m.At, m.Rows, m.Cols, 1, m.Ld}
}

// geometry is how the planes of one factor lie in memory. All sizes are padded.
type geometry struct {
	rows, inner int
	panelBytes  int // from panel to panel
	planeBytes  int // from modulus to modulus
}

// geometry is that of a factor of the given size.
func (k *kernels) geometry(rows, inner int) geometry {
	g := geometry{rows: up(rows, k.padRows), inner: up(inner, k.padInner)}
	g.panelBytes = g.inner*k.tuning.Panel + k.tuning.Spacing
	g.planeBytes = g.rows / k.tuning.Panel * g.panelBytes
	return g
}

// words is the memory of n planes.
func (g geometry) words(n int) int { return n * g.planeBytes / 4 }

// up is the least multiple of step that is not below n.
func up(n, step int) int { return (n + step - 1) / step * step }

// The kernels that convert factors.
const (
	normThreads, normRows = 256, 32
	shiftThreads          = 128
	planeThreads          = 128
	planePart             = 16 // elements of an invocation, at most
)

// norms records the bounds of the rows' norms. The peak must have been set to zero.
func (k *kernels) recordNorms(rec *vk.Recorder, f rows, norms vk.Slice[shaders.Norm], peak vk.Slice[uint32]) {
	k.norms.Dispatch(rec, vk.Folded(vk.Tiles(f.rows, normRows)), shaders.EmulatedNormsPush{
		A: integers(f.at), Norms: norms.Addr(), Peak: peak.Addr(),
		StepRow: uint64(f.stepRow), StepInner: uint64(f.stepInner),
		Rows: uint32(f.rows), Inner: uint32(f.inner),
	}, vk.Touches(f.at), vk.Touches(norms), vk.Touches(peak))
	rec.Costs(16 * float64(f.rows) * float64(f.inner))
}

// recordPlanes records the conversion of a factor to residues.
func (k *kernels) recordPlanes(rec *vk.Recorder, f rows, right bool, shifts vk.Slice[int32], g geometry, planes vk.Slice[uint32]) {
	kernel := k.left
	if right {
		kernel = k.right
	}
	kernel.Dispatch(rec, vk.Folded(vk.Tiles(g.rows*(g.inner/min(int(k.units.depth()), planePart)), planeThreads)), shaders.EmulatedPlanesPush{
		A: integers(f.at), Shifts: shifts.Addr(), Planes: planes.Addr(),
		StepRow: uint64(f.stepRow), StepInner: uint64(f.stepInner),
		PlaneBytes: uint64(g.planeBytes), PanelBytes: uint32(g.panelBytes),
		Rows: uint32(f.rows), Inner: uint32(f.inner), PaddedRows: uint32(g.rows), PaddedInner: uint32(g.inner),
	}, vk.Touches(f.at), vk.Touches(shifts), vk.Touches(planes))
	rec.Costs(float64(8+k.moduli.N) * float64(g.rows) * float64(g.inner))
}

// integers is the address of doubles whose bits a kernel reads as integers.
func integers(s vk.Slice[float64]) spirv.Addr[uint64] { return spirv.Addr[uint64](s.Addr()) }
