package move

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Signs chooses the signs of eigenvectors, which the eigenvalues do not determine. In each column
// the element with the largest magnitude becomes positive. If there are several such elements, the
// first one becomes positive. For complex numbers Signs chooses the phases: this element becomes
// real and positive.
type Signs[T spirv.Scalar] struct {
	columns *vk.Kernel[shaders.ColumnSignsSpec, shaders.ColumnSignsPush[T]]
}

const signThreads = 256 // invocations of a workgroup, at most

func NewSigns[T spirv.Scalar](dev *vk.Device) (*Signs[T], error) {
	b := stages.Builder{Dev: dev}
	k := stages.Build(&b, shaders.ColumnSigns[T](), shaders.ColumnSignsSpec{LocalSize: b.Threads(signThreads)})
	return &Signs[T]{k}, b.Err
}

// Record changes the signs of the columns of x in place.
func (s *Signs[T]) Record(rec *vk.Recorder, x product.Matrix[T]) { s.record(rec, x, 0, 0) }

// RecordDeciding is Record, and also sets word j of `flipped` to 1 if the signs of column j were
// changed, and otherwise to 0. For complex numbers `flipped` has FlippedWords words for each column,
// which receive the phase of the deciding element. If x has no rows, `flipped` is not written.
func (s *Signs[T]) RecordDeciding(rec *vk.Recorder, x product.Matrix[T], flipped vk.Slice[uint32]) {
	s.record(rec, x, wordsOf(x, flipped), 0)
}

// RecordFollowing changes the signs of those columns of x whose word in `flipped` is not 0.
// RecordDeciding has set the words for another matrix: for example, the left singular vectors
// change their signs together with the right ones. For complex numbers it changes the phases of all
// columns as RecordDeciding did.
func (s *Signs[T]) RecordFollowing(rec *vk.Recorder, x product.Matrix[T], flipped vk.Slice[uint32]) {
	s.record(rec, x, wordsOf(x, flipped), 1)
}

func wordsOf[T spirv.Scalar](x product.Matrix[T], flipped vk.Slice[uint32]) spirv.Addr[uint32] {
	stages.Holds("the flipped columns", flipped, x.Cols*FlippedWords[T]())
	return flipped.Addr()
}

// FlippedWords is the number of words that RecordDeciding writes for a column: a word for real
// numbers, and a number of type T for complex ones.
func FlippedWords[T spirv.Scalar]() int {
	if k := spirv.KindOf[T](); k.IsComplex() {
		return int(k.Size() / spirv.Uint32.Size())
	}
	return 1
}

// record dispatches one workgroup for each column. If `follow` is 1, the column's word in `flipped`
// decides, and otherwise the sign of the element with the largest magnitude.
func (s *Signs[T]) record(rec *vk.Recorder, x product.Matrix[T], flipped spirv.Addr[uint32], follow uint32) {
	if x.Rows == 0 || x.Cols == 0 {
		return
	}
	s.columns.Dispatch(rec, vk.Folded(x.Cols), shaders.ColumnSignsPush[T]{
		X: x.Addr(), Flipped: flipped, Rows: uint32(x.Rows), Cols: uint32(x.Cols), Ldx: uint32(x.Ld), Follow: follow,
	})
}
