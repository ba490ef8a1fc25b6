package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/doctor"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/trial"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/cluster"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

type planJob struct {
	*cli.Session
	device  func() string
	n       int
	svd     bool
	full    bool   // with svd
	batch   int    // number of matrices at a time; 0: one
	start   bool   // as solve --start
	complex bool   // a Hermitian matrix; with svd any complex one
	b       bool   // a generalized problem
	itype   int    // with b: LAPACK's itype
	overlap string // with b: as solve --overlap
	refine  bool   // with b: as solve --refine
	engine  string
	ranks   int     // number of processes, only with engine
	rate    float64 // GFLOP/s of one process, only with engine
	rows    int     // number of rows with svd; n is then the number of columns
	storage string  // a word of cli.PrecisionWords, or ""; only with svd
	options options
	config  *cli.Config
	json    *cli.JsonOutput
	like    string // a part of the name of a device in docs/data/devices
	regions bool   // printed
}

func planCommand(s *cli.Session) *cobra.Command {
	j := &planJob{Session: s}
	cmd := &cobra.Command{
		Use: "plan [flags] --n N | FILE",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.Usage(cmd, "plan takes one FILE, not %d", len(args))
			} else if cmd.Flags().Changed("like") && j.like == "" {
				return cli.Usage(cmd, "--like needs the name of a device, or a part of it")
			}
			if len(args) > 0 {
				if _, err := strconv.Atoi(args[0]); err == nil {
					return cli.Usage(cmd, "plan takes a FILE, not %q; -n %s is the order", args[0], args[0])
				}
				if err := j.measure(cmd, args[0]); err != nil {
					return err
				}
			}
			if j.n < 1 {
				return cli.Usage(cmd, "plan needs --n N, the order of the matrix, at least 1, or a FILE with the matrix")
			}
			if err := cli.CheckOrders(j.n); err != nil {
				return cli.Usage(cmd, "%w", err)
			}
			if err := j.checkUse(cmd); err != nil {
				return err
			}
			if j.engine != vulkanEngine {
				return j.runCluster(cmd.Context())
			}
			return j.run(cmd.Context())
		},
	}
	j.device = cli.DevicesFlag(cmd, s)
	j.options.flags(cmd)
	engineFlag(cmd, &j.engine)
	cmd.Flags().IntVar(&j.ranks, "ranks", 1, "with --engine: number `P` of processes")
	cmd.Flags().Float64Var(&j.rate, "rate", 10, "with --engine: assumed `GFLOPS` of a process, 10⁹ flops a second")
	cmd.Flags().Lookup("vectors").Usage = "include eigenvectors; this is the default except with --batch, and with\n--svd, which then includes the thin U and V"
	cmd.Flags().Lookup("values-only").Usage = "include no eigenvectors"
	cmd.Flags().Lookup("precision").Usage = "`P` of matrix and result: f32 or f64 (default: f64); f32 needs about\ntwo thirds of the memory"
	cmd.Flags().Lookup("verify").Usage = "plan for solve --verify, or with --svd for svd --verify"
	j.config = cli.ConfigFlag(cmd, s)
	cmd.Flags().StringVar(&j.like, "like", "", "plan for a measured device, a part of its `NAME`, in place of one here")
	cmd.Flags().BoolVar(&j.regions, "verbose", false, "also print the regions of the memory")
	cmd.Flags().IntVarP(&j.n, "n", "n", 0, "order `N` of the matrix")
	cmd.Flags().IntVar(&j.batch, "batch", 0, "plan for a stack of `COUNT` matrices of order N, as solve --batch")
	cmd.Flags().BoolVar(&j.start, "start", false, "plan for solve --start")
	cmd.Flags().BoolVar(&j.complex, "complex", false, "plan for a complex Hermitian matrix, or with --svd for a complex one")
	cmd.Flags().BoolVar(&j.b, "b", false, "plan for a generalized problem, as solve --b")
	pairTypeFlag(cmd, &j.itype)
	overlapFlag(cmd, &j.overlap)
	refineFlag(cmd, &j.refine)
	cmd.Flags().BoolVar(&j.svd, "svd", false, "plan for singular values, of a matrix of any shape")
	cmd.Flags().BoolVar(&j.full, "full", false, "with --svd: include the whole U and V, M by M and N by N")
	storageFlag(cmd, &j.storage)
	cmd.Flags().Lookup("storage").Usage = "with --svd: plan for svd --storage `S`, f64, f32 or f16"
	cmd.Flags().IntVarP(&j.rows, "m", "m", 0, "with --svd: number `M` of rows (default: N)")
	j.json = cli.JsonFlag(cmd, "the plan, and whether it fits,")
	return cmd
}

// measure takes size, type and precision of the matrix from a file. Of a .npy file it reads the
// header alone, unless the elements are complex.
func (j *planJob) measure(cmd *cobra.Command, file string) error {
	switch {
	case j.n > 0 || j.batch > 0:
		return cli.Usage(cmd, "plan takes --n N or a FILE, and with --batch --n N")
	case j.options.tridiagonal || cmd.Flags().Changed("m"):
		return cli.Usage(cmd, "plan takes no FILE with --tridiagonal or -m, but --n N")
	}
	single := false
	if c, err := matio.OpenNPYColumns(file); err == nil {
		c.Close()
		j.rows, j.n, single = c.Rows, c.Cols, c.Single
	} else if a, err := readEither(file, j.Stdin, matio.Options{}); err != nil {
		return err
	} else if z := a.complex; z != nil {
		j.rows, j.n, single, j.complex = z.Rows, z.Cols, z.Single, true
	} else {
		j.rows, j.n, single = a.real.Rows, a.real.Cols, a.real.Single
	}
	if single && j.options.precision == "" {
		j.options.precision = cli.PrecisionSingle
	}
	if j.rows != j.n && !j.svd {
		return fmt.Errorf("%s: matrix is not square: %d rows, %d columns; --svd plans for singular values", cli.InputName(file), j.rows, j.n)
	}
	return nil
}

func (j *planJob) checkUse(cmd *cobra.Command) error {
	if j.svd && j.rows == 0 && !cmd.Flags().Changed("m") {
		j.rows = j.n
	}
	switch {
	case j.ranks < 1 || !(j.rate > 0):
		return cli.Usage(cmd, "--ranks and --rate must be positive")
	case j.svd && (j.rows < 1 || j.rows > cli.MaxOrder):
		return cli.Usage(cmd, "--m: %d is not between 1 and %d", j.rows, cli.MaxOrder)
	case cmd.Flags().Changed("batch") && j.batch < 1:
		return cli.Usage(cmd, "--batch: %d is not a number of matrices, at least 1", j.batch)
	}
	return errors.Join(checkEngine(cmd, j.engine), checkStorage(cmd, j.storage), checkPairType(cmd, j.itype), checkOverlap(cmd, j.overlap), j.options.check(cmd, j.wantsVectors()))
}

func (j *planJob) wantsVectors() bool {
	if j.svd || j.batch > 0 {
		return j.options.vectors || j.full
	}
	return !j.options.valuesOnly
}

func (j *planJob) run(ctx context.Context) error {
	if err := j.json.Open(j.Stdout); err != nil {
		return err
	}
	defer j.json.Close()
	on, err := j.target(ctx)
	if err != nil {
		return err
	}
	f, opt, unfit, err := j.plan(&on)
	if option := (*evd.OptionError)(nil); errors.As(err, &option) {
		return aboutOption(option)
	} else if err != nil {
		return err
	}
	if on.Products, err = j.chosenProducts(on, f, opt); err != nil {
		return err
	}
	r := j.Report(on, f, unfit)
	if unfit != nil {
		r.Smaller = j.smaller(on)
	}
	if err := j.json.Show(ctx, j.Stdout, r, func(w io.Writer) error { return r.print(w, j.regions) }); err != nil {
		return err
	}
	if unfit != nil {
		return fmt.Errorf("%s on %s: %w", j.size(), on.unfit(f).Name, unfit)
	}
	return nil
}

// plan makes the plan, and returns the options that the flags select for it.
func (j *planJob) plan(on *target) (f machine.Planned, opt evd.Options, unfit *vk.OutOfMemoryError, err error) {
	if !j.svd && j.batch == 0 {
		if opt, err = j.options.evd(j.n, j.wantsVectors()); err != nil {
			return nil, opt, nil, err
		}
	}
	if j.batch == 0 {
		opt.Products = j.options.chosen()
	}
	for _, other := range on.others {
		opt.Devices = append(opt.Devices, other.Dry())
	}
	on.tuned = j.kind().Tuned() && j.config.Apply(&opt, on.Info, j.Stderr)
	f, unfit, err = j.Forecast(on.Absent, opt)
	return f, opt, unfit, err
}

// A smallerPlan is a plan that fits where the wanted one does not.
type smallerPlan struct {
	Change string `json:"change"`
	Bytes  uint64 `json:"bytes"`
}

// smaller lists plans that fit: without vectors, with a tenth of them, in single precision, and the
// largest one of the same kind.
func (j *planJob) smaller(on target) (list []smallerPlan) {
	try := func(name string, change func(*planJob)) bool {
		k := *j
		change(&k)
		f, _, unfit, err := k.plan(&on)
		fits := err == nil && unfit == nil
		if fits && name != "" {
			list = append(list, smallerPlan{name, f.Bytes()})
		}
		return fits
	}
	if j.wantsVectors() && !j.start && !j.refine && !j.kind().Mixed() {
		try("values alone", func(k *planJob) { k.options.valuesOnly, k.options.vectors, k.full = true, false, false })
		if !j.svd && j.batch == 0 && j.options.part.all() {
			try(fmt.Sprintf("--smallest %d", max(1, j.n/10)), func(k *planJob) { k.options.part = part{smallest: max(1, j.n/10), given: []string{"smallest"}} })
		}
	}
	if j.options.precision == "" && !j.start && j.storage == "" && !j.options.tridiagonal {
		try("--precision f32", func(k *planJob) { k.options.precision = cli.PrecisionSingle })
	}
	if j.batch > 0 || !j.options.part.all() {
		return list
	}
	of := func(n int) func(k *planJob) {
		return func(k *planJob) { k.n, k.rows = n, max(min(1, j.rows), int(float64(n)/float64(j.n)*float64(j.rows))) }
	}
	if n, err := doctor.LargestOrder(func(n int) (bool, error) { return n < j.n && try("", of(n)), nil }); err == nil && n > 0 {
		k := *j
		of(n)(&k)
		try(k.size(), of(n))
	}
	return list
}

// unfit returns the device that has too little memory for a plan. If the plan uses several devices,
// unfit returns the first one that has too little.
func (on target) unfit(f machine.Planned) vk.Info {
	for k, d := range report.DevicesOf(f) {
		if k > 0 && d.Bytes > on.others[k-1].Free {
			return on.others[k-1].Info
		}
		if k == 0 && d.Bytes > on.Info.Free {
			break
		}
	}
	return on.Info
}

// kind is the kind of the plan that a solve would make. With --storage f32 or f16, a matrix of
// doubles is reduced in single precision.
func (j *planJob) kind() machine.Kind {
	switch {
	case j.start && j.complex:
		return machine.KindComplexRefined
	case j.start:
		return machine.KindRefined
	case storageOf(j.storage) != svd.Double:
		return machine.KindSingle
	case j.complex && j.options.precision == cli.PrecisionSingle:
		return machine.KindComplexSingle
	case j.complex && j.options.precision == cli.PrecisionMixed:
		return machine.KindComplexMixed
	case j.complex:
		return machine.KindComplex
	}
	return j.options.kind()
}

// singularKind is the kind of a plan for singular values. With --storage, the numbers of the plan are
// doubles.
func (j *planJob) singularKind() machine.Kind {
	single := j.options.kind() == machine.KindSingle
	switch {
	case j.complex && single:
		return machine.KindComplexSingularSingle
	case j.complex:
		return machine.KindComplexSingular
	case single:
		return machine.KindSingularSingle
	}
	return machine.KindSingular
}

// A target is a device for which vkevd plan makes a forecast, with its rates of arithmetic.
type target struct {
	machine.Absent
	others  []machine.Absent // further devices
	missing string           // why there is no device; the target is then a typical one
	rates   probe.Rates      // 0 without a device
	tuned   bool             // with sizes from vkevd tune --save
}

// typical is a made-up description of a device. vkevd plan uses it if the computer has no device.
var typical = vk.Info{
	Name: "a typical device", Family: "other", SharedBytes: 32 << 10, MaxLocal: 1024, Subgroup: 32,
	Problem: "there is no device",
}

// target describes the device for which vkevd plan makes a forecast: its properties, its rates, and
// how it computes matrix products. It is the device that the user has named, or the best one. If
// the user has named none and the computer has none, the target is the typical device.
func (j *planJob) target(ctx context.Context) (target, error) {
	if j.like != "" {
		s, err := trial.Like(j.like)
		return target{Absent: machine.Absent{Info: s.Device, Rate: s.WorkRate, Products: s.Products}, rates: s.Rates}, err
	}
	word := j.device()
	words, err := j.Devices(word)
	if err != nil {
		return target{}, err
	}
	dev, err := j.Open(vk.Options{Device: words[0]}, j.Stderr)
	if errors.Is(err, vk.ErrNoDevice) && word == "" {
		return target{Absent: machine.Absent{Info: typical}, missing: cli.Describe(err)}, nil
	}
	if err != nil {
		return target{}, err
	}
	defer dev.Close()
	on := target{}
	if on.Absent, err = withRates(ctx, dev); err != nil {
		return on, err
	}
	if err := j.further(ctx, &on, words[1:]); err != nil {
		return on, err
	}
	on.rates, err = cli.UnlessDone(ctx, func() (probe.Rates, error) { return dev.Rates(ctx, true) })
	return on, err
}

func (j *planJob) further(ctx context.Context, on *target, words []string) error {
	for _, w := range words {
		dev, err := j.Open(vk.Options{Device: w}, j.Stderr)
		if err != nil {
			return err
		}
		other, err := withRates(ctx, dev)
		dev.Close()
		if err != nil {
			return err
		}
		on.others = append(on.others, other)
	}
	return nil
}

func withRates(ctx context.Context, dev machine.Device) (a machine.Absent, err error) {
	a.Info = dev.Info()
	if a.Float64() {
		if a.Rate, err = dev.WorkRate(ctx); err != nil {
			return a, err
		}
	}
	if a.Products, err = dev.Products(ctx, false, false); err == nil {
		a.ComplexProducts, err = dev.Products(ctx, true, false)
	}
	return a, err
}

// Forecast makes the plan that the flags describe, for a device that need not be present. The
// second result is the error that the device would return for lack of memory, or nil.
func (j *planJob) Forecast(on machine.Absent, opt evd.Options) (machine.Planned, *vk.OutOfMemoryError, error) {
	drops, _ := overlapOf(j.overlap) // it has been checked
	t := machine.Task{Kind: j.kind(), Type: j.pairType(), Overlap: drops, Refine: j.refine, N: j.n, Count: j.batch, Shape: machine.SingularShape{M: j.rows, N: j.n}, Evd: opt}
	var err error
	switch {
	case j.batch > 0:
		on = machine.Absent{Info: on.Info}
		t.Batch = batch.Options{Vectors: j.wantsVectors(), Tuning: opt.Tuning}
		t.Single = t.Kind.Single()
		t.Batch.Select, err = j.options.part.of(j.n)
		switch {
		case t.Kind == machine.KindTridiagonal:
			t.Kind = machine.KindTridiagonalBatch
		case t.Kind.Complex():
			t.Kind = machine.KindHermitianBatch
		default:
			t.Kind = machine.KindBatch
		}
	case j.svd:
		o := j.options
		singular := svdOptions{
			largest: o.part.largest, full: j.full, band: o.band, block: o.block, verify: o.verify, productsFlags: o.productsFlags,
		}
		t.Svd, err = singular.svd(j.rows, j.n, j.wantsVectors(), j.wantsVectors())
		t.Svd.Tuning, t.Svd.Products, t.Svd.Storage = opt.Tuning, opt.Products, storageOf(j.storage)
		t.Kind = j.singularKind()
	}
	if err != nil {
		return nil, nil, err
	}
	return j.Machine.Forecast(on, t)
}

func (j *planJob) pairType() machine.PairType {
	if !j.b {
		return 0
	}
	return machine.PairType(j.itype)
}

func (j *planJob) Order() int {
	if j.svd {
		return min(j.n, j.rows)
	}
	return j.n
}

func (j *planJob) size() string {
	if j.svd {
		return fmt.Sprintf("%d by %d", j.rows, j.n)
	}
	if j.batch > 0 {
		return fmt.Sprintf("%s, n = %d", cli.Matrices(j.batch), j.n)
	}
	return fmt.Sprintf("n = %d", j.n)
}

func emulates(f machine.Planned) bool {
	p, ok := f.(interface{ Emulated() bool })
	return ok && p.Emulated()
}

// chosenProducts returns how the plan f computes large matrix products, and why, with the measured
// rates of the target. The library has chosen the products as it does for a solve. If emulated
// products are faster on the target and f has native ones, then emulated products need too much
// memory.
func (j *planJob) chosenProducts(on target, f machine.Planned, opt evd.Options) (probe.Products, error) {
	chosen := on.Products
	if j.kind().Complex() {
		chosen = on.ComplexProducts
	}
	if emulates(f) {
		if !chosen.Emulated { // some solves take emulated products even if they are only a little faster
			chosen = chosen.Large()
		}
		return chosen, nil
	}
	if !j.choosesProducts() || !chosen.Large().Emulated {
		return chosen, nil
	}
	ample, _, err := j.Forecast(on.Boundless(), opt)
	if err != nil {
		return chosen, err
	}
	if emulates(ample) {
		chosen.Emulated, chosen.Why = false, "emulated products are faster, but need more memory than is free"
	}
	return chosen, nil
}

// choosesProducts tells whether the solve chooses between native and emulated products by measured
// rates: with --products auto, from order evd.AutoOrder on. Plans in single precision, for batches
// and for tridiagonal matrices have only native products.
func (j *planJob) choosesProducts() bool {
	kind := j.kind()
	return j.Order() >= evd.AutoOrder && j.options.chosen() == evd.ProductsAuto && j.batch == 0 &&
		!kind.Single() && kind != machine.KindTridiagonal
}

type clusterPlan struct {
	Version string  `json:"version"`
	N       int     `json:"n"`
	Vectors bool    `json:"vectors"`
	Engine  string  `json:"engine"`
	Ranks   int     `json:"ranks"`
	Rows    int     `json:"grid_rows"`
	Cols    int     `json:"grid_cols"`
	Block   int     `json:"block"`
	Bytes   uint64  `json:"bytes_per_rank"`
	Flops   float64 `json:"flops"`
	Rate    float64 `json:"assumed_flops_per_second_and_rank"`
	Seconds float64 `json:"forecast_seconds"`
}

func (j *planJob) runCluster(ctx context.Context) error {
	if err := j.json.Open(j.Stdout); err != nil {
		return err
	}
	defer j.json.Close()
	if _, err := j.options.part.of(j.n); err != nil {
		return err
	}
	vectors := j.wantsVectors()
	f, err := cluster.Plan(j.n, j.ranks, cluster.Options{Vectors: vectors}, j.options.part.count(j.n))
	if err != nil {
		return err
	}
	used := f.Rows * f.Cols
	seconds := f.Flops / (j.rate * 1e9 * float64(used))
	var b strings.Builder
	fmt.Fprintf(&b, "engine   %s, %d processes in a grid of %d by %d, blocks of %d\n", j.engine, used, f.Rows, f.Cols, f.Block)
	fmt.Fprintf(&b, "memory   %s a process, of which the matrix takes %s\n", cli.Human(f.Bytes), cli.Human(f.Matrix))
	fmt.Fprintf(&b, "flops    %.3g\n", f.Flops)
	fmt.Fprintf(&b, "forecast %s, if each process does %g GFLOP/s (--rate); not measured\n", duration(seconds), j.rate)
	if used < j.ranks {
		fmt.Fprintf(&b, "%d processes have no work: the matrix is too small, or their number makes no good grid\n", j.ranks-used)
	}
	return j.json.Show(ctx, j.Stdout, clusterPlan{
		cli.Version(), j.n, vectors, j.engine, j.ranks, f.Rows, f.Cols, f.Block, f.Bytes, f.Flops, j.rate * 1e9, seconds,
	}, func(w io.Writer) error {
		_, err := io.WriteString(w, b.String())
		return err
	})
}

func duration(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.2g s", seconds)
	case seconds < 7200:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	if days := seconds / 86400; days >= 2 {
		return fmt.Sprintf("%.3g days", days)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}
