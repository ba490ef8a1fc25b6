package emulated

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/vk"
)

// Units describes the hardware that multiplies bytes: matrix units or packed dot products.
type Units struct {
	// Shape is the shape of the matrix units, or zero for packed dot products.
	Shape vk.MatrixShape

	// Order says which elements of a fragment each invocation holds. A fragment is the block of the
	// result that a subgroup computes at a time; it has M rows. Its elements are numbered in the
	// order of the invocations. Bit i of an element's number becomes bit Order>>4i&15 of row +
	// M·column.
	Order uint32
}

func (u Units) Matrix() bool { return u.Shape.K > 0 }

func (u Units) String() string {
	if !u.Matrix() {
		return "packed dot products"
	}
	return fmt.Sprintf("%d×%d×%d matrix units", u.Shape.M, u.Shape.N, u.Shape.K)
}

// dots are packed dot products. Their fragment has 16×16 elements, column by column.
var dots = Units{Order: 0x76543210}

func (u Units) fragment() (m, n uint32) {
	if !u.Matrix() {
		return 16, 16
	}
	return uint32(u.Shape.M), uint32(u.Shape.N)
}

// depth returns the number of residues of one row that are contiguous in memory. For matrix units
// it is at most 16, the bytes that an invocation loads at a time: neighbouring invocations then
// store to neighbouring rows of shared memory, without bank conflicts.
func (u Units) depth() uint32 {
	if !u.Matrix() {
		return 32
	}
	return min(uint32(u.Shape.K), 16)
}

// inner returns the divisor of padded inner dimensions.
func (u Units) inner() uint32 { return max(uint32(u.Shape.K), u.depth()) }

// FindUnits returns the units with which a device multiplies bytes: matrix units if the device has
// usable ones, and packed dot products otherwise. FindUnits runs a kernel to find the Order of
// matrix units. If the order is not a permutation of bits, or if the kernel cannot be compiled or
// crashes (see machine.Machine.Attempt), FindUnits returns packed dot products. The error is a
// *vk.UnsupportedError if the device has no packed dot products, because the conversion of factors
// always needs them. Other errors come from package vk. For a vk.Dry device, which cannot run the
// kernel, Order may differ from the Order of the real device.
func FindUnits(ctx context.Context, dev *vk.Device) (Units, error) {
	info := dev.Info()
	if !info.IntegerDotProducts() { // the conversions of factors use packed dot products
		return Units{}, &vk.UnsupportedError{Device: info.Name, Feature: "shaderIntegerDotProduct", Need: "yes", Have: "no"}
	}
	all := Candidates(info)
	u := all[len(all)-1]
	if !u.Matrix() {
		return u, nil
	}
	best := u.Shape
	var refused error // why the driver's compiler refused the kernel
	text, err := machine.Of(dev).Attempt(orderName(best), func(begin func()) (string, error) {
		begin()
		var kernel *orderKernel
		if kernel, refused = buildOrder(dev, best); refused != nil {
			return "", refused
		}
		order, err := readOrder(ctx, dev, kernel, best)
		if err != nil {
			return "", err
		}
		if packed, linear := pack(order); linear {
			return fmt.Sprint(packed), nil
		}
		return irregular, nil
	})
	if text == irregular || machine.GaveUp(text) || refused != nil && !stops(ctx, refused) {
		return dots, nil
	}
	if err == nil && text != "" { // the answer of a Dry device is empty
		_, err = fmt.Sscan(text, &u.Order)
	}
	return u, err
}

func orderName(s vk.MatrixShape) string {
	return fmt.Sprintf("order of %d×%d sums of bytes", s.M, s.N)
}

// Candidates returns the units that a device may use: first packed dot products, and then, if the
// device has any, the largest matrix units that the kernels can use. The field Order of the matrix
// units is a guess, because no kernel runs.
func Candidates(info vk.Info) []Units {
	best := vk.MatrixShape{}
	for _, s := range info.ByteMatrices {
		if usable(s, info.Subgroup) && s.M*s.N*s.K > best.M*best.N*best.K {
			best = s
		}
	}
	if best.K == 0 {
		return []Units{dots}
	}
	return []Units{dots, {Shape: best, Order: dots.Order}}
}

// irregular is the stored result for a device that Units.Order cannot describe.
const irregular = "irregular"

// usable tells whether the kernels can use matrix units of shape s. Its sizes must be powers of two
// within the limits of the kernels. Each invocation of a subgroup must hold a multiple of four
// bytes, which are whole words.
func usable(s vk.MatrixShape, subgroup int) bool {
	power := func(n int) bool { return bits.OnesCount(uint(n)) == 1 }
	return power(s.M) && power(s.N) && power(s.K) && s.K >= 8 && s.K <= 32 && s.M <= 16 && s.N <= 16 &&
		subgroup > 0 && s.M*s.N%(4*subgroup) == 0
}

// stops tells whether err is the end of ctx, or says that the device is lost or closed. Any other
// error concerns emulated products alone.
func stops(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, vk.ErrDeviceLost) || errors.Is(err, vk.ErrClosed)
}

// orderKernel shows which elements of a matrix unit's result each invocation holds.
type orderKernel = vk.Kernel[shaders.EmulatedOrderSpec, shaders.EmulatedOrderPush]

func buildOrder(dev *vk.Device, s vk.MatrixShape) (*orderKernel, error) {
	return vk.Build(dev, shaders.EmulatedOrder(), shaders.EmulatedOrderSpec{
		LocalSize: uint32(dev.Info().Subgroup), FragM: uint32(s.M), FragN: uint32(s.N),
	})
}

// readOrder runs the kernel of buildOrder. It returns the place row + M·column of each element of a
// result with M rows, in the order of the invocations.
func readOrder(ctx context.Context, dev *vk.Device, kernel *orderKernel, s vk.MatrixShape) ([]uint32, error) {
	region := vk.Reserve[uint32]("order of a fragment", s.M*s.N)
	ws, err := dev.NewArena(vk.Together(region))
	if err != nil {
		return nil, err
	}
	defer ws.Close()
	rec := vk.NewRecorder(dev)
	kernel.Dispatch(rec, vk.Groups{X: 1, Y: 1, Z: 1}, shaders.EmulatedOrderPush{Order: region.In(ws).Addr()})
	if _, err := dev.Run(ctx, rec, nil); err != nil {
		return nil, err
	}
	order := make([]uint32, s.M*s.N)
	return order, vk.Download(ctx, dev, vk.Vector(order), region.In(ws))
}

// pack returns Units.Order for the places order[e] = row + M·column of the elements e of a result
// with M rows. `linear` is false if the places are not a permutation of the bits of e.
func pack(order []uint32) (packed uint32, linear bool) {
	for i := range bits.Len(uint(len(order) - 1)) {
		place := order[1<<i]
		if bits.OnesCount32(place) != 1 || int(place) >= len(order) {
			return 0, false
		}
		packed |= uint32(bits.TrailingZeros32(place)) << (4 * i)
	}
	for e, place := range order {
		if unpack(packed, e) != place {
			return 0, false
		}
	}
	return packed, true
}

// unpack returns the place row + M·column of element e of a result with M rows.
func unpack(packed uint32, e int) (place uint32) {
	for i := range 8 {
		place |= uint32(e>>i&1) << (packed >> (4 * i) & 15)
	}
	return place
}
