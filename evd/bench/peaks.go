package bench

import (
	"context"
	"time"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/vk"
)

const (
	// peakTime is the approximate time of a dispatch. It is long compared with the cost of starting
	// a dispatch, and shorter than the driver's time limit.
	peakTime = 20 * time.Millisecond

	// peakGroups is much larger than the number of workgroups that run at the same time. So the end
	// of the dispatch, when few are left, has little effect.
	peakGroups = 1 << 12

	peakThreads = 256
)

// rate is one peak rate of the device: a kernel that does nothing except one kind of operation in
// registers, or that copies memory.
type rate struct {
	stage string // of the row

	ops, bytes float64

	// rounds is how often a dispatch repeats the operations. `calibrate` chooses it so that a
	// dispatch takes about peakTime.
	rounds uint32
	record func(rec *vk.Recorder, rounds uint32)
}

func (r *rate) dispatch(rec *vk.Recorder) {
	r.record(rec, r.rounds)
	if r.ops > 0 {
		rec.Costs(r.ops * float64(r.rounds))
	}
}

// calibrate doubles the number `rounds` until a dispatch takes at least half of peakTime, or
// `rounds` is 2³⁰.
func (r *rate) calibrate(ctx context.Context, dev *vk.Device) error {
	for {
		s, err := timed(ctx, dev, r.dispatch)
		if err != nil || s.seconds >= peakTime.Seconds()/2 || r.rounds >= 1<<30 {
			return err
		}
		r.rounds *= 2
	}
}

// measureRates measures each of the rates `repeat` times. It measures them in turn: each one once,
// then each one again, and so on.
func measureRates(ctx context.Context, dev *vk.Device, repeat int, rates ...*rate) (rows []Row, _ error) {
	samples := make([][]sample, len(rates))
	for range repeat {
		for i, r := range rates {
			s, err := timed(ctx, dev, r.dispatch)
			if err != nil {
				return nil, err
			}
			samples[i] = append(samples[i], s)
		}
	}
	for i, r := range rates {
		rows = append(rows, Row{Stage: r.stage}.fill(samples[i], r.ops*float64(r.rounds), r.bytes))
	}
	return rows, nil
}

// peaks holds two kernels that measure the device's peak rates of fused multiply-adds and of
// copying. The kernels also keep the device busy between measurements. The caller of newPeaks must
// close the arena.
type peaks struct {
	dev       *vk.Device
	fma, copy *rate
	arena     *vk.Arena
}

func threadsOf(info vk.Info) uint32 { return uint32(min(peakThreads, info.MaxLocal)) }

// newPeaks builds the kernels, allocates and fills their memory, and calibrates the multiply-adds.
// Each of the two arrays for copying has at most an eighth of the free device memory.
func newPeaks(ctx context.Context, dev *vk.Device, fill *random) (_ *peaks, err error) {
	_, free := dev.Memory()
	const part = 8 // of the free memory; the stages and other programs need the rest
	bytes := min(int(free/part), farBeyondCaches(dev.Info())) &^ (1<<10 - 1)
	sums := vk.Reserve[float64]("sums", peakGroups*int(threadsOf(dev.Info())))
	from, to := vk.Reserve[float64]("copied", bytes/8), vk.Reserve[float64]("copy", bytes/8)
	p := &peaks{dev: dev}
	if p.arena, err = dev.NewArena(vk.Together(sums, from, to)); err != nil {
		return nil, err
	}
	x := from.In(p.arena)
	if p.fma, err = fmaRate(dev, "peak fma", sums.In(p.arena)); err == nil {
		p.copy, err = copyRate(dev, x, to.In(p.arena), bytes)
	}
	if err == nil {
		rec := vk.NewRecorder(dev)
		p.arena.Poison(rec) // some drivers provide memory when it is first written
		fill.matrix(rec, stages.NewMatrix(x, x.Len(), 1, x.Len()))
		_, err = dev.Run(ctx, rec, nil)
	}
	if err == nil {
		err = p.fma.calibrate(ctx, dev)
	}
	if err != nil {
		p.arena.Close()
		return nil, err
	}
	return p, nil
}

func farBeyondCaches(info vk.Info) int {
	if info.Type == "cpu" {
		return 1 << 27
	}
	return 1 << 30
}

// warm keeps the device busy: it runs the copy kernel once, and then runs fused multiply-adds for
// about the time d, at least once.
func (p *peaks) warm(ctx context.Context, d time.Duration) error {
	if _, err := timed(ctx, p.dev, p.copy.dispatch); err != nil {
		return err
	}
	for began := time.Now(); ; {
		if _, err := timed(ctx, p.dev, p.fma.dispatch); err != nil || time.Since(began) >= d {
			return err
		}
	}
}

// fmaRate is the rate of fused multiply-adds of type T, each of which counts as two operations. A
// dispatch has independent chains of them.
func fmaRate[T float32 | float64](dev *vk.Device, stage string, sums vk.Slice[T]) (*rate, error) {
	spec := shaders.PeakFmaDefaults()
	spec.LocalSize = threadsOf(dev.Info())
	kernel, err := vk.Build(dev, shaders.PeakFma[T](), spec)
	ops := 2 * float64(spec.Chains*spec.Steps*spec.LocalSize) * peakGroups
	return &rate{stage, ops, 0, 1, func(rec *vk.Recorder, rounds uint32) {
		kernel.Dispatch(rec, vk.Grid(peakGroups), shaders.PeakFmaPush[T]{Sums: sums.Addr(), Rounds: rounds})
	}}, err
}

// copyRate is the rate of copying. Each byte counts twice, because it is read and written.
func copyRate(dev *vk.Device, x, y vk.Slice[float64], bytes int) (*rate, error) {
	spec := shaders.PeakCopyDefaults()
	spec.LocalSize = threadsOf(dev.Info())
	kernel, err := vk.Build(dev, shaders.PeakCopy(), spec)
	pairs := bytes / 16
	return &rate{"peak copy", 0, 2 * float64(bytes), 1, func(rec *vk.Recorder, _ uint32) {
		kernel.Dispatch(rec, vk.Folded(vk.Tiles(pairs, spec.LocalSize*spec.Pieces)), shaders.PeakCopyPush{
			X: x.Addr(), Y: y.Addr(), Pairs: uint32(pairs),
		})
	}}, err
}

// otherRates measures the rates of arithmetic other than double precision: fused multiply-adds in
// single precision and, if `all` is set, products of bytes. They show how fast lower precision and
// emulated products could be on a device. Without packed dot products of bytes, or without matrix
// units for bytes, the device has no row for this rate.
func otherRates(ctx context.Context, dev *vk.Device, repeat int, all bool) (rows []Row, _ error) {
	count := peakGroups * int(threadsOf(dev.Info()))
	sums, ints := vk.Reserve[float32]("sums", count), vk.Reserve[int32]("sums of bytes", count)
	ws, err := dev.NewArena(vk.InTurn(sums, ints))
	if err != nil {
		return nil, err
	}
	defer ws.Close()
	builds := []func() (*rate, error){
		func() (*rate, error) { return fmaRate(dev, singlePeak, sums.In(ws)) },
		func() (*rate, error) { return dotRate(dev, ints.In(ws)) },
		func() (*rate, error) { return matrixRate(dev, ints.In(ws)) },
	}
	if !all {
		builds = builds[:1]
	}
	for _, build := range builds {
		r, err := build()
		if err != nil {
			return nil, err
		}
		if r == nil {
			continue
		}
		if err := r.calibrate(ctx, dev); err != nil {
			return nil, err
		}
		row, err := measureRates(ctx, dev, repeat, r)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row...)
	}
	return rows, nil
}

// dotRate is the rate of packed dot products of four bytes, each of which counts as eight
// operations. The result is nil if the device has no such products.
func dotRate(dev *vk.Device, sums vk.Slice[int32]) (*rate, error) {
	if !dev.Info().IntegerDotProducts() {
		return nil, nil
	}
	spec := shaders.PeakDotDefaults()
	spec.LocalSize = threadsOf(dev.Info())
	kernel, err := vk.Build(dev, shaders.PeakDot(), spec)
	ops := 8 * float64(spec.Chains*spec.Steps*spec.LocalSize) * peakGroups
	return &rate{"peak dot8", ops, 0, 1, func(rec *vk.Recorder, rounds uint32) {
		kernel.Dispatch(rec, vk.Grid(peakGroups), shaders.PeakDotPush{Sums: sums.Addr(), Rounds: rounds})
	}}, err
}

// matrixRate is the rate of matrix units for bytes, for the shape that emulated products use. A
// product of an M×K and a K×N matrix counts as 2·M·N·K operations. The result is nil if emulated
// products use no matrix units on the device.
func matrixRate(dev *vk.Device, sums vk.Slice[int32]) (*rate, error) {
	info := dev.Info()
	units := emulated.Candidates(info)
	best := units[len(units)-1]
	if !info.IntegerDotProducts() || !best.Matrix() {
		return nil, nil
	}
	spec := shaders.PeakMatrixDefaults()
	lanes := uint32(info.Subgroup)
	spec.LocalSize = max(threadsOf(info)/lanes, 1) * lanes
	spec.FragM, spec.FragN, spec.FragK = uint32(best.Shape.M), uint32(best.Shape.N), uint32(best.Shape.K)
	kernel, err := vk.Build(dev, shaders.PeakMatrix(), spec)
	products := float64(spec.Chains*spec.Steps*(spec.LocalSize/lanes)) * peakGroups
	return &rate{"peak mat8", 2 * products * float64(spec.FragM*spec.FragN*spec.FragK), 0, 1, func(rec *vk.Recorder, rounds uint32) {
		kernel.Dispatch(rec, vk.Grid(peakGroups), shaders.PeakMatrixPush{Sums: sums.Addr(), Rounds: rounds})
	}}, err
}

// timed returns the time of the commands that `record` records, which form one phase.
func timed(ctx context.Context, dev *vk.Device, record func(*vk.Recorder)) (sample, error) {
	rec := vk.NewRecorder(dev)
	rec.Phase("bench", 0, 1)
	record(rec)
	return clocked(func() (*vk.Profile, error) { return dev.Run(ctx, rec, nil) })
}
