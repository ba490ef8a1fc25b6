// Package machine, internal to vkevd, holds the facts about one open device that determine the
// sizes and forms of the stages: whether workgroups may wait for each other, whether fma() rounds
// once and division is exact, how many compute units there are, and measured rates.
//
// Most facts are found by running a small kernel. The kernel runs when a plan needs the fact, with
// the plan's context, and never in the constructor of a stage. vk.Device.ProbeOnce stores the
// results, on disk if vk.Options.CacheDir is set, so that each fact is measured once for a device
// and driver.
package machine

import (
	"context"
	"errors"
	"fmt"

	"github.com/vkevd/vkevd/vk"
)

type Machine struct {
	Info vk.Info

	// Units is the number of compute units (multiprocessors, cores) that run workgroups. It is 0 if
	// the driver does not report it.
	Units int

	dev *vk.Device
}

// Of returns the facts about a device that are known without running a kernel. The device may be a
// vk.Dry device.
func Of(dev *vk.Device) *Machine {
	info := dev.Info()
	return &Machine{Info: info, Units: info.Units, dev: dev}
}

func (m *Machine) Device() *vk.Device { return m.dev }

// Rates are measured speeds in operations per second. A rate is 0 if it has not been measured yet.
type Rates struct{ FP64, FP32, INT8 float64 }

const ratesFact = "operations a second, FP64 FP32 INT8"

func (r Rates) String() string { return fmt.Sprint(r.FP64, r.FP32, r.INT8) }

func (m *Machine) Rates() Rates {
	var r Rates
	text, err := m.dev.ProbeOnce(ratesFact, func() (string, error) { return "", errUnknown })
	if err == nil {
		fmt.Sscan(text, &r.FP64, &r.FP32, &r.INT8)
	}
	return r
}

var errUnknown = errors.New("machine: not measured")

func (m *Machine) KeepRates(r Rates) {
	m.dev.SetProbe(ratesFact, r.String())
}

const arithmeticFact = "arithmetic: operands, division, root, fma, subnormals"

// Arithmetic returns how the device rounds doubles, measured once for a device and driver. For a
// vk.Dry device the result is zero.
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
