package emulated

import (
	"context"
	"fmt"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Choice says whether a device computes its large products natively or emulated, and why.
type Choice struct {
	Emulated bool

	// Why is the reason for the choice, as a part of a sentence.
	Why string

	Facts Facts
}

func (c Choice) String() string {
	if c.Emulated {
		return "emulated: " + c.Why
	}
	return "native: " + c.Why
}

// worth is the smallest ratio of the speeds of emulated and native products for which emulated ones
// are chosen. The gain of a whole solve is smaller, so a smaller ratio does not justify the memory
// for residues.
const worth = 1.5

// worthLarge is `worth` for large matrices. For larger products, emulation gains more than the
// measured ratio says, and the memory for residues is a smaller part of the memory for the matrix.
const worthLarge = 1

// Large returns the choice for large matrices. For them, emulated products are chosen if they are
// measured to be at least as fast as native ones.
func (c Choice) Large() Choice {
	if c.Facts.Right {
		return decide(c.Facts, worthLarge)
	}
	return c
}

// Choose chooses between native products and products on integer units (emulated products) for a
// device by measured rates of products of the type T. It measures the rates if they are not known.
// The choice is native if the device cannot emulate products, for example because its driver cannot
// compile a kernel, or if it computed the golden product (a test product with known bits) wrongly.
// The error is that of ctx, vk.ErrDeviceLost or vk.ErrClosed.
func Choose[T Double](ctx context.Context, dev *vk.Device, t product.Tuning) (Choice, error) {
	if why := unfit(dev.Info()); why != "" {
		return Choice{Why: why}, nil
	}
	if t.Emulated.Panel == 0 {
		return Choice{Why: "the tuning has no sizes of emulated products"}, nil
	}
	f, err := Measured[T](ctx, dev, t)
	return chosen(ctx, f, err)
}

func chosen(ctx context.Context, f Facts, err error) (Choice, error) {
	switch {
	case err == nil:
		return decide(f, worth), nil
	case stops(ctx, err):
		return Choice{Why: err.Error()}, err
	}
	return Choice{Why: err.Error()}, nil
}

// Force chooses emulated products, whatever their rate is. The error is a *vk.UnsupportedError if
// the device cannot emulate products, or if it computed the golden product (a test product with
// known bits) wrongly. Other errors are those of a measurement, such as the end of ctx. A CPU is
// not measured, because this would take long, but a stored result counts.
func Force[T Double](ctx context.Context, dev *vk.Device, t product.Tuning) (Choice, error) {
	c := Choice{Emulated: true, Why: "the caller wants emulated products"}
	units, err := FindUnits(ctx, dev)
	if err != nil {
		return c, err
	}
	fault := Known[T](dev).Fault
	if dev.Info().Type != "cpu" {
		c.Facts, err = Measured[T](ctx, dev, t)
		fault = c.Facts.Fault
	}
	if err == nil && fault != "" {
		err = &vk.UnsupportedError{
			Device: dev.Info().Name, Feature: units.String(), Need: "right products of bytes", Have: "units that " + fault,
		}
	}
	return c, err
}

// Chosen is Choose from stored rates; it runs no kernel. The choice is native products if the rates
// were not measured before.
func Chosen[T Double](dev *vk.Device) Choice {
	if why := unfit(dev.Info()); why != "" {
		return Choice{Why: why}
	}
	return decide(Known[T](dev), worth)
}

// unfit returns why the rates of products are not measured on a device, or "".
func unfit(info vk.Info) string {
	all := Candidates(info)
	switch {
	case !info.IntegerDotProducts():
		return "the device has no packed dot products of bytes"
	case !all[len(all)-1].Matrix() && !info.FastDots:
		return "the device has no matrix units for bytes, and no instructions for packed dot products"
	}
	return ""
}

func decide(f Facts, least float64) Choice {
	c := Choice{Facts: f}
	gain := f.Gain()
	switch {
	case f.Fault != "":
		c.Why = "the integer units " + f.Fault
	case f == Facts{}:
		c.Why = "the rates of products are not measured yet"
	default:
		c.Emulated = gain >= least
		c.Why = fmt.Sprintf("emulated products reach %.3g times the rate of native ones (%.3g and %.3g TFLOP/s), and %.3g is worth it",
			gain, f.Emulated/1e12, f.Native/1e12, least)
	}
	return c
}
