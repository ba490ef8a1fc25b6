package doctor

import (
	"context"
	"os"
	"path/filepath"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// tryOut opens the device, runs kernels on it, and adds what it finds to the output of doctor.
func (d *examination) tryOut(ctx context.Context) {
	dev, err := d.Open(vk.Options{Device: d.word}, d.Stderr)
	if err != nil {
		d.add("opening the device", Missing, "", "%s", cli.Describe(err))
		return
	}
	defer dev.Close()
	double := dev.Info().Float64()
	if double {
		d.arithmetic(ctx, dev)
	}
	d.forwardProgress(dev)
	d.Residency(ctx, dev)
	if double {
		d.Products(ctx, dev)
	}
	d.settings(dev.Info())
	d.largestOrders(dev.Info())
	if double {
		d.smallSolve(func(a evd.Sym[float64]) (report.Measures, error) { return solveAndMeasure(ctx, dev, a) })
		d.firstRun(ctx)
	} else {
		d.smallSolve(func(a evd.Sym[float64]) (report.Measures, error) { return solveAndMeasureSingle(ctx, dev, a) })
	}
}

// forwardProgress adds a line about forward progress to the output of doctor: whether a workgroup
// continues to run while other workgroups wait for it.
func (d *examination) forwardProgress(dev machine.Device) {
	const name = "forward progress"
	ok, err := dev.HandsOn()
	switch {
	case err != nil:
		d.add(name, Missing, "", "%s", cli.Describe(err))
	case !ok:
		d.add(name, noted, "", "a wait between workgroups failed: bulge chasing proceeds in wavefronts, which is slower")
	default:
		d.add(name, fine, "", "running workgroups make progress while others wait for them")
	}
}

// Residency adds a finding about residency: whether the workgroups of a panel run at the same time.
// The finding for “no” says what this costs.
func (d *examination) Residency(ctx context.Context, dev machine.Device) {
	const name = "residency"
	r, err := dev.Residency(ctx)
	switch {
	case err != nil:
		d.add(name, Missing, "", "%s", cli.Describe(err))
	case r.Meeting < 2:
		d.add(name, fine, "", "not needed: with this device's sizes no workgroup waits for all others")
	case !r.Meet:
		d.add(name, noted, "", "%d workgroups do not all wait for each other: each column of a panel is a dispatch, and small "+
			"matrices take two stages, which is slower (on an H200, values of order 1024: 9.8 ms instead of 3.2)", r.Meeting)
	default:
		d.add(name, fine, "", "%d workgroups run at the same time, and each may wait for all others", r.Meeting)
	}
}

// Products adds a finding about the method that the device uses for large matrix products, and the
// reason for this method.
func (d *examination) Products(ctx context.Context, dev machine.Device) {
	const name = "products"
	chosen, err := dev.Products(ctx, true)
	if err != nil {
		d.add(name, Missing, "", "%s", cli.Describe(err))
		return
	}
	d.add(name, fine, "", "%v", chosen)
}

// arithmetic measures the errors of FP64 divisions and square roots on the device, and adds lines
// about them to the output of doctor.
func (d *examination) arithmetic(ctx context.Context, dev machine.Device) {
	const goodEnough = 2 // ulps of a division that the kernels are written for
	a, err := dev.Probe(ctx)
	if err != nil {
		d.add("FP64 arithmetic", Missing, "", "%s", cli.Describe(err))
		return
	}
	for _, op := range []struct {
		name string
		ulps float64
	}{{"FP64 division", a.Division}, {"FP64 square root", a.Sqrt}} {
		rounding := ""
		if op.ulps <= 0.5 {
			rounding = ", correctly rounded"
		}
		d.okIf(op.ulps <= goodEnough, op.name, "a newer driver, or another device",
			"error at most %.4g ulp in %d hard cases%s", op.ulps, a.Operands, rounding)
	}
	d.add("FP64 fma", noted, "", "%s", map[bool]string{true: "fused", false: "not fused: a product and a sum"}[a.Fused])
	d.add("FP64 subnormals", noted, "", "%s", map[bool]string{true: "kept", false: "flushed to zero"}[a.Subnormals])
}

// largestOrders adds lines to the output of doctor: the largest orders of matrices that fit into
// the device's memory.
func (d *examination) largestOrders(info vk.Info) {
	for _, what := range []struct {
		name    string
		vectors bool
	}{{"largest n with vectors", true}, {"largest n, values only", false}} {
		of := machine.KindDense
		if !info.Float64() {
			of = machine.KindSingle
		}
		n, err := LargestOrder(func(n int) (bool, error) {
			_, unfit, err := d.Machine.Forecast(machine.Absent{Info: info}, machine.Task{Kind: of, N: n, Evd: evd.Options{Vectors: what.vectors}})
			return unfit == nil, err
		})
		if err != nil {
			d.add(what.name, noted, "", "%s", cli.Describe(err))
		} else {
			d.add(what.name, noted, "", "about %d", n)
		}
	}
}

// LargestOrder is the largest multiple of 100 for which the function `fits` returns true. It uses
// bisection.
func LargestOrder(fits func(n int) (bool, error)) (int, error) {
	const step, most = 100, 1 << 20
	low, high := 0, most/step // in units of step: low·step fits, high·step does not fit
	for high-low > 1 {
		mid := (low + high) / 2
		ok, err := fits(mid * step)
		if err != nil {
			return 0, err
		}
		if ok {
			low = mid
		} else {
			high = mid
		}
	}
	return low * step, nil
}

// smallSolve solves a Hilbert matrix by the function `solve`, which also measures the errors of the
// result.
func (d *examination) smallSolve(solve func(a evd.Sym[float64]) (report.Measures, error)) {
	const n = 100
	a := evd.Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n)}
	for j := range n {
		for i := range n {
			a.Data[i+j*n] = 1 / float64(1+i+j)
		}
	}
	found, err := solve(a)
	if err == nil {
		err = found.Verdict()
	}
	if err != nil {
		d.add("a matrix of order 100", Missing, "vkevd selftest says more", "%s", cli.Describe(err))
		return
	}
	d.add("a matrix of order 100", fine, "", "solved: residual %.2g, orthogonality %.2g (below %d is good)",
		found[0].Ratio, found[1].Ratio, evd.Threshold)
}

// solveAndMeasure solves for the matrix `a` on the device, and measures the errors of the result on
// the host. Both triangles of `a` must be set.
func solveAndMeasure(ctx context.Context, dev machine.Device, a evd.Sym[float64]) (report.Measures, error) {
	p, err := machine.PlanOf[machine.Solver](dev, machine.Task{N: a.N, Evd: evd.Options{Vectors: true, Progress: func(evd.Progress) {}}})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	res, err := p.Solve(ctx, a)
	if err != nil {
		return nil, err
	}
	return report.OnHost(a, res), nil
}

// solveAndMeasureSingle is solveAndMeasure in single precision. Entries of `a` are rounded.
func solveAndMeasureSingle(ctx context.Context, dev machine.Device, a evd.Sym[float64]) (report.Measures, error) {
	p, err := machine.PlanOf[machine.DenseSolver[float32]](dev, machine.Task{Kind: machine.KindSingle, N: a.N, Evd: evd.Options{Vectors: true, Progress: func(evd.Progress) {}}})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	rounded := evd.Sym[float32]{N: a.N, Ld: a.Ld, Data: converted[float32](a.Data)}
	res, err := p.Solve(ctx, rounded)
	if err != nil {
		return nil, err
	}
	z := res.Vectors
	a.Data = converted[float64](rounded.Data)
	return report.OnHost(a, &evd.Result[float64]{
		Values: res.Values, Vectors: &evd.Dense[float64]{Rows: z.Rows, Cols: z.Cols, Ld: z.Ld, Data: converted[float64](z.Data)},
	}).InUnits(true, a.N, a.N, a.Data), nil
}

func converted[T, S evd.Float](x []S) []T {
	out := make([]T, len(x))
	for i, v := range x {
		out[i] = T(v)
	}
	return out
}

// folders tests whether vkevd can write to the folders in which it stores files between runs.
func (d *examination) folders() {
	dir := d.PipelineCache()
	if dir == "" {
		d.add("cache of kernels", noted, "", "none: every run compiles its kernels")
		return
	}
	if err := writable(dir); err != nil {
		d.add("cache of kernels", noted, "VKEVD_CACHE names another folder", "%s: %v", dir, cli.Reason(err))
		return
	}
	d.add("cache of kernels", fine, "", "%s", dir)
}

// settings adds a line to the output of vkevd doctor: which tuned sizes vkevd uses on the device.
func (d *examination) settings(info vk.Info) {
	path := d.TunedFile(info)
	t, found, err := cli.ReadTuned(path, info)
	switch {
	case err != nil:
		d.add("tuning", noted, "vkevd tune --save writes it again", "%s is ignored: %s", path, cli.Describe(err))
	case found:
		d.add("tuning", fine, "", "%v, from %s", t.Choice, path)
	default:
		d.add("tuning", fine, "", "the table for %s devices", info.Family)
	}
}

// writable returns nil if the folder exists or can be made, and if the program can write a file in
// the folder.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(filepath.Join(dir, filepath.Base(f.Name())))
}
