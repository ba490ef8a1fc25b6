package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// copyTile is the side of the tiles that transpositions move, copyThreads the
// invocations that move one.
const copyTile, copyThreads = 32, 128

// SymmetricLoad makes a whole matrix of one triangle, times a scale (dlacpy,
// dlascl): A ← σ·A, in place.
type SymmetricLoad struct {
	mirror *vk.Kernel[shaders.LacpySymmetricSpec, shaders.LacpySymmetricPush[float64]]
}

// NewSymmetricLoad prepares for matrices of any order.
func NewSymmetricLoad(dev *vk.Device, _ Tuning) (*SymmetricLoad, error) {
	b := builder{dev: dev}
	spec := shaders.LacpySymmetricSpec{LocalSize: copyThreads, Tile: copyTile}
	return &SymmetricLoad{build(&b, shaders.LacpySymmetric[float64](), spec)}, b.err
}

// Record reads the lower triangle of a, or the upper one, and writes both.
// What the other one held, NaN for example, is gone.
func (s *SymmetricLoad) Record(rec *vk.Recorder, a product.Matrix, upper bool, sigma float64) {
	if a.Rows != a.Cols {
		panic(fmt.Sprintf("stages: symmetric matrix of %d×%d", a.Rows, a.Cols))
	}
	if a.Rows == 0 {
		return
	}
	push := shaders.LacpySymmetricPush[float64]{A: a.Addr(), Sigma: sigma, N: uint32(a.Rows), Ld: uint32(a.Ld)}
	if upper {
		push.Upper = 1
	}
	tiles := vk.Tiles(a.Rows, copyTile)
	s.mirror.Dispatch(rec, vk.Folded(tiles*(tiles+1)/2), push)
}

// Transpose writes a transposed matrix elsewhere: B = Aᵀ.
type Transpose struct {
	kernel *vk.Kernel[shaders.TransposeSpec, shaders.TransposePush[float64]]
}

// NewTranspose prepares for matrices of any shape.
func NewTranspose(dev *vk.Device, _ Tuning) (*Transpose, error) {
	b := builder{dev: dev}
	spec := shaders.TransposeSpec{LocalSize: copyThreads, Tile: copyTile}
	return &Transpose{build(&b, shaders.Transpose[float64](), spec)}, b.err
}

// Record writes aᵀ to b, which must not overlap a.
func (s *Transpose) Record(rec *vk.Recorder, a, b product.Matrix) {
	if a.Rows != b.Cols || a.Cols != b.Rows {
		panic(fmt.Sprintf("stages: transposition of %d×%d into %d×%d", a.Rows, a.Cols, b.Rows, b.Cols))
	}
	if a.Rows == 0 || a.Cols == 0 {
		return
	}
	s.kernel.Dispatch(rec, vk.Folded(vk.Tiles(a.Rows, copyTile)*vk.Tiles(a.Cols, copyTile)), shaders.TransposePush[float64]{
		A: a.Addr(), B: b.Addr(), Rows: uint32(a.Rows), Cols: uint32(a.Cols), Lda: uint32(a.Ld), Ldb: uint32(b.Ld),
	})
}
