package reduce

import (
	"fmt"
	"slices"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// BandShare is the part of one device in a band reduction by several devices (dsytrd_sy2sb,
// zhetrd_he2hb),
//
//	A = Q1·B·Q1ᴴ     B has half-bandwidth b
//
// The method and the names are those of BandReduction. The columns of A are divided among the
// devices (ColumnBlocks), and a block has the k columns after which the trailing matrix gets an
// update. For each panel with reflectors y the devices do this:
//
//	RecordPanel      the owner of the panel factors it, I − y·T·yᴴ
//	                 y and the factors τ go to the other devices
//	RecordProduct    each device forms its part of the product P = (A − Y·Zᴴ − Z·Yᴴ)·y
//	                 the parts of all devices are copied to all
//	RecordUpdate     each device adds the parts, in the order of the devices, computes T, forms
//	                 z = P·T + y·N, N = −½·Tᴴ·(yᴴ·P)·T, and after a block of panels updates its own
//	                 columns, A ← A − Y·Zᴴ − Z·Yᴴ
//
// A block of columns is stored from the row of its first column on, with its diagonal block in
// full. The part of a device in the product A·y comes from the elements in the columns of this
// device, and from their transposes (product.SymmColumns). So no device reads elements of A that
// another device has. The columns Y of the pending update take the place of columns of A in the
// block of the panel. The owner has this block, and the other devices have a copy of it.
//
// BandShare starts no goroutines, and does not copy between devices. The caller does both.
type BandShare[T spirv.Scalar] struct {
	BandSize
	blocks ColumnBlocks
	device int
	parts  []float64 // element k is the sum of the fractions of devices 0 … k, which divide Y·(Zᴴ·y) + Z·(Yᴴ·y)
	own    product.Columns

	// `products` computes products with few columns, `multiply` computes the device's part of A·y,
	// and `updates` computes the updates of the trailing matrix.
	products, updates product.Ops[T]
	multiply          *product.SymmColumns[T]

	// `mirror` completes the diagonal blocks of A from their lower triangles.
	qr      *panel.QR[T]
	factor  panel.FactorRows[T]
	middle  *vk.Kernel[shaders.Sy2sbMiddleSpec, shaders.Sy2sbMiddlePush[T]]
	extract *vk.Kernel[shaders.BandExtractSpec, shaders.BandExtractPush[T]]
	mirror  *move.SymmetricLoad[T]
	sums    product.Sums[T]

	// The letters are those of the formulas above. y is a copy of the block of columns in progress, if
	// another device has this block. z is Z, with the shape of the block. p holds the parts of P of
	// all devices, n×b each, and `sum` is P. s holds Yᴴ·y and Zᴴ·y for the device's columns of Y and
	// Z. `gram` is yᴴ·y, x is yᴴ·P, and `between` is N. `factors` holds T twice.
	y, z, p, sum, s, gram, x, between, factors vk.Region[T]
	work                                       *vk.Layout
}

// ShareOps are the matrix products of a BandShare: Products for few columns, Updates for the
// trailing matrix. They may be the same.
type ShareOps[T spirv.Scalar] struct {
	Products *product.Tiled[T]
	Updates  product.Ops[T]
}

// NewBandShare prepares the part of device number `device` of those that `blocks` names. Element k
// of `parts` is the sum of the fractions of the devices 0 … k. The blocks must have the width
// size.K.
func NewBandShare[T spirv.Scalar](
	dev *vk.Device, size BandSize, blocks ColumnBlocks, device int, parts []float64, ops ShareOps[T], w stages.Waiting, t panel.Tuning,
) (*BandShare[T], error) {
	n, b, k := size.N, size.B, size.K
	if n < 1 || b < 1 || k < b || k%b != 0 || blocks.N != n || blocks.Width != k {
		return nil, fmt.Errorf("stages: share of a band reduction of order %d to half-bandwidth %d by updates of rank %d, "+
			"in blocks of %d columns of %d: want b ≥ 1, k a multiple of b, blocks of k columns", n, b, k, blocks.Width, blocks.N)
	}
	r := &BandShare[T]{
		BandSize: size, blocks: blocks, device: device, parts: parts, own: blocks.Part(device),
		products: ops.Products, updates: ops.Updates,
	}
	var err error
	if r.qr, err = panel.NewQR[T](dev, b, w, t); err != nil {
		return nil, err
	}
	if r.factor, err = panel.NewFactorRows[T](dev, b); err != nil {
		return nil, err
	}
	if r.multiply, err = product.NewSymmColumns(dev, ops.Products, r.own); err != nil {
		return nil, err
	}
	if r.mirror, err = move.NewSymmetricLoad[T](dev); err != nil {
		return nil, err
	}
	if r.sums, err = product.NewSums[T](dev); err != nil {
		return nil, err
	}
	kernels := stages.Builder{Dev: dev}
	r.middle = stages.Build(&kernels, shaders.Sy2sbMiddle[T](), shaders.Sy2sbMiddleSpec{LocalSize: t.LocalSize, Columns: uint32(b)})
	r.extract = stages.Build(&kernels, shaders.BandExtract[T](), shaders.BandExtractSpec{LocalSize: t.LocalSize})
	if kernels.Err != nil {
		return nil, kernels.Err
	}
	return r, r.reserve()
}

func (r *BandShare[T]) reserve() error {
	n, b, k := r.N, r.B, min(r.K, r.N)
	r.y, r.z = vk.Reserve[T]("Y of a block", n*k), vk.Reserve[T]("Z", n*k)
	r.p, r.sum = vk.Reserve[T]("parts of P", len(r.parts)*n*b), vk.Reserve[T]("P", n*b)
	r.s, r.gram, r.factors = vk.Reserve[T]("Yᵀy, Zᵀy", 2*k*b), vk.Reserve[T]("yᵀy", b*b), vk.Reserve[T]("T of a panel", 2*b*b)
	r.x, r.between = vk.Reserve[T]("yᵀP", b*b), vk.Reserve[T]("TᵀYᵀPT", b*b)
	r.work = vk.Together(r.y, r.z, r.p, r.sum, r.s, r.gram, r.x, r.between, r.factors, r.multiply.Work(), r.qr.Work())
	err := r.products.Reserve(
		product.Shape{M: n, N: b, K: 2 * k, Count: 1}, // the pending update of a panel and of P
		product.Shape{M: k, N: b, K: n, Count: 3},     // Yᴴ·y, Zᴴ·y, yᴴ·y and yᴴ·P
	)
	if err != nil {
		return err
	}
	return r.updates.Reserve(product.Shape{M: n, N: k, K: 2 * k, Count: 1})
}

// The contents of Work must not change between the first and the last panel.
func (r *BandShare[T]) Work() *vk.Layout { return r.work }

func (r *BandShare[T]) Status() *vk.Layout { return r.qr.Status() }

func (r *BandShare[T]) Info(ws *vk.Arena) vk.Slice[uint32] { return r.qr.Info(ws) }

// Elements is the number of elements of A that the device stores.
func (r *BandShare[T]) Elements() int { return r.own.Elements() }

func (r *BandShare[T]) Own() []int { return r.own.Blocks }

func (r *BandShare[T]) Has(j int) bool { return r.blocks.Owner[j] == r.device }

func (r *BandShare[T]) Owner(column int) int { return r.blocks.Owner[r.blocks.Of(column)] }

func (r *BandShare[T]) Blocks() ColumnBlocks { return r.blocks }

// Flops is the cost of the whole reduction, by all devices.
func (r *BandShare[T]) Flops() float64 { return r.flops(r.N) }

// Block returns block j of the columns of A, without the rows above its first diagonal element. `a`
// is the memory of the device's columns. If another device has the block, the result is this
// device's copy of the block, which must be in progress.
func (r *BandShare[T]) Block(ws *vk.Arena, a vk.Slice[T], j int) product.Matrix[T] {
	from, to := r.blocks.Columns(j)
	rows, memory := r.N-from, r.y.In(ws)
	if r.Has(j) {
		i, _ := slices.BinarySearch(r.own.Blocks, j)
		memory = a.Sub(r.own.At[i], r.blocks.elements(j))
	}
	return product.NewMatrix(memory.Sub(0, rows*(to-from)), rows, to-from, rows)
}
