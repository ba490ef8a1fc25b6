package emulated

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// rows describes a factor as rows along the inner dimension. The rows are those of op(A), or the
// columns of op(B). Element k of row r lies r·stepRow + k·stepInner elements after element 0 of row
// 0.
type rows struct {
	at                 vk.Slice[float64]
	rows, inner        int
	stepRow, stepInner int
}

// operand returns the rows of op(m). If right is set, op(m) is a right factor and operand returns
// its columns.
func operand(op product.Op, m product.Matrix[float64], right bool) rows {
	if (op == product.Trans) != right {
		return rows{m.At, m.Cols, m.Rows, m.Ld, 1}
	}
	return rows{m.At, m.Rows, m.Cols, 1, m.Ld}
}

// geometry describes how the planes of one factor lie in memory. All sizes are padded.
type geometry struct {
	rows, inner int
	panelBytes  int // bytes from one panel to the next
	planeBytes  int // bytes from the plane of one modulus to the plane of the next
}

// geometry returns the geometry of the planes of a factor of the given size.
func (k *kernels) geometry(rows, inner int) geometry {
	g := geometry{rows: up(rows, k.padRows), inner: up(inner, k.padInner)}
	g.panelBytes = g.inner*k.tuning.Panel + k.tuning.Spacing
	g.planeBytes = g.rows / k.tuning.Panel * g.panelBytes
	return g
}

// words returns the number of 32-bit words that n planes take.
func (g geometry) words(n int) int { return n * g.planeBytes / 4 }

// up returns the least multiple of step that is not below n.
func up(n, step int) int { return (n + step - 1) / step * step }

// These are the sizes of the workgroups of the kernels that convert factors.
const (
	normThreads, normRows = 256, 32
	shiftThreads          = 128
	planeThreads          = 128
	planePart             = 16 // largest number of elements that one invocation converts
)

// recordNorms records the kernel that writes a bound of the norm of each row of f. The kernel raises
// peak to the largest of them, so peak must be zero before the dispatch.
func (k *kernels) recordNorms(rec *vk.Recorder, f rows, norms vk.Slice[shaders.Norm], peak vk.Slice[uint32]) {
	k.norms.Dispatch(rec, vk.Folded(vk.Tiles(f.rows, normRows)), shaders.EmulatedNormsPush{
		A: integers(f.at), Norms: norms.Addr(), Peak: peak.Addr(),
		StepRow: uint64(f.stepRow), StepInner: uint64(f.stepInner),
		Rows: uint32(f.rows), Inner: uint32(f.inner),
	}, vk.Touches(f.at), vk.Touches(norms), vk.Touches(peak))
	rec.Costs(16 * float64(f.rows) * float64(f.inner))
}

// recordPlanes records the conversion of the factor f to residues. If right is set, the residues are
// multiplied by the inverses qᵢ (package moduli).
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

// integers returns the address of doubles whose bits a kernel reads as integers.
func integers(s vk.Slice[float64]) spirv.Addr[uint64] { return spirv.Addr[uint64](s.Addr()) }
