package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/vk"
)

// Shared is the content of the file that bench --share writes. A user sends the file to a
// maintainer who does not have the user's GPU. The file contains no names of users, machines or
// files.
type Shared struct {
	Version string    `json:"version"`
	Time    time.Time `json:"time"`
	Device  vk.Info   `json:"device"` // as the driver describes it

	MayWait    *bool             `json:"may_wait,omitempty"`   // workgroups may wait for each other; absent if not measured
	Arithmetic *probe.Arithmetic `json:"arithmetic,omitempty"` // how the device rounds doubles; absent if not measured
	Rows       []bench.Row       `json:"rows"`                 // the peaks of the device and the times of all stages
	Solves     []sharedSolve     `json:"solves"`               // of whole solves with vectors
	Errors     []string          `json:"errors,omitempty"`     // of measurements that are not in Rows or Solves
}

// sharedSolve is one solve of a random matrix of order N. Seconds is the time of Solve by the
// host's clock, including transfers. The kernels are compiled before this time begins.
type sharedSolve struct {
	N       int     `json:"n"`
	Seconds float64 `json:"seconds"`
	evd.Ratios
}

// These are the orders of matrices that bench --share measures if the user gives no --n: one list
// for GPUs, and one for devices that compute on the CPU.
var (
	sharedOrders    = []int{1024, 4096}
	sharedOrdersCPU = []int{256}
)

// sharing completes the options of bench --share before the device is known: all stages, usual
// orders.
func (j *benchJob) sharing() {
	if j.share.Path == "" {
		return
	}
	if len(j.options.Stages) == 0 {
		j.options.Stages = bench.SingleStages()
	}
	if len(j.options.Orders) == 0 {
		j.options.Orders, j.usualOrders = sharedOrders, true
	}
}

// suit takes smaller default orders if the device computes on the CPU.
func (j *benchJob) suit(info vk.Info) {
	if j.usualOrders && info.Type == "cpu" {
		j.options.Orders = sharedOrdersCPU
	}
}

// writeShared measures, and writes the file even if a measurement fails, unless the command is
// interrupted. `measure` passes each row to `keep`.
func (j *benchJob) writeShared(ctx context.Context, measure func(keep func(bench.Row)) error) error {
	if err := j.share.Open(j.Stdout); err != nil {
		return err
	}
	defer j.share.Close()
	s := &Shared{Version: cli.Version(), Time: time.Now().UTC().Truncate(time.Second), Solves: []sharedSolve{}}
	failed := measure(func(r bench.Row) { s.Rows = append(s.Rows, r) })
	if ctx.Err() != nil || len(s.Rows) == 0 {
		return failed // interrupted, or nothing can be measured
	}
	failed = errors.Join(failed, j.facts(ctx, s))
	if ctx.Err() != nil {
		return failed
	}
	if failed != nil {
		s.Errors = append(s.Errors, failed.Error())
	}
	return errors.Join(failed, j.share.Write(ctx, s))
}

func (j *benchJob) facts(ctx context.Context, s *Shared) error {
	dev, err := j.Open(vk.Options{Device: j.device()}, j.Stderr)
	if err != nil {
		return err
	}
	defer dev.Close()
	s.Device = dev.Info()
	var errs []error
	if may, err := dev.HandsOn(); err == nil {
		s.MayWait = &may
	} else {
		errs = append(errs, err)
	}
	if a, err := dev.Probe(ctx); err == nil {
		s.Arithmetic = &a
	} else {
		errs = append(errs, err)
	}
	for _, n := range j.options.Orders {
		solve, err := solveShared(ctx, dev, n)
		if err != nil {
			errs = append(errs, fmt.Errorf("n = %d: %w", n, err))
			continue
		}
		s.Solves = append(s.Solves, solve)
	}
	return errors.Join(errs...)
}

// solveShared measures the second solve of a random matrix.
func solveShared(ctx context.Context, dev machine.Device, n int) (s sharedSolve, err error) {
	plan, err := machine.PlanOf[machine.Solver](dev, machine.Task{N: n, Evd: evd.Options{Vectors: true}})
	if err != nil {
		return s, err
	}
	defer plan.Close()
	a := evd.NewSym(n, matgen.Dense()[0].Dense(n), evd.Lower)
	if _, err = plan.Solve(ctx, a); err != nil {
		return s, err
	}
	began := time.Now()
	res, err := plan.Solve(ctx, a)
	if err != nil {
		return s, err
	}
	s = sharedSolve{N: n, Seconds: time.Since(began).Seconds()}
	s.Ratios, err = plan.Check(ctx, a, res)
	return s, err
}
