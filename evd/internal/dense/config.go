package dense

import (
	"fmt"

	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/factor"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Config says what to compute and how. The fields mean the same as those of evd.Options.
type Config struct {
	spectrum.Options
	Band, Block int
	NoWaits     bool
	Products    emulation.Use
	Moduli      int
	Verify      bool // the values will be certified
	RowMajor    bool
	Distribute  bool // several devices divide the matrix
	Tuning      *tuning.Tuning

	// Pencil is the generalized eigenproblem. 0 is the standard one, A·x = λ·x.
	Pencil factor.Pencil

	// Refine says that the vectors of a generalized problem may be refined.
	Refine bool
}

// Safely returns the options of the safe path, on which a second result is computed if the first
// one did not pass its certificate. No workgroup waits for another one, and all products are
// native. If no vectors are wanted, bisection computes the values. Otherwise QR iteration on the
// host solves the tridiagonal problem up to order plan.MaxSafeQR, and the solver of c above this
// order.
func (c Config) Safely(n int) Config {
	c.NoWaits, c.Products = true, emulation.Native
	switch {
	case !c.Vectors:
		c.Solver = spectrum.Bisection
	case n <= plan.MaxSafeQR:
		c.Solver = spectrum.QR
	}
	return c
}

// Avoiding returns the options for another attempt after the call `failed`: with native products if
// emulated products refused the matrix, and otherwise without the waits that failed.
func (c Config) Avoiding(failed *plan.Call) Config {
	if failed.GaveUp().Cause == stages.CauseRefused {
		c.Products = emulation.Native
	} else {
		c.NoWaits = failed.AvoidWaits() || c.NoWaits
	}
	return c
}

// MostVectors is the largest number of vectors for a matrix of order n. It is 0 if none are wanted.
func (c Config) MostVectors(n int) int {
	if !c.Vectors {
		return 0
	}
	return c.Capacity(n)
}

// MayEmulate reports whether products may be emulated for order n, on a device with fast integer
// units.
func (c Config) MayEmulate(n int) bool {
	return c.Products == emulation.Always || c.Products == emulation.Auto && n >= tuning.EmulateFrom
}

// Table is the tuning table of the caller, or else that of the device.
func (c Config) Table(dev *vk.Device) tuning.Tuning {
	if c.Tuning != nil {
		return *c.Tuning
	}
	return tuning.On(dev.Info())
}

// Sizes returns the sizes of the stages for matrices of number type T and order n: those of the
// caller's tuning table, or else of the device's, except the sizes that c sets. Sizes that are not
// possible are an *OptionError.
func Sizes[T spirv.Scalar](dev *vk.Device, n int, c Config) (tuning.Tuning, error) {
	t := c.Table(dev)
	if c.Products == emulation.Always || c.Distribute {
		t.SmallTo = 0 // SmallBlock is too small for emulated products, and was not measured for divided matrices
	}
	t = tuning.Fitting[T](tuning.Of[T](t), dev.Info()).For(n, c.MostVectors(n))
	if c.Band > 0 {
		// Block must be a multiple of the new Band. So the table's Block is rounded down to a
		// multiple of Band, but is at least Band.
		t.Block = max(t.Block/c.Band, 1) * c.Band
		t.Band = c.Band
	}
	if c.Block > 0 {
		t.Block = c.Block
	}
	if t.Band < 1 || t.Block < 1 {
		return t, plan.BadOption("Tuning", fmt.Sprintf("has the half-bandwidth %d and the block %d; both must be positive", t.Band, t.Block))
	}
	if t.Block%t.Band != 0 {
		reason := fmt.Sprintf("%d is not a multiple of the half-bandwidth %d", t.Block, t.Band)
		return t, plan.BadOption("Block", reason)
	}
	t.Waits.Wavefront = t.Waits.Wavefront || c.NoWaits
	return t, nil
}
