package move

import (
	"fmt"
	"unsafe"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

const (
	Tile        = 32  // largest side of the square tiles that a transposition moves through shared memory
	TileThreads = 128 // invocations of a workgroup, which moves one tile
)

// movedAtOnce is the largest number of bytes that one dispatch reads and writes, if the dispatch
// only moves a matrix. A device that moves 20 GB/s takes 54 ms for them. Only tests change it.
var movedAtOnce = float64(1 << 30)

// moves records a kernel that moves a matrix of `count` parts, such as columns or tiles. Each part
// takes `bytes` bytes of reads and writes. `dispatch` records the parts first … first+some−1. There
// are several dispatches if the matrix is larger than movedAtOnce.
func moves(rec *vk.Recorder, count int, bytes float64, dispatch func(first, some int)) {
	stages.InPortions(count, int(max(1, movedAtOnce/bytes)), func(first, some int) {
		dispatch(first, some)
		rec.Costs(float64(some) * bytes)
	})
}

// TileOn returns the side of the tiles for elements of type T: Tile, or half of it if such a tile
// does not fit into the shared memory of the device. Half is needed for complex128 if a workgroup
// has only 16 KiB.
func TileOn[T any](info vk.Info) uint32 {
	if Tile*(Tile+1)*int(sizeOf[T]()) > info.SharedBytes {
		return Tile / 2
	}
	return Tile
}

func sizeOf[T any]() float64 {
	var x T
	return float64(unsafe.Sizeof(x))
}

// SymmetricLoad makes a full symmetric or Hermitian matrix from one triangle and multiplies it by a
// scale factor: A ← σ·A in place (dlacpy and dlascl).
//
// A caller's matrix usually has only one triangle. The stages read the lower triangle, but checks
// of results multiply by the full matrix.
type SymmetricLoad[T spirv.Scalar] struct {
	mirror *vk.Kernel[shaders.LacpySymmetricSpec, shaders.LacpySymmetricPush[T]]
}

func NewSymmetricLoad[T spirv.Scalar](dev *vk.Device) (*SymmetricLoad[T], error) {
	spec := shaders.LacpySymmetricSpec{LocalSize: TileThreads, Tile: TileOn[T](dev.Info())}
	k, err := vk.Build(dev, shaders.LacpySymmetric[T](), spec)
	return &SymmetricLoad[T]{k}, err
}

// Triangle says which triangle of a symmetric or Hermitian matrix is stored: the upper one, or the
// lower one. If the rows are stored one after another instead of the columns, RowMajor is true.
type Triangle struct{ Upper, RowMajor bool }

// Record reads the stored triangle of a, and replaces a by the full matrix sigma·a, stored by
// columns. The other triangle may hold any values, even NaN, as may imaginary parts of the
// diagonal.
func (s *SymmetricLoad[T]) Record(rec *vk.Recorder, a product.Matrix[T], stored Triangle, sigma float64) {
	if a.Rows != a.Cols {
		panic(fmt.Sprintf("stages: symmetric matrix of %d×%d", a.Rows, a.Cols))
	}
	if a.Rows == 0 {
		return
	}
	push := shaders.LacpySymmetricPush[T]{A: a.Addr(), Sigma: spirv.RealBitsOf[T](sigma), N: uint32(a.Rows), Ld: uint32(a.Ld)}
	// If memory that holds a Hermitian matrix A by rows is read by columns, the matrix is Aᵀ =
	// conj(A).
	if stored.Upper != stored.RowMajor {
		push.Upper = shaders.LacpySymmetricUpper
	}
	if stored.RowMajor && spirv.KindOf[T]().IsComplex() {
		push.Upper |= shaders.LacpySymmetricConjugate
	}
	// Each workgroup writes one tile of the triangle and its mirror image.
	tile := s.mirror.Spec.Tile
	tiles := vk.Tiles(a.Rows, tile)
	moves(rec, tiles*(tiles+1)/2, 3*float64(tile*tile)*sizeOf[T](), func(first, some int) {
		push.First, push.End = uint32(first), uint32(first+some)
		s.mirror.Dispatch(rec, vk.Folded(some), push)
	})
}

// Copying copies a matrix to other memory (dlacpy).
type Copying[T spirv.Scalar] struct {
	kernel *vk.Kernel[shaders.LacpySpec, shaders.LacpyPush[T]]
}

const copyingThreads = 256 // largest number of invocations of a workgroup

func NewCopying[T spirv.Scalar](dev *vk.Device) (*Copying[T], error) {
	b := stages.Builder{Dev: dev}
	k := stages.Build(&b, shaders.Lacpy[T](), shaders.LacpySpec{LocalSize: b.Threads(copyingThreads)})
	return &Copying[T]{k}, b.Err
}

// Record copies x to y, which has the same shape. x and y may have any leading dimensions.
func (s *Copying[T]) Record(rec *vk.Recorder, x, y product.Matrix[T]) {
	if x.Rows != y.Rows || x.Cols != y.Cols {
		panic(fmt.Sprintf("stages: copy of %d×%d to %d×%d", x.Rows, x.Cols, y.Rows, y.Cols))
	}
	if x.Rows == 0 || x.Cols == 0 {
		return
	}
	moves(rec, x.Cols, 2*float64(x.Rows)*sizeOf[T](), func(first, some int) {
		s.kernel.Dispatch(rec, vk.Folded(vk.Tiles(x.Rows, s.kernel.Spec.LocalSize)*some), shaders.LacpyPush[T]{
			X: x.Block(0, first, x.Rows, some).Addr(), Y: y.Block(0, first, y.Rows, some).Addr(),
			Rows: uint32(x.Rows), Cols: uint32(some), Ldx: uint32(x.Ld), Ldy: uint32(y.Ld),
		}, vk.Touches(x.At), vk.Touches(y.At))
	})
}

// Transpose writes the transpose of a matrix to other memory: B = Aᵀ.
type Transpose[T spirv.Stored] struct {
	kernel *vk.Kernel[shaders.TransposeSpec, shaders.TransposePush[T]]
}

func NewTranspose[T spirv.Stored](dev *vk.Device) (*Transpose[T], error) {
	k, err := vk.Build(dev, shaders.Transpose[T](), shaders.TransposeSpec{LocalSize: TileThreads, Tile: TileOn[T](dev.Info())})
	return &Transpose[T]{k}, err
}

// Record writes aᵀ to b. a and b may have any leading dimensions.
func (s *Transpose[T]) Record(rec *vk.Recorder, a, b product.Matrix[T]) {
	if a.Rows != b.Cols || a.Cols != b.Rows {
		panic(fmt.Sprintf("stages: transposition of %d×%d into %d×%d", a.Rows, a.Cols, b.Rows, b.Cols))
	}
	if a.Rows == 0 || a.Cols == 0 {
		return
	}
	tile := s.kernel.Spec.Tile
	moves(rec, vk.Tiles(a.Cols, tile), 2*float64(tile)*float64(a.Rows)*sizeOf[T](), func(first, some int) {
		from := first * int(tile)
		cols := min(some*int(tile), a.Cols-from)
		s.kernel.Dispatch(rec, vk.Folded(vk.Tiles(a.Rows, tile)*some), shaders.TransposePush[T]{
			A: a.Block(0, from, a.Rows, cols).Addr(), B: b.Block(from, 0, cols, b.Cols).Addr(),
			Rows: uint32(a.Rows), Cols: uint32(cols), Lda: uint32(a.Ld), Ldb: uint32(b.Ld),
		}, vk.Touches(a.At), vk.Touches(b.At))
	})
}
