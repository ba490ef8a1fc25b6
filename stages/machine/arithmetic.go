package machine

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// Arithmetic is what was found of a device's doubles. Errors are the largest ones seen, in units in
// the last place of the result; correct rounding leaves ½.
type Arithmetic struct {
	// Operands is the number of quotients and of roots that were tried.
	Operands int `json:"operands"`

	// Division and Sqrt are the largest errors in ulps; +Inf if a result is no number.
	Division float64 `json:"division_ulp"`
	Sqrt     float64 `json:"sqrt_ulp"`

	// Fused: fma() rounds once.
	Fused bool `json:"fused_fma"`

	// Subnormals: numbers below the smallest normal one are kept, not flushed to zero.
	Subnormals bool `json:"subnormals"`
}

// MeasureArithmetic measures with two small kernels: one divides and takes roots of operands whose
// results are hard to round, the other tells whether fma() rounds once. Errors are vk's.
func MeasureArithmetic(ctx context.Context, dev *vk.Device) (Arithmetic, error) {
	var a Arithmetic
	fused, err := isFused(ctx, dev)
	if err != nil {
		return a, err
	}
	in := operands()
	out, err := divideAndRoot(ctx, dev, in)
	if err != nil {
		return a, err
	}
	a = Arithmetic{Operands: len(in), Fused: fused, Subnormals: true}
	// The largest errors, in ulps.
	for i, o := range in {
		a.Division = max(a.Division, divisionError(o.x, o.y, out[i].quotient))
		a.Sqrt = max(a.Sqrt, rootError(o.z, out[i].root))
	}
	// A device that flushes subnormal numbers to zero shows it here.
	kept, err := divideAndRoot(ctx, dev, subnormals)
	for i, o := range subnormals {
		a.Subnormals = a.Subnormals && err == nil && kept[i].quotient == o.x/o.y
	}
	return a, err
}

// result is what the device makes of an operand. quotient is x/y and root is √z, as the device
// rounds them.
type result struct{ quotient, root float64 }

// divideAndRoot runs probe_arithmetic: x/y and √z of each operand. The results are in the order of
// the operands. Errors are vk's.
func divideAndRoot(ctx context.Context, dev *vk.Device, in []operand) ([]result, error) {
	k, err := vk.Build(dev, shaders.ProbeArithmetic(), shaders.ProbeArithmeticDefaults())
	if err != nil {
		return nil, err
	}
	// The kernel reads triples x, y, z and writes pairs x/y, √z.
	flat := make([]float64, 0, 3*len(in))
	for _, o := range in {
		flat = append(flat, o.x, o.y, o.z)
	}
	out := make([]float64, 2*len(in))
	err = run(ctx, dev, flat, out, func(rec *vk.Recorder, x, y vk.Slice[float64]) {
		k.Dispatch(rec, vk.Grid(vk.Tiles(len(in), k.Spec.LocalSize)), shaders.ProbeArithmeticPush{
			Operands: x.Addr(), Results: y.Addr(), Triples: uint32(len(in)),
		})
	})
	if err != nil {
		return nil, err
	}
	results := make([]result, len(in))
	for i := range results {
		results[i] = result{out[2*i], out[2*i+1]}
	}
	return results, nil
}

// isFused runs probe_fma. It tells whether fma(x, y, −round(x·y)) is the exact error of the
// product, for all of some pairs of factors. If one of them is not fused, the answer is false.
// Errors are vk's.
func isFused(ctx context.Context, dev *vk.Device) (bool, error) {
	k, err := vk.Build(dev, shaders.ProbeFma(), shaders.ProbeFmaDefaults())
	if err != nil {
		return false, err
	}
	// Products that are not exact: two near 1, two of irrational numbers.
	factors := []float64{1 + 0x1p-30, 1 - 0x1p-31, math.Pi, math.E, math.Sqrt2, -math.Ln2}
	out := make([]uint32, len(factors)/2)
	err = run(ctx, dev, factors, out, func(rec *vk.Recorder, x vk.Slice[float64], y vk.Slice[uint32]) {
		k.Dispatch(rec, vk.Grid(1), shaders.ProbeFmaPush{Factors: x.Addr(), Fused: y.Addr(), Pairs: uint32(len(out))})
	})
	for _, v := range out {
		if v != 1 {
			return false, err
		}
	}
	return err == nil, err
}

// run uploads in, runs what record records, and downloads out. record must not keep the slices,
// because the memory is freed when run returns. The host slices in and out are not used after that
// either.
func run[T any](
	ctx context.Context, dev *vk.Device, in []float64, out []T, record func(*vk.Recorder, vk.Slice[float64], vk.Slice[T]),
) error {
	// Memory of its own, which is freed at the end.
	x, y := vk.Reserve[float64]("in", len(in)), vk.Reserve[T]("out", len(out))
	ws, err := dev.NewArena(vk.Together(x, y))
	if err != nil {
		return err
	}
	defer ws.Close()
	if err := vk.Upload(ctx, dev, x.In(ws), vk.Vector(in)); err != nil {
		return err
	}
	rec := vk.NewRecorder(dev)
	rec.Phase("probe", 0, 1)
	record(rec, x.In(ws), y.In(ws))
	if _, err := dev.Run(ctx, rec, nil); err != nil {
		return err
	}
	return vk.Download(ctx, dev, vk.Vector(out), y.In(ws))
}
