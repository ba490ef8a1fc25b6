// Package doctor has the command vkevd doctor, which examines what a solve relies on.
package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/cmplx"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/vk"
)

type Finding struct {
	Name   string `json:"name"`
	State  state  `json:"state"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
}

type state string

const (
	fine    state = "ok"
	Missing state = "missing"
	noted   state = "note" // neither good nor bad
)

// A missingError says that something is missing or not good enough, such as a driver or a feature
// of the device. It has the first finding of this kind.
type missingError struct{ first Finding }

func (e *missingError) Error() string {
	what := "missing or not good enough: " + e.first.Name
	if e.first.Remedy != "" {
		what += "; " + e.first.Remedy
	}
	return what
}

func (e *missingError) Status() int { return cli.StatusDevice }

func DoctorCommand(s *cli.Session) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "doctor [flags]",
		Args: cli.NoArguments,
	}
	device := cli.DeviceFlag(cmd, s)
	out := cli.JsonFlag(cmd, "the findings")
	first := cmd.Flags().Bool("first-run", false, "measure how long a run takes that has to compile all kernels:\n"+
		"seconds on a GPU, and up to a minute on a CPU")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx := cmd.Context()
		if err := out.Open(s.Stdout); err != nil {
			return err
		}
		defer out.Close()
		d := &examination{Session: s, word: device(), first: *first, system: distributionOf(s.System())}
		if !out.Instead() {
			d.tell = func(f Finding) error { return printFinding(s.Stdout, f) }
		}
		if err := cli.UntilDone(ctx, func() error { return d.all(ctx) }); err != nil {
			return err
		}
		if err := out.Write(ctx, d.findings); err != nil {
			return err
		}
		return d.verdict()
	}
	return cmd
}

func printFinding(w io.Writer, f Finding) error {
	line := fmt.Sprintf("%-8s %-28s %s", f.State, f.Name, cli.Printable(f.Detail))
	if f.Remedy != "" {
		line += "; " + f.Remedy
	}
	_, err := fmt.Fprintln(w, line)
	return cli.CannotWrite("standard output", err)
}

type examination struct {
	*cli.Session
	word     string // device that the user has named, or ""
	first    bool   // the user wants the time of a first run
	system   distribution
	tell     func(Finding) error // called with each finding as soon as it is found; may be nil
	findings []Finding
	err      error // the first error that tell returned
}

func (d *examination) add(name string, s state, remedy, format string, args ...any) {
	f := Finding{name, s, fmt.Sprintf(format, args...), remedy}
	d.findings = append(d.findings, f)
	if d.tell != nil && d.err == nil {
		d.err = d.tell(f)
	}
}

func (d *examination) okIf(good bool, name, remedy, format string, args ...any) {
	if good {
		d.add(name, fine, "", format, args...)
	} else {
		d.add(name, Missing, remedy, format, args...)
	}
}

func (d *examination) verdict() error {
	for _, f := range d.findings {
		if f.State == Missing {
			return &missingError{f}
		}
	}
	return nil
}

// The method `all` makes all examinations. Without a loader, a driver or a usable device, it leaves
// out those that need a device.
func (d *examination) all(ctx context.Context) error {
	info, found := d.machineWide()
	if found && d.offers(info) {
		d.tryOut(ctx)
	}
	d.folders()
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.err
}

// machineWide examines the loader and the drivers, and chooses a device if there is one.
func (d *examination) machineWide() (vk.Info, bool) {
	chosen := "" // the variable that names drivers
	for _, name := range []string{"VK_ICD_FILENAMES", "VK_DRIVER_FILES"} {
		if files, set := d.Lookup(name); set {
			chosen = name
			d.add(name, noted, "", "is set: the loader looks at no drivers except %s", files)
		}
	}
	infos, err := d.Machine.List()
	if err != nil {
		d.add("loader", Missing, d.system.get(d.system.loader, d.system.cpu), "%s", cli.Describe(cause(err)))
		return vk.Info{}, false
	}
	d.add("loader", fine, "", "found")
	if len(infos) == 0 {
		remedy := d.system.get(d.system.drivers, d.system.cpu) + "; for NVIDIA: " + d.system.nvidia
		if chosen != "" {
			remedy = "unset " + chosen + ", or name a driver that is there; otherwise " + remedy
		}
		d.add("drivers", Missing, remedy, "the loader found none")
		return vk.Info{}, false
	}
	var names []string
	nvidia := false
	for _, i := range infos {
		names = append(names, cli.DriverOf(i))
		nvidia = nvidia || i.Family == "nvidia"
	}
	d.add("drivers", fine, "", "%s", strings.Join(names, ", "))
	if d.HasNVIDIA() && !nvidia {
		d.add("NVIDIA's Vulkan driver", noted, d.system.nvidia+"; in a container: NVIDIA_DRIVER_CAPABILITIES=all",
			"the kernel has NVIDIA's driver, but the loader does not find it")
	}
	return d.choose(infos)
}

// cause returns the last error of those that `err` wraps directly, or `err` itself if it does not
// wrap a list of errors. In an error of vk about a missing device, the first error of the list is
// vk.ErrNoDevice, and the last error is the cause. The text of such an error also says what to
// install, and the text of its cause does not.
func cause(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		all := several.Unwrap()
		return all[len(all)-1]
	}
	return err
}

// choose returns the device that the other commands would open. If that fails and the user has
// named no device, it returns the first unusable one. The second result is false if there is no
// device to return.
func (d *examination) choose(infos []vk.Info) (vk.Info, bool) {
	dev, err := d.Open(vk.Options{Device: d.word}, d.Stderr)
	if err == nil {
		info := dev.Info()
		dev.Close()
		d.add("device", fine, "", "%s (%s)", info.Name, info.Type)
		return info, true
	}
	if i := slices.IndexFunc(infos, func(i vk.Info) bool { return i.Problem != "" }); d.word == "" && i >= 0 {
		info := infos[i]
		remedy := d.system.get(d.system.cpu) + " to use the CPU"
		if info.Type == "cpu" { // the driver of the CPU device is installed, and is the cause
			remedy = ""
		}
		d.add("device", Missing, remedy, "%s (%s) cannot be used: %s",
			info.Name, info.Type, strings.TrimPrefix(info.Problem, info.Name+": "))
		return info, true
	}
	d.add("device", Missing, "", "%s", cli.Describe(err))
	return vk.Info{}, false
}

const DoublePrecision = "shaderFloat64"

// offers examines what the device reports, and tells whether vkevd can use it.
func (d *examination) offers(info vk.Info) bool {
	update := "a newer driver, or another device"
	d.okIf(!older(info.API, vk.MinimumAPI), "Vulkan "+vk.MinimumAPI, update, "%s", info.API)
	for _, f := range vk.Features() {
		switch {
		case len(info.Features) == 0 && info.Problem != "":
			// A device that was refused for another reason may have no list of features.
		case slices.Contains(info.Features, f.Name):
			d.add(f.Name, fine, "", "offered")
		case f.Required:
			d.add(f.Name, Missing, update, "not offered")
		case f.Name == DoublePrecision:
			d.add(f.Name, noted, "", "not offered: %s", cli.SingleOnly)
		default:
			d.add(f.Name, noted, "", "not offered, and not needed")
		}
	}
	if info.Problem != "" && d.verdict() == nil {
		d.add("driver", Missing, update, "%s", info.Problem)
	}
	d.add("memory", noted, "", "%s, %s of it free%s", cli.Human(info.Memory), cli.Human(info.Free), atMost(info))
	d.add("a workgroup", noted, "", "%s shared, %d invocations, subgroups of %d",
		cli.Human(uint64(info.SharedBytes)), info.MaxLocal, info.Subgroup)
	return d.verdict() == nil
}

func atMost(info vk.Info) string {
	if most := info.MaxRegion(); most > 0 && most < info.Memory {
		return fmt.Sprintf(", in buffers of at most %s", cli.Human(most))
	}
	return ""
}

// older tells whether the version `have` is below `need`. Numbers of decimal digits are compared,
// so 1.10 is above 1.9.
func older(have, need string) bool {
	h, n := strings.Split(have, "."), strings.Split(need, ".")
	for i := range min(len(h), len(n)) {
		var x, y int
		fmt.Sscan(h[i], &x)
		fmt.Sscan(n[i], &y)
		if x != y {
			return x < y
		}
	}
	return len(h) < len(n)
}

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
		smallSolve(ctx, d, dev, "a matrix of order 100", cmplx.Abs, func(x float64) complex128 { return complex(x, 0) })
		same := func(x complex128) complex128 { return x }
		smallSolve(ctx, d, dev, "a Hermitian matrix", same, same)
		d.firstRun(ctx)
	} else {
		smallSolve(ctx, d, dev, "a matrix of order 100",
			func(x complex128) float32 { return float32(cmplx.Abs(x)) }, func(x float32) complex128 { return complex(float64(x), 0) })
		smallSolve(ctx, d, dev, "a Hermitian matrix",
			func(x complex128) complex64 { return complex64(x) }, func(x complex64) complex128 { return complex128(x) })
	}
}

// forwardProgress adds a finding: whether a workgroup continues to run while others wait for it.
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

// Residency adds a finding: whether all workgroups of a dispatch run at the same time in the QR
// factorization of a panel, and what it costs if they do not.
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

func (d *examination) Products(ctx context.Context, dev machine.Device) {
	for _, complex := range []bool{false, true} {
		name := map[bool]string{false: "products", true: "complex products"}[complex]
		chosen, err := dev.Products(ctx, complex, true)
		if err != nil {
			d.add(name, Missing, "", "%s", cli.Describe(err))
			return
		}
		d.add(name, fine, "", "%v", chosen)
	}
}

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

// LargestOrder finds the largest multiple of 100 below 2²⁰ for which `fits` returns true, by
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

// smallSolve solves the Hermitian matrix of order 100 with elements of magnitude 1/(1 + i + j), i
// and j from 0, and of argument i − j. The function `take` converts an element to the type T, and
// `back` converts an element of the matrix or of the vectors to complex128, for the measures.
func smallSolve[T evd.Number](
	ctx context.Context, d *examination, dev machine.Device, name string, take func(complex128) T, back func(T) complex128,
) {
	const n = 100
	a := evd.NewSym(n, make([]T, n*n), evd.Lower)
	for j := range n {
		for i := range n {
			a.Data[i+j*n] = take(cmplx.Rect(1/float64(1+i+j), float64(i-j)))
		}
	}
	found, err := solveAndMeasure(ctx, dev, a, back)
	if err == nil {
		err = found.Verdict()
	}
	if err != nil {
		d.add(name, Missing, "vkevd selftest says more", "%s", cli.Describe(err))
		return
	}
	d.add(name, fine, "", "solved: residual %.2g, orthogonality %.2g (below %d is good)",
		found[0].Ratio, found[1].Ratio, evd.Threshold)
}

// solveAndMeasure solves for the eigenvectors of `a`, and measures the errors of the result on the
// host. `a` must have both triangles. `back` converts an element to complex128.
func solveAndMeasure[T evd.Number](ctx context.Context, dev machine.Device, a evd.Sym[T], back func(T) complex128) (report.Measures, error) {
	kind := machine.KindOf[T]()
	p, err := machine.PlanOf[machine.DenseSolver[T]](dev, machine.Task{Kind: kind, N: a.N, Evd: evd.Options{Vectors: true, Progress: func(evd.Progress) {}}})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	res, err := p.Solve(ctx, a)
	if err != nil {
		return nil, err
	}
	z := res.Vectors
	host := evd.NewSym(a.N, converted(a.Data, back), evd.Lower)
	found := report.OnHost(host, &evd.Result[complex128]{
		Values: res.Values, Vectors: &evd.Dense[complex128]{Rows: z.Rows, Cols: z.Cols, Ld: z.Ld, Data: converted(z.Data, back)},
	})
	return report.InUnits(found, kind.Single(), a.N, a.N, host.Data), nil
}

func converted[T, S any](x []S, to func(S) T) []T {
	out := make([]T, len(x))
	for i, v := range x {
		out[i] = to(v)
	}
	return out
}

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

// writable makes the folder if it is missing, and returns an error if no file can be created in it.
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

const FirstRunOrder = 1024

// firstRun measures a first run, in which all kernels have to be compiled, and the next run. Both
// are processes of their own, with cache folders that are empty at the start.
func (d *examination) firstRun(ctx context.Context) {
	const name = "first run"
	if !d.first {
		d.add(name, noted, "", "compiles kernels; vkevd doctor --first-run measures how long that takes")
		return
	}
	cold, warm, err := d.coldAndWarm(ctx)
	if err != nil {
		d.add(name, noted, "", "not measured: %s", cli.Describe(err))
		return
	}
	d.add(name, noted, "", "n = %d with vectors takes %.1f s with empty caches, and %.1f s in the next run", FirstRunOrder, cold, warm)
}

// coldAndWarm returns the seconds of each process for preparing and solving.
func (d *examination) coldAndWarm(ctx context.Context) (cold, warm float64, _ error) {
	dir, err := os.MkdirTemp("", "vkevd-first-run-*")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	matrix := filepath.Join(dir, "A.npy")
	if err := writeDense(matrix, FirstRunOrder); err != nil {
		return 0, 0, err
	}
	// The variables name the folders in which vkevd and drivers keep compiled kernels.
	var variables []string
	for _, v := range []string{"VKEVD_CACHE", "XDG_CACHE_HOME", "MESA_SHADER_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH"} {
		variables = append(variables, v+"="+filepath.Join(dir, v))
		if err := os.Mkdir(filepath.Join(dir, v), 0o700); err != nil {
			return 0, 0, err
		}
	}
	args := []string{"solve", "--quiet", "--vectors", "--json", cli.StreamWord}
	if d.word != "" {
		args = append(args, "--device", d.word)
	}
	for _, seconds := range []*float64{&cold, &warm} {
		text, err := d.Again(ctx, variables, append(args, matrix)...)
		if err != nil {
			return 0, 0, err
		}
		var r struct{ Seconds map[string]float64 }
		if err := json.Unmarshal(text, &r); err != nil {
			return 0, 0, fmt.Errorf("no report of the solve: %w", err)
		}
		*seconds = r.Seconds["prepare"] + r.Seconds["solve"]
	}
	return cold, warm, nil
}

func writeDense(path string, n int) error {
	a := make([]float64, n*n)
	for j := range n {
		for i := range n {
			a[i+j*n] = math.Sin(float64(i*j + i + j))
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := matio.WriteNPY(f, n, n, a, n); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
