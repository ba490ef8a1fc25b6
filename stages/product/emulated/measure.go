package emulated

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Facts holds the measurements of real or of complex products on one device. Native and Emulated
// are rates of products in flops per second. Bytes is the rate of emulated products in operations
// on bytes per second. Right tells whether a small emulated product had the right bits. All are
// zero if nothing was measured.
type Facts struct {
	Native, Emulated, Bytes float64
	Right                   bool

	// Fault is set if a stored measurement forbids emulated products. It says what the integer
	// units did, for example "computed a product wrongly". The rates are then usually zero.
	Fault string
}

// Gain returns the ratio of the rates of emulated and native products. It is 0 if nothing was
// measured.
func (f Facts) Gain() float64 { return f.Emulated / max(f.Native, 1) }

// factsName returns the name under which Facts are stored. It contains the version of the
// measurement, so that results of older versions are not read. A change of the measurement, or of
// the speed of a measured kernel, needs a new version.
func factsName[T Double]() string {
	if isComplex[T]() {
		return "emulated complex products, 1: flops a second native and emulated, operations on bytes, right"
	}
	return "emulated products, 3: flops a second native and emulated, operations on bytes, right"
}

// The measured products are made larger, from leastOrder on, until the native product takes
// measureSeconds or has mostOrder rows. The inner dimension is a quarter of the order, but at most
// mostDepth.
const (
	leastOrder, mostOrder, mostDepth = 1024, 4096, 512
	measureSeconds                   = 4e-3
	measureModuli                    = 14
	measureRepeat                    = 3
)

// Measured returns the rates of native and emulated products on a device with its driver. They are
// measured once, in some milliseconds and the time to compile the kernels, and are then stored. The
// beginning of a measurement is stored first, because a driver may crash while it compiles or runs
// the kernels: see machine.Machine.Attempt. The facts are zero for a vk.Dry device without stored
// facts. Errors are those of FindUnits and of package vk.
func Measured[T Double](ctx context.Context, dev *vk.Device, t product.Tuning) (Facts, error) {
	return measured[T](ctx, dev, t, leastOrder)
}

// measured does the work of Measured. `least` is the order of the smallest product that it
// measures.
func measured[T Double](ctx context.Context, dev *vk.Device, t product.Tuning, least int) (Facts, error) {
	// The kind of integer units is also a stored fact, and only one fact can be measured at a time.
	units, err := FindUnits(ctx, dev)
	if err != nil {
		return Facts{}, err
	}
	text, err := machine.Of(dev).Attempt(factsName[T](), func(begin func()) (string, error) {
		begin()
		f, err := measure[T](ctx, dev, t, units, least)
		return f.text(), err
	})
	if err != nil {
		return Facts{}, err
	}
	return read(text)
}

// Known returns the stored facts of Measured, or zero facts. It runs no kernel.
func Known[T Double](dev *vk.Device) Facts {
	text, err := dev.ProbeOnce(factsName[T](), func() (string, error) { return "", errUnknown })
	if err != nil {
		return Facts{}
	}
	f, err := read(text)
	if err != nil { // the text says that a measurement has begun, and has no result
		return Facts{}
	}
	return f
}

var errUnknown = errors.New("emulated: not measured")

// Keep stores the rates f of real products for a device, and KeepComplex those of complex products,
// for tests and for forecasts on a vk.Dry device.
func (f Facts) Keep(dev *vk.Device)        { dev.SetProbe(factsName[float64](), f.text()) }
func (f Facts) KeepComplex(dev *vk.Device) { dev.SetProbe(factsName[complex128](), f.text()) }

func (f Facts) text() string { return fmt.Sprint(f.Native, f.Emulated, f.Bytes, f.Right) }

func read(text string) (f Facts, err error) {
	switch {
	case text == "":
		return f, nil
	case machine.GaveUp(text):
		return Facts{Fault: "gave no result in several measurements"}, nil
	}
	if _, err := fmt.Sscan(text, &f.Native, &f.Emulated, &f.Bytes, &f.Right); err != nil {
		return Facts{}, fmt.Errorf("emulated: the stored rates are %q: %w", text, err)
	}
	if !f.Right {
		f.Fault = "computed a product wrongly"
	}
	return f, nil
}

func measure[T Double](ctx context.Context, dev *vk.Device, t product.Tuning, units Units, least int) (f Facts, err error) {
	if f.Right, err = multipliesRight[T](ctx, dev, t, units); err != nil || !f.Right {
		return f, err
	}
	for n := least; ; n *= 2 {
		k := min(n/4, mostDepth)
		native, emulated, err := race[T](ctx, dev, t, units, n, k)
		if err != nil {
			return f, err
		}
		multiplications, scheme := float64(n)*float64(n)*float64(k), schemeOf[T]()
		flops := 2 * float64(scheme.doubles*scheme.doubles) * multiplications
		bytes := 2 * float64(scheme.system(measureModuli).Planes()) * multiplications
		f.Native, f.Emulated, f.Bytes = flops/native, flops/emulated, bytes/emulated
		if native >= measureSeconds || n >= mostOrder {
			return f, nil
		}
	}
}

// race returns the times, in seconds, of a native and of an emulated product C − A·Bᵀ of order n
// with inner dimension k: the shortest of several runs each.
func race[T Double](ctx context.Context, dev *vk.Device, t product.Tuning, u Units, n, k int) (native, emulated float64, err error) {
	plain, err := product.New[T](dev, t)
	if err != nil {
		return 0, 0, err
	}
	e := t.Emulated
	e.Least, e.Held = product.Shape{}, 0 // reserves no memory for symmetric factors
	ops, err := NewOn(dev, plain, e, measureModuli, u)
	if err != nil {
		return 0, 0, err
	}
	if err := ops.Reserve(product.Shape{M: n, N: n, K: k, Count: 1}); err != nil {
		return 0, 0, err
	}
	a, c := vk.Reserve[T]("A", n*k), vk.Reserve[T]("C", n*n)
	ws, err := dev.NewArena(vk.Together(a, c, ops.Work(), ops.Status()))
	if err != nil {
		return 0, 0, err
	}
	defer ws.Close()
	ma, mc := product.NewMatrix(a.In(ws), n, k, n), product.NewMatrix(c.In(ws), n, n, n)
	native, emulated = math.Inf(1), math.Inf(1)
	for range measureRepeat {
		rec := vk.NewRecorder(dev)
		const aboutOne = 0x3ff3ff3f // each 32-bit word of a double has this value, so the double is near 1.25
		vk.Fill(rec, a.In(ws), aboutOne)
		vk.Fill(rec, c.In(ws), aboutOne)
		ops.Begin(rec, ws)
		rec.Phase("native", 0, 1)
		plain.Gemm(rec, ws, product.NoTrans, product.Trans, -1, ma, ma, 1, mc)
		rec.Phase("emulated", 0, 1)
		ops.Gemm(rec, ws, product.NoTrans, product.Trans, -1, ma, ma, 1, mc)
		profile, err := dev.Run(ctx, rec, nil)
		if err != nil {
			return 0, 0, err
		}
		native, emulated = min(native, profile.Phase("native")), min(emulated, profile.Phase("emulated"))
	}
	return max(native, 1e-9), max(emulated, 1e-9), nil
}

// goldenM, goldenN and goldenK are the sizes of the golden product, whose bits are compared with
// goldenHash. They are not multiples of a tile.
const goldenM, goldenN, goldenK = 150, 140, 1100

// goldenHash has the hash of the product of goldenFactors that emulation with 14 moduli must give,
// for real numbers (false) and for complex numbers (true). TestGoldenHash checks it with package
// ref. It is a variable so that a test can change it and thus simulate a device that computes
// wrongly.
var goldenHash = map[bool]uint64{false: 0xbc2474b681bf8e68, true: 0x3c5663a400f95d8d}

// goldenFactors returns the factors of the golden product, column by column. Each element, or each
// of its two parts, is a signed integer of 53 bits times a power of two from 2⁻⁶⁰ to 2⁻⁴⁵.
func goldenFactors[T Double]() (a, b []T) {
	state := uint64(2025)
	next := func() float64 {
		state = state*6364136223846793005 + 1442695040888963407 // Knuth's generator
		return math.Ldexp(float64(int64(state)>>11), int(state>>7&15)-60)
	}
	fill := func(n int) []T {
		x := make([]T, n)
		for i := range x {
			switch x := any(&x[i]).(type) {
			case *float64:
				*x = next()
			case *complex128:
				*x = complex(next(), next())
			}
		}
		return x
	}
	return fill(goldenM * goldenK), fill(goldenN * goldenK)
}

// hashOf is FNV-1a over the bits of all elements.
func hashOf[T Double](x []T) uint64 {
	h := fnv.New64a()
	binary.Write(h, binary.LittleEndian, x) // writing to a hash returns no errors
	return h.Sum64()
}

func multipliesRight[T Double](ctx context.Context, dev *vk.Device, t product.Tuning, u Units) (bool, error) {
	plain, err := product.New[T](dev, t)
	if err != nil {
		return false, err
	}
	e := t.Emulated
	e.Least, e.Held = product.Shape{}, 0 // reserves no memory for symmetric factors
	ops, err := NewOn(dev, plain, e, measureModuli, u)
	if err != nil {
		return false, err
	}
	if err := ops.Reserve(product.Shape{M: goldenM, N: goldenN, K: goldenK, Count: 1}); err != nil {
		return false, err
	}
	a, b := vk.Reserve[T]("A", goldenM*goldenK), vk.Reserve[T]("B", goldenN*goldenK)
	c := vk.Reserve[T]("C", goldenM*goldenN)
	ws, err := dev.NewArena(vk.Together(a, b, c, ops.Work(), ops.Status()))
	if err != nil {
		return false, err
	}
	defer ws.Close()
	hostA, hostB := goldenFactors[T]()
	if err := vk.Upload(ctx, dev, a.In(ws), vk.Vector(hostA)); err != nil {
		return false, err
	}
	if err := vk.Upload(ctx, dev, b.In(ws), vk.Vector(hostB)); err != nil {
		return false, err
	}
	rec := vk.NewRecorder(dev)
	ops.Begin(rec, ws)
	ops.Gemm(rec, ws, product.NoTrans, product.Trans, 1, product.NewMatrix(a.In(ws), goldenM, goldenK, goldenM),
		product.NewMatrix(b.In(ws), goldenN, goldenK, goldenN), 0, product.NewMatrix(c.In(ws), goldenM, goldenN, goldenM))
	if _, err := dev.Run(ctx, rec, nil); err != nil {
		return false, err
	}
	host := make([]T, goldenM*goldenN)
	if err := vk.Download(ctx, dev, vk.Vector(host), c.In(ws)); err != nil {
		return false, err
	}
	return hashOf(host) == goldenHash[isComplex[T]()], nil
}
