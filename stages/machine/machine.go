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

// Machine is what is known about one open device.
type Machine struct {
	Info vk.Info

	// Units is the number of units (multiprocessors, cores) that hold workgroups; 0 if the driver
	// does not tell.
	Units int

	// WideFence tells that every invocation must fence, because the fence of one does not act for
	// its workgroup: see WideFence.
	WideFence bool

	dev *vk.Device
}

// Of is what is known about a device without asking it anything. A vk.Dry device will do.
func Of(dev *vk.Device) *Machine {
	info := dev.Info()
	return &Machine{Info: info, Units: info.Units, WideFence: WideFence(info), dev: dev}
}

// WideFence tells whether every invocation of a workgroup must fence before a flag is published and
// after it was seen. One invocation can do it for all only where the memory model has chains of
// availability and visibility: the workgroup's barrier is the first link, that fence the second. It
// is relied on where it was tried, on NVIDIA's driver and on the CPU's.
func WideFence(info vk.Info) bool {
	tried := info.Family == "nvidia" || info.Family == "cpu"
	return !tried || !info.FenceChains()
}

// Rates are measured speeds in operations per second; 0 if not measured yet.
type Rates struct{ FP64, FP32, INT8 float64 }

const ratesFact = "operations a second, FP64 FP32 INT8"

// String is the form in which rates are kept.
func (r Rates) String() string { return fmt.Sprint(r.FP64, r.FP32, r.INT8) }

// Rates are those that were kept for this device and driver by KeepRates.
func (m *Machine) Rates() Rates {
	var r Rates
	text, err := m.dev.ProbeOnce(ratesFact, func() (string, error) { return "", errUnknown })
	if err == nil {
		fmt.Sscan(text, &r.FP64, &r.FP32, &r.INT8)
	}
	return r
}

var errUnknown = errors.New("machine: not measured")

// KeepRates keeps rates for this device and driver, in place of earlier ones.
func (m *Machine) KeepRates(r Rates) {
	m.dev.SetProbe(ratesFact, r.String())
}

const arithmeticFact = "arithmetic: operands, division, root, fma, subnormals"

// Arithmetic tells how doubles are rounded. It is measured once for a device and driver;
// MeasureArithmetic measures anew. Nothing is known of a vk.Dry device: the result is zero.
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
