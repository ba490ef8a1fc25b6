package evd

import (
	"context"
	"slices"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/vk"
)

// shares says which part of the vectors each device of a plan computes. Element k is the sum of the
// parts of devices 0 to k, out of 1. So it ascends to 1.
type shares []float64

// newShares gives each device a part in proportion to its measured rate of FP64 arithmetic. If the
// rate of a device is not known, which is so for CPUs, all parts are equal.
func newShares(devices []*vk.Device) (shares, error) {
	rates := make([]float64, len(devices))
	for k, dev := range devices {
		// The caller's context is not known here. The rate is measured once per device and kept.
		rate, err := machine.Of(dev).Float64Rate(context.Background())
		if err != nil {
			return nil, spectrum.OnDevice(dev, err)
		}
		rates[k] = rate
	}
	return sharesOf(rates), nil
}

// sharesOf returns parts in proportion to the rates, or equal parts if one of them is 0.
func sharesOf(rates []float64) shares {
	if slices.Min(rates) <= 0 {
		rates = slices.Repeat([]float64{1}, len(rates))
	}
	s, sum := make(shares, len(rates)), 0.0
	for k, r := range rates {
		sum += r
		s[k] = sum
	}
	for k := range s {
		s[k] /= sum
	}
	s[len(s)-1] = 1
	return s
}

// strip is a number of vectors that the kernels compute together. Parts of many vectors are
// multiples of it.
const strip = 64

// of returns the part of m vectors that device k computes: the vectors from, from+1 … to−1.
func (s shares) of(k, m int) (from, to int) {
	end := func(k int) int {
		if k < 0 {
			return 0
		}
		e := int(s[k]*float64(m) + 0.5)
		if k < len(s)-1 && m >= 4*strip*len(s) {
			e = (e + strip/2) / strip * strip
		}
		return min(e, m)
	}
	return end(k - 1), end(k)
}

// most returns the largest number of vectors that device k may have to compute if there are m or
// fewer in all.
func (s shares) most(k, m int) int {
	from, to := s.of(k, m)
	return min(m, to-from+strip)
}
