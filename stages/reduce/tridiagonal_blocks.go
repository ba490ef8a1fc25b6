package reduce

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// BlockedTuning holds the sizes for matrices of which the registers of the device hold only a part.
// Their first columns are reduced in blocks (dlatrd): during a block, A does not change, and for
// each column the device reads all of A once, one part from registers and the other part from
// memory. After a block, products of matrices update the rest of A.
type BlockedTuning struct {
	// Left is the largest order that Tridiagonalisation reduces without blocks. The first columns
	// of a larger matrix are reduced in blocks, until Left columns are left. 0 means that no matrix
	// is reduced in blocks.
	Left int

	// Columns is the number of columns of a block, at least 1.
	Columns int

	// LocalSize is the number of invocations of a workgroup, a power of two.
	LocalSize uint32

	// Groups is the largest number of workgroups. The device must have at least one unit
	// (multiprocessor) for each workgroup.
	Groups int

	// Block is the number of neighbouring rows of A in a group; 0 means 1. The workgroups take the
	// groups in turn.
	Block int

	// Registers is the number of doubles that an invocation has in registers: two for each row of
	// its workgroup, and four (latrdVectors) for each of its columns. The rest holds elements of A.
	Registers int
}

func (t BlockedTuning) splits(n int) bool { return t.Left > 0 && n > t.Left }

// blocksFit returns nil if the first columns of matrices of order n can be reduced with these sizes
// on the device. The errors are those of Fits.
func blocksFit[T spirv.Scalar](t BlockedTuning, info vk.Info, n int) error {
	if t.LocalSize == 0 || t.LocalSize&(t.LocalSize-1) != 0 || t.Groups < 1 || t.Block < 0 || t.Columns < 1 || t.Registers < 0 {
		return fmt.Errorf("stages: no matrix of order %d can be reduced in blocks of columns with %+v", n, t)
	}
	if groups := t.groups(n); groups > max(info.Units, 1) {
		return stages.Refused(info, "units, one for each workgroup", groups, info.Units)
	}
	spec := latrdSpec[T](t, n, info.Subgroup)
	if size := int(spec.LocalSize); size > info.MaxLocal {
		return stages.Refused(info, "invocations in a workgroup", size, info.MaxLocal)
	}
	need := stages.SharedOf(shaders.Latrd[T], spec)
	if need.Err == nil && need.Bytes > info.SharedBytes {
		return stages.Refused(info, "bytes of shared memory", need.Bytes, info.SharedBytes)
	}
	return need.Err
}

func (t BlockedTuning) rows(n int) int {
	block := max(t.Block, 1)
	return ((n+t.Groups-1)/t.Groups + block - 1) / block * block
}

func (t BlockedTuning) groups(n int) int { return (n + t.rows(n) - 1) / t.rows(n) }

// latrdVectors is the number of vectors that the kernel latrd keeps in registers.
const latrdVectors = 4

// latrdSpec returns the specialization constants of the kernel latrd. The registers of an invocation
// hold twice as many elements of A for float32 as for float64, and half as many for complex128.
func latrdSpec[T spirv.Scalar](t BlockedTuning, n, subgroup int) shaders.LatrdSpec {
	s := shaders.LatrdDefaults()
	rows := t.rows(n)
	s.Lanes = stages.PowerOfTwo(min(max(subgroup, 1), mostLanes))
	s.LocalSize = max(t.LocalSize, s.Lanes)
	chunks := vk.Tiles(n, s.LocalSize)
	free := t.Registers*8/int(spirv.KindOf[T]().Size()) - 2*rows - latrdVectors*chunks
	s.Rows, s.Chunks, s.Kept = uint32(rows), uint32(chunks), uint32(min(chunks, max(free, 0)/rows))
	s.Block, s.Columns = uint32(max(t.Block, 1)), uint32(t.Columns)
	return s
}

// tridiagonalBlocks reduces the first columns of a Hermitian matrix to tridiagonal form, in blocks
// of columns (dlatrd and dsyr2k, zlatrd and zher2k). For a block,
//
//	Qᴴ·A·Q = T (the block's columns) and A − V·Wᴴ − W·Vᴴ (the other columns).
//
// V has the Householder reflectors of the block. One dispatch computes V and W.
type tridiagonalBlocks[T spirv.Scalar] struct {
	n      int
	tune   BlockedTuning
	polls  uint32
	ops    product.Ops[T]
	kernel *vk.Kernel[shaders.LatrdSpec, shaders.LatrdPush[T]]
	cut    *vk.Kernel[shaders.LacpyUpperSpec, shaders.LacpyUpperPush[T]]
	abort  spirv.Addr[uint32]

	// panel has the columns of V and W alternately. `slots` has the numbers that workgroups
	// exchange during one block, slotsOf[T] words each.
	panel vk.Region[T]
	slots vk.Region[uint64]
	work  *vk.Layout
}

func newTridiagonalBlocks[T spirv.Scalar](
	dev *vk.Device, n int, ops product.Ops[T], w stages.Waiting, t TridiagonalisationTuning,
) (*tridiagonalBlocks[T], error) {
	b := t.Blocked
	kernels := stages.Builder{Dev: dev}
	s := &tridiagonalBlocks[T]{n: n, tune: b, polls: t.Polls, ops: ops, abort: dev.Abort()}
	spec := latrdSpec[T](b, n, dev.Info().Subgroup)
	spec.WideFence = spirv.BoolOf(w.WideFence)
	s.kernel = stages.Build(&kernels, shaders.Latrd[T](), spec)
	s.cut = panel.BuildCut[T](&kernels)
	if kernels.Err != nil {
		return nil, kernels.Err
	}
	s.panel = vk.Reserve[T]("V, W", 2*n*b.Columns)
	s.slots = vk.Reserve[uint64]("slots of a block", s.words(n, b.Columns))
	s.work = vk.Together(s.panel, s.slots)
	return s, ops.Reserve(product.Shape{M: n, N: n, K: b.Columns, Count: 1})
}

func (s *tridiagonalBlocks[T]) words(n, columns int) int {
	spec := s.kernel.Spec
	return (columns + 1) * (2*n + 2*s.tune.Columns*int(spec.LocalSize/spec.Lanes+1)) * slotsOf[T]()
}

// record reduces the first n − Left columns of the n×n matrix a. The results are those of
// Tridiagonalisation.Record for these columns. A dispatch has at most `limit` workgroups. After
// each block it calls `done` with the number of columns reduced so far.
func (s *tridiagonalBlocks[T]) record(
	rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], band, tau vk.Slice[T], info vk.Slice[uint32], limit int, done func(columns int),
) {
	last, groups := s.n-s.tune.Left, s.tune.groups(s.n)
	for begin := 0; begin < last; begin += s.tune.Columns {
		n, columns := s.n-begin, min(s.tune.Columns, last-begin)
		rest, panel := a.Block(begin, begin, n, n), s.panel.In(ws)
		slots := s.slots.In(ws).Sub(0, s.words(n, columns))
		vk.Fill(rec, slots, math.MaxUint32)
		s.kernel.Dispatch(rec, vk.Grid(min(limit, groups)), shaders.LatrdPush[T]{
			A: rest.Addr(), Panel: panel.Addr(), T: band.Sub(2*begin, 2*columns).Addr(), Tau: tau.Sub(begin, columns).Addr(),
			Slots: slots.Addr(), Info: info.Addr(), AbortWord: s.abort,
			N: uint32(n), Ld: uint32(a.Ld), Columns: uint32(columns), Groups: uint32(groups), Polls: s.polls,
		})
		rec.Costs(2 * float64(columns) * float64(n) * float64(n))
		m := n - columns
		v := product.NewMatrix(panel.Sub(columns, (2*columns-2)*n+m), m, columns, 2*n)
		w := product.NewMatrix(panel.Sub(n+columns, (2*columns-2)*n+m), m, columns, 2*n)
		s.ops.GemmPair(rec, ws, product.NoTrans, product.Adjoint, -1,
			product.Pair[T]{A: v, B: w}, product.Pair[T]{A: w, B: v}, 1, rest.Block(columns, columns, m, m))
		done(begin + columns)
	}
	// In the finished columns, the elements of A above the reflectors are still in memory. They are
	// set to zero.
	panel.RecordCut(rec, s.cut, a.Block(0, 0, last, s.n), product.Matrix[T]{}, 0, 1)
}
