// Package machine, internal to vkevd, holds the facts about one open device that the sizes and
// forms of the stages depend on: whether workgroups may wait for each other, how their fences act,
// whether fma() rounds once and division is exact, how many units there are, and measured rates.
//
// Most facts are found by running a small kernel. That happens when a plan asks for the fact, in
// the plan's context, and never in the constructor of a stage. vk.Device.ProbeOnce keeps the
// answers, on disk if vk.Options.CacheDir is set, so each driver is asked once.
package machine

import (
	"context"
	"errors"
	"fmt"

	"github.com/vkevd/vkevd/vk"
)

// Machine holds what is known about one open device.
type Machine struct {
	Info vk.Info

	// Units is the number of units (multiprocessors, cores) that hold workgroups. It is 0 if the
	// driver does not tell.
	Units int

	// WideFence tells that every invocation must issue the fence (memory barrier), because a fence
	// of one invocation does not act for its workgroup. See the function WideFence.
	WideFence bool

	dev *vk.Device
}

// Of returns what is known about a device without running anything on it. It accepts a vk.Dry
// device, too.
func Of(dev *vk.Device) *Machine {
	info := dev.Info()
	return &Machine{Info: info, Units: info.Units, WideFence: WideFence(info), dev: dev}
}

// WideFence tells whether every invocation of a workgroup must issue the fence before a flag is
// published and after a flag was seen. One invocation can do this for all only if the memory model
// has chains of availability and visibility: the workgroup's barrier is the first link of the
// chain, and the fence is the second. This package relies on such chains only on drivers where they
// were tried, which are NVIDIA's and those that run on a CPU.
func WideFence(info vk.Info) bool {
	tried := info.Family == "nvidia" || info.Family == "cpu"
	return !tried || !info.FenceChains()
}

// Rates are measured speeds in operations per second. A rate is 0 if it has not been measured yet.
type Rates struct{ FP64, FP32, INT8 float64 }

const ratesFact = "operations a second, FP64 FP32 INT8"

// String is the text form in which rates are stored.
func (r Rates) String() string { return fmt.Sprint(r.FP64, r.FP32, r.INT8) }

// Rates returns the rates that KeepRates has stored for this device and driver.
func (m *Machine) Rates() Rates {
	var r Rates
	text, err := m.dev.ProbeOnce(ratesFact, func() (string, error) { return "", errUnknown })
	if err == nil {
		fmt.Sscan(text, &r.FP64, &r.FP32, &r.INT8)
	}
	return r
}

var errUnknown = errors.New("machine: not measured")

// KeepRates stores rates for this device and driver, and replaces earlier ones.
func (m *Machine) KeepRates(r Rates) {
	m.dev.SetProbe(ratesFact, r.String())
}

const arithmeticFact = "arithmetic: operands, division, root, fma, subnormals"

// Arithmetic tells how doubles are rounded. It is measured once for a device and driver, and then
// read from storage. MeasureArithmetic always measures. For a vk.Dry device nothing is known, and
// the result is zero.
func (m *Machine) Arithmetic(ctx context.Context) (Arithmetic, error) {
	var a Arithmetic
	text, err := m.dev.ProbeOnce(arithmeticFact, func() (string, error) {
		a, err := MeasureArithmetic(ctx, m.dev)
		return fmt.Sprint(a.Operands, a.Division, a.Sqrt, a.Fused, a.Subnormals), err
	})
	if err != nil || text == "" {
		return a, err
	}
	if _, err := fmt.Sscan(text, &a.Operands, &a.Division, &a.Sqrt, &a.Fused, &a.Subnormals); err != nil {
		return a, fmt.Errorf("machine: the fact %q is %q: %w", arithmeticFact, text, err)
	}
	return a, nil
}
