package svd

import (
	"context"
	"fmt"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Vectors says which singular vectors of one side, left or right, are wanted.
type Vectors int

const (
	// None asks for no vectors.
	None Vectors = iota

	// Thin asks for one vector for each wanted singular value.
	Thin

	// Full asks for a square orthogonal (or unitary) matrix. Its first columns are the vectors of
	// Thin, and its last columns are orthogonal to them. Full cannot be used with Options.Largest or
	// Options.Select.
	Full
)

// Options are the options of a plan. The zero value computes all singular values and no vectors.
type Options struct {
	// U and V say which left and which right singular vectors are wanted.
	U, V Vectors

	// Largest is the number of singular values to compute: the largest ones, and their vectors. 0
	// means all. Without vectors, Largest saves little time: only the last step, which has O(n²)
	// operations, becomes cheaper.
	Largest int

	// Select selects the singular values to compute, and their vectors, by Index or by Interval.
	// Index 0 is the largest value. The zero value selects all. Select cannot be combined with
	// Largest. An interval is not possible if Storage has fewer digits than the plan's number type.
	Select evd.Selection

	// Band is the number of superdiagonals b of the intermediate band. Block is the number of
	// columns between two updates of the whole trailing matrix, a multiple of Band. 0 means a
	// number that suits the device and, for Block, the order of the matrix.
	Band, Block int

	// Products says how large matrix products are computed: in double precision (native), or by
	// integer units (emulated). ProductsAuto chooses as in package evd, with min(m, n) in place of the
	// order. For complex numbers, the products that find the vectors of the bidiagonal matrix are
	// native in any case. From LargeOrder on, or LargeVectors for the products that compute vectors,
	// emulated products need not be much faster. If emulated products refuse a matrix, the plan solves
	// again with native products (see Result.Retried). A BidiagonalPlan has native products, whatever
	// Products is.
	Products evd.Products

	// Moduli is the number of moduli of emulated products for the vectors, 13 to 16. 0 means 14.
	// The reduction has one modulus less, but at least 13. For complex numbers at least 14 are
	// needed, and 0 means 15. See evd.Options.
	Moduli int

	// Storage is the format of the numbers in which values without vectors are computed, up to the
	// bidiagonal matrix. The zero value is Double, which means Single if the number type of the
	// plan is float32. The other formats are faster, need less memory and have larger errors, as
	// the documentation of Storage says:
	//
	//	Single   a plan for float64 rounds A to float32 and reduces it as a plan for float32 does
	//	Half     the plan reduces A to a band in single precision, and stores this band in half
	//	         precision. The device needs the feature storageBuffer16BitAccess
	//
	// Solve scales A by a power of two, so that no entry is too large for the format. For these
	// formats, a device without double precision can be used. Emulated products and vectors are
	// possible only if Storage has the precision of the plan's number type. A BidiagonalPlan and a
	// plan for complex matrices refuse formats with fewer digits than their number type.
	Storage Storage

	// Certify makes Solve measure the errors of the computed values, and store them in
	// Result.Certificate. If Storage has fewer digits than the plan's number type, the errors are
	// in units of single precision, and for Half, Certificate.Norm is in units of half precision.
	// The measurement takes a fraction of the bisection's time, and one pass over A on the host.
	Certify bool

	// Verify makes Solve certify each result before it returns, values and vectors (see
	// Result.Certificate). If a result does not pass, Solve computes it again by slower and simpler
	// methods (the safe path). If vectors of one side are wanted, the plan computes both sides,
	// because the residual needs them. A BidiagonalPlan refuses Verify.
	Verify bool

	// Progress is called repeatedly during a solve, one call at a time, from another goroutine.
	// Solve waits for the last call before it returns. nil means no calls.
	Progress func(evd.Progress)

	// Tuning has the sizes with which kernels run. nil means the tuning table of the device.
	Tuning *tuning.Tuning
}

func (o Options) check(n int) error {
	switch {
	case o.U < None || o.U > Full || o.V < None || o.V > Full:
		return plan.BadOption("U, V", "must be None, Thin or Full")
	case o.Largest < 0 || o.Largest > n:
		return plan.BadOption("Largest", fmt.Sprintf("%d of %d singular values", o.Largest, n))
	case o.Largest > 0 && o.Select != (evd.Selection{}):
		return plan.BadOption("Select", "cannot be combined with Largest")
	case o.part() != (spectrum.Selection{}) && (o.U == Full || o.V == Full):
		return plan.BadOption("Largest, Select", "all vectors (Full) need all singular values")
	case o.Storage < Double || o.Storage > Half:
		return plan.BadOption("Storage", "must be Double, Single or Half")
	case o.Band < 0 || o.Block < 0:
		return plan.BadOption("Band, Block", "must not be negative")
	}
	if err := spectrum.CheckSelection(spectrum.Selection(o.Select), n); err != nil {
		return err
	}
	if n > 0 && spectrum.Capacity(spectrum.Selection(o.Select), n) == 0 {
		return plan.BadOption("Index", "selects no singular value")
	}
	return evd.CheckProducts(o.Products, o.Moduli)
}

// Index selects the singular values with the indices `from` … `to`−1. The largest one has index 0.
func Index(from, to int) evd.Selection { return evd.Index(from, to) }

// Interval selects the singular values in (a, b]: a < σ ≤ b. An end may be infinite. A value within
// the rounding error max(m, n)·ε·σ₁ of an end may count as on either side of this end. The number
// of values is not known before the solve, so the plan allocates memory for all, unless
// Selection.AtMost gives a smaller number. If there are more values, Solve returns an
// *evd.TooManyError.
func Interval(a, b float64) evd.Selection { return evd.Interval(a, b) }

func (o Options) part() spectrum.Selection {
	if o.Largest > 0 {
		return spectrum.Index(0, o.Largest)
	}
	return spectrum.Selection(o.Select)
}

// fewerDigits reports whether Options.Storage has fewer digits than T.
func fewerDigits[T evd.Number](o Options) bool {
	return o.Storage != Double && o.Storage.Ulp() > precision.UlpOf[T]()
}

// checkStorage returns an *evd.OptionError if Options.Storage has fewer digits than T and another
// option needs all digits. It returns a *vk.UnsupportedError if the device cannot store the format.
func checkStorage[T evd.Number](o Options, info vk.Info) error {
	switch {
	case !fewerDigits[T](o):
		return nil
	case precision.IsComplex[T]():
		return plan.BadOption("Storage", fmt.Sprintf("%v precision is for real matrices only", o.Storage))
	case o.U != None || o.V != None:
		return plan.BadOption("Storage", fmt.Sprintf("%v precision is for values alone, without U and V", o.Storage))
	case o.Select.ByValue():
		return noInterval(o.Storage)
	case o.Products == evd.ProductsEmulated:
		return plan.BadOption("Products", fmt.Sprintf(
			"emulated products replace double precision, and %v precision needs none", o.Storage))
	}
	return o.Storage.supported(info)
}

// noInterval is the *evd.OptionError about an interval with a Storage of fewer digits: the errors
// of the values are too large for its ends.
func noInterval(s Storage) error {
	return plan.BadOption("Select", fmt.Sprintf("an interval is not possible in %v precision", s))
}

// mayEmulate reports whether the options allow emulated products for n singular values, on a device
// with fast integer units.
func mayEmulate[T evd.Number](o Options, n int) bool {
	return o.Products == evd.ProductsEmulated || precision.IsDouble[T]() && o.Products == evd.ProductsAuto && n >= evd.AutoOrder
}

// bounded returns the tuning t with dispatches that are short enough for the speed of the device:
// its rate of FP64 arithmetic, or of FP32 if it has no FP64. The rate is measured once per device.
func bounded[T evd.Number](dev *vk.Device, t tuning.Tuning) (tuning.Tuning, error) {
	rate, err := machine.Of(dev).Rate(context.Background())
	if err != nil {
		return t, err
	}
	return t.Bounded(rate / dense.RealFlops[T]()), nil
}

func tableOf[T evd.Number](o Options, info vk.Info) tuning.Tuning {
	given := tuning.On(info)
	if o.Tuning != nil {
		given = *o.Tuning
	}
	t := tuning.Fitting[T](tuning.Of[T](given), info)
	t.ValuesFrom = given.ValuesFrom // package tuning sets ValuesFrom to 0 for complex numbers, but complex matrices can be reduced to a wide band, too
	return t
}

// sizes returns the tuning for matrices with n columns, with the changes that the options ask for.
// `emulated` says whether the products of the reduction are emulated. The sizes do not depend on
// the wanted vectors, so that the values have the same bits with and without vectors. A block size
// that is no multiple of the band is an *evd.OptionError.
func sizes[T evd.Number](o Options, info vk.Info, n int, emulated bool) (tuning.Tuning, error) {
	t := tableOf[T](o, info)
	if b := o.Band; b > 0 {
		t.Band, t.Block = b, max(t.Block/b, 1)*b
	}
	if o.Block > 0 {
		t.Block = o.Block
	} else {
		// A block has two deferred updates of rank k, from the left and from the right, and the
		// table's block has one. Emulated products need a larger inner dimension. The deferred
		// updates cost 6·n²·k, so a block must be a small part of the matrix.
		b, k := t.Band, min(t.Block/2, n/32)
		if emulated {
			k = max(k, min(t.Block, n/64))
		}
		t.Block = max(b, k/b*b)
	}
	if t.Block%t.Band != 0 {
		return t, plan.BadOption("Block", fmt.Sprintf("%d is not a multiple of the %d superdiagonals", t.Block, t.Band))
	}
	return t, nil
}
