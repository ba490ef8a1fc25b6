package svd

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Storage is the format of the numbers in which a plan stores a band in device memory, while it
// reduces the band to bidiagonal form. The band is the matrix of a BandPlan, or an intermediate
// result of a Plan. The singular values of the bidiagonal matrix are computed in double precision
// in any case.
//
// The errors of the singular values are those of the format: about 3·10⁻¹⁶ for Double, 5·10⁻⁸ for
// Single and 2·10⁻⁴ for Half, relative to the norm of all singular values.
type Storage int

const (
	// Double stores and computes in double precision.
	Double Storage = iota

	// Single stores and computes in single precision.
	Single

	// Half stores in half precision (IEEE 754 binary16) and computes in single precision. The
	// device needs the feature storageBuffer16BitAccess.
	Half
)

func (s Storage) String() string {
	if s < Double || s > Half {
		return fmt.Sprintf("Storage(%d)", int(s))
	}
	return [...]string{"double", "single", "half"}[s]
}

// Ulp returns the distance from 1 to the next number of the format.
func (s Storage) Ulp() float64 {
	return [...]float64{precision.UlpOf[float64](), precision.UlpOf[float32](), spirv.Float16Ulp}[s]
}

func (s Storage) supported(info vk.Info) error {
	if s == Double {
		return info.NeedFloat64("storage in single precision works there (vkevd svd --storage f32)")
	}
	if s == Half && !info.HalfStorage() {
		return &vk.UnsupportedError{Device: info.Name, Feature: "storageBuffer16BitAccess, for storage in half precision", Need: "yes", Have: "no"}
	}
	return nil
}

// storedExponent is the exponent to which a band is scaled before it is stored in single or half
// precision: 2^13 ≤ ‖σ·B‖F < 2^14. Orthogonal transformations do not change the norm, so no entry
// becomes larger than 2^14 at any time, except by rounding. Half precision ends at 65504. Its
// smallest normal number is 2⁻¹⁴, at most 2⁻²⁷·‖σ·B‖F. Smaller entries lose digits, but that loss
// is much smaller than the rounding errors of the large entries.
const storedExponent = 14

// scaling returns the power of two by which a band is multiplied before it is stored, as σ·2^more.
// The singular values of the scaled band divided by σ are in the range of a double; `more` is
// positive only for bands whose entries are all below 2⁻⁹⁸⁶. `largest` is max|b_ij|, and norm2
// returns the Frobenius norm of 2^e·B for an exponent e with which all entries are at most 1.
func (s Storage) scaling(largest float64, norm2 func(e int) float64) (sigma float64, more int) {
	if s == Double || largest == 0 {
		return scaling[float64](largest), 0
	}
	_, e := math.Frexp(largest)
	_, grown := math.Frexp(norm2(-e)) // largest·2^−e < 1
	exponent := storedExponent - grown - e
	more = max(exponent-1000, 0)
	return math.Ldexp(1, exponent-more), more
}

func widening[S spirv.StoredReal]() (widen func(S) float64) {
	switch to := any(&widen).(type) {
	case *func(float64) float64:
		*to = func(x float64) float64 { return x }
	case *func(float32) float64:
		*to = func(x float32) float64 { return float64(x) }
	case *func(spirv.Float16) float64:
		*to = spirv.Float16.Float64
	}
	return widen
}

func rounding[S spirv.StoredReal]() (round func(float64) S) {
	switch to := any(&round).(type) {
	case *func(float64) float64:
		*to = func(x float64) float64 { return x }
	case *func(float64) float32:
		*to = func(x float64) float32 { return float32(x) }
	case *func(float64) spirv.Float16:
		*to = spirv.NewFloat16
	}
	return round
}
