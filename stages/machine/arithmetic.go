package machine

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// Arithmetic describes how a device rounds doubles. Errors are the largest measured errors, in
// units in the last place (ulps) of the result. Correct rounding gives an error of at most ½.
type Arithmetic struct {
	// Operands is the number of measured quotients, and of square roots.
	Operands int `json:"operands"`

	// Division and Sqrt are the largest errors of quotients and of square roots, in ulps. A field
	// is +Inf if one of its results is NaN, infinite or zero.
	Division float64 `json:"division_ulp"`
	Sqrt     float64 `json:"sqrt_ulp"`

	Fused bool `json:"fused_fma"`

	// Subnormals is true if the device keeps subnormal numbers and does not flush them to zero.
	Subnormals bool `json:"subnormals"`
}

// MeasureArithmetic measures the arithmetic of a device with two small kernels: quotients and
// square roots that are hard to round correctly, and whether fma() rounds only once.
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
	for i, o := range in {
		a.Division = max(a.Division, divisionError(o.x, o.y, out[i].quotient))
		a.Sqrt = max(a.Sqrt, rootError(o.z, out[i].root))
	}
	// On a device that flushes subnormal numbers to zero, the quotients of the operands
	// `subnormals` differ from the exact quotients.
	kept, err := divideAndRoot(ctx, dev, subnormals)
	for i, o := range subnormals {
		a.Subnormals = a.Subnormals && err == nil && kept[i].quotient == o.x/o.y
	}
	return a, err
}

// result is x/y and √z for one operand, as the device rounds them.
type result struct{ quotient, root float64 }

// divideAndRoot runs the kernel probe_arithmetic, and returns its results in operand order.
func divideAndRoot(ctx context.Context, dev *vk.Device, in []operand) ([]result, error) {
	k, err := vk.Build(dev, shaders.ProbeArithmetic(), shaders.ProbeArithmeticDefaults())
	if err != nil {
		return nil, err
	}
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

// isFused runs the kernel probe_fma. It tells whether fma(x, y, −round(x·y)) is the exact error of
// the rounded product for each of three pairs x, y.
func isFused(ctx context.Context, dev *vk.Device) (bool, error) {
	k, err := vk.Build(dev, shaders.ProbeFma(), shaders.ProbeFmaDefaults())
	if err != nil {
		return false, err
	}
	// The products of these pairs are not doubles and must be rounded.
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

// run uploads `in`, runs the commands that `record` records, and downloads `out`. `record` must not
// keep the device slices, because their memory is freed.
func run[T any](
	ctx context.Context, dev *vk.Device, in []float64, out []T, record func(*vk.Recorder, vk.Slice[float64], vk.Slice[T]),
) error {
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
