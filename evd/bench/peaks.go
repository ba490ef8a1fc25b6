package bench

import (
	"context"
	"time"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// peaks holds two kernels that measure the device's peak rates of fused multiply-adds and of
// copying. The kernels also keep the device busy between measurements.
type peaks struct {
	dev *vk.Device

	// fma runs independent chains of fused multiply-adds in registers. `rounds` is the number of
	// repetitions for which a dispatch takes about peakTime.
	fma    *vk.Kernel[shaders.PeakFmaSpec, shaders.PeakFmaPush[float64]]
	rounds int

	// copy is the kernel for the rate of copying. It copies bytes from the region x to the region
	// y.
	copy  *vk.Kernel[shaders.PeakCopySpec, shaders.PeakCopyPush]
	bytes int

	// sums is the memory for the results of `fma`, one number for each invocation. x and y are the
	// memory for the copy.
	sums, x, y vk.Region[float64]

	// arena is the memory of `sums`, x and y. The method `close` frees this memory.
	arena *vk.Arena
}

const (
	// peakTime is the approximate time of a dispatch. It is long compared with the cost of starting
	// a dispatch, and shorter than the driver's time limit.
	peakTime = 20 * time.Millisecond

	// peakGroups is the number of workgroups. It is much larger than the number that run at the
	// same time. So the end of the dispatch, when few workgroups are left, has little effect.
	peakGroups = 1 << 12

	// peakThreads is the number of invocations of a workgroup, if the device allows so many.
	peakThreads = 256
)

// newPeaks builds the kernels, allocates and fills their memory, and calibrates `rounds`. The
// memory is at most an eighth of the free device memory.
func newPeaks(ctx context.Context, dev *vk.Device, fill *random) (_ *peaks, err error) {
	p := &peaks{dev: dev, rounds: 1}
	threads := uint32(min(peakThreads, dev.Info().MaxLocal))
	fma, copying := shaders.PeakFmaDefaults(), shaders.PeakCopyDefaults()
	fma.LocalSize, copying.LocalSize = threads, threads
	if p.fma, err = vk.Build(dev, shaders.PeakFma[float64](), fma); err != nil {
		return nil, err
	}
	if p.copy, err = vk.Build(dev, shaders.PeakCopy(), copying); err != nil {
		return nil, err
	}
	_, free := dev.Memory()
	const part = 8 // of the free memory; the stages and other programs need the rest
	p.bytes = min(int(free/part), farBeyondCaches(dev.Info())) &^ (1<<10 - 1)
	p.sums = vk.Reserve[float64]("sums", peakGroups*int(threads))
	p.x, p.y = vk.Reserve[float64]("copied", p.bytes/8), vk.Reserve[float64]("copy", p.bytes/8)
	if p.arena, err = dev.NewArena(vk.Together(p.sums, p.x, p.y)); err != nil {
		return nil, err
	}
	rec := vk.NewRecorder(dev)
	p.arena.Poison(rec) // some drivers provide memory when it is first written
	x := p.x.In(p.arena)
	fill.matrix(rec, stages.NewMatrix(x, x.Len(), 1, x.Len()))
	if _, err = dev.Run(ctx, rec, nil); err == nil {
		err = p.calibrate(ctx)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// farBeyondCaches returns a number of bytes that is much larger than the device's caches.
func farBeyondCaches(info vk.Info) int {
	if info.Type == "cpu" {
		return 1 << 27
	}
	return 1 << 30
}

func (p *peaks) close() { p.arena.Close() }

// calibrate finds out how many repetitions a dispatch needs: it doubles the number `rounds` until a
// dispatch takes at least half of peakTime.
func (p *peaks) calibrate(ctx context.Context) error {
	for {
		s, err := timed(ctx, p.dev, p.recordFMA)
		if err != nil {
			return err
		}
		if s.seconds >= peakTime.Seconds()/2 {
			return nil
		}
		p.rounds *= 2
	}
}

func (p *peaks) recordFMA(rec *vk.Recorder) {
	p.fma.Dispatch(rec, vk.Grid(peakGroups), shaders.PeakFmaPush[float64]{
		Sums: p.sums.In(p.arena).Addr(), Rounds: uint32(p.rounds),
	})
	rec.Costs(p.flops())
}

func (p *peaks) recordCopy(rec *vk.Recorder) {
	pairs, spec := p.bytes/16, p.copy.Spec
	p.copy.Dispatch(rec, vk.Folded(vk.Tiles(pairs, spec.LocalSize*spec.Pieces)), shaders.PeakCopyPush{
		X: p.x.In(p.arena).Addr(), Y: p.y.In(p.arena).Addr(), Pairs: uint32(pairs),
	})
}

// flops is the number of operations of one dispatch of recordFMA, two for each fused multiply-add.
func (p *peaks) flops() float64 {
	spec := p.fma.Spec
	return 2 * float64(spec.Chains) * float64(spec.Steps) * float64(p.rounds) * float64(spec.LocalSize) * peakGroups
}

// warm keeps the device busy: it runs the copy kernel once, and then runs fused multiply-adds for
// about the time d, at least once.
func (p *peaks) warm(ctx context.Context, d time.Duration) error {
	if _, err := timed(ctx, p.dev, p.recordCopy); err != nil {
		return err
	}
	for began := time.Now(); ; {
		if _, err := timed(ctx, p.dev, p.recordFMA); err != nil {
			return err
		}
		if time.Since(began) >= d {
			return nil
		}
	}
}

// measure returns the rows of two peak rates, that of fused multiply-adds and that of copying. The
// runs of the two kernels alternate.
func (p *peaks) measure(ctx context.Context, repeat int) (fma, copied Row, err error) {
	var f, c []sample
	for range repeat {
		s, err := timed(ctx, p.dev, p.recordFMA)
		if err != nil {
			return fma, copied, err
		}
		f = append(f, s)
		if s, err = timed(ctx, p.dev, p.recordCopy); err != nil {
			return fma, copied, err
		}
		c = append(c, s)
	}
	const both = 2 // each byte is read and written
	fma = Row{Stage: "peak fma"}.fill(f, p.flops(), 0)
	copied = Row{Stage: "peak copy"}.fill(c, 0, both*float64(p.bytes))
	return fma, copied, nil
}

// timed runs the commands that the function `record` records, and returns their time. They form one
// phase, because only the times of phases are measured.
func timed(ctx context.Context, dev *vk.Device, record func(*vk.Recorder)) (sample, error) {
	rec := vk.NewRecorder(dev)
	rec.Phase("bench", 0, 1)
	record(rec)
	began := time.Now()
	profile, err := dev.Run(ctx, rec, nil)
	return sample{profile.Total(), time.Since(began).Seconds(), profile}, err
}
