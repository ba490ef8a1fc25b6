package team

import (
	"context"
	"slices"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/vk"
)

// Shares says which part of the vectors, and of a distributed matrix, each device of a plan has.
// Element k is the sum of the fractions of the devices 0 to k, so the last element is 1.
type Shares []float64

// NewShares divides vectors and matrix among the devices in proportion to their measured rates of
// FP64 arithmetic. If the rate of a device is not known, as for CPUs, all devices get equal parts.
func NewShares(devices []*vk.Device) (Shares, error) {
	rates := make([]float64, len(devices))
	for k, dev := range devices {
		// Devices of the same name get equal parts. Their measured rates differ a little, and
		// another division would change the bits of the result.
		same := func(d *vk.Device) bool { return d.Info().Name == dev.Info().Name }
		if first := slices.IndexFunc(devices[:k], same); first >= 0 {
			rates[k] = rates[first]
			continue
		}
		// With the context of a caller, the measurement could end early for all later callers.
		rate, err := machine.Of(dev).Float64Rate(context.Background())
		if err != nil {
			return nil, plan.OnDevice(dev, err)
		}
		rates[k] = rate
	}
	return SharesOf(rates), nil
}

// SharesOf returns the Shares whose fractions are in proportion to the devices' rates. If one of
// the rates is 0, which means unknown, all fractions are equal.
func SharesOf(rates []float64) Shares {
	if slices.Min(rates) <= 0 {
		rates = slices.Repeat([]float64{1}, len(rates))
	}
	s, sum, most := make(Shares, len(rates)), 0.0, slices.Max(rates)
	for k, r := range rates {
		sum += r / most // a sum of the rates might overflow
		s[k] = sum
	}
	for k := range s {
		s[k] /= sum
	}
	s[len(s)-1] = 1
	return s
}

// parts returns the fraction of each device.
func (s Shares) parts() []float64 {
	parts, before := make([]float64, len(s)), 0.0
	for k, end := range s {
		parts[k], before = end-before, end
	}
	return parts
}

// strip is a number of vectors that the kernels compute together. If there are many vectors, each
// device except the last one computes a multiple of this number.
const strip = 64

// Of returns the vectors that device k computes if there are m vectors: `from` ≤ i < `to`.
func (s Shares) Of(k, m int) (from, to int) {
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

// `most` returns the largest number of vectors that device k may have to compute if there are at
// most m vectors on all devices together.
func (s Shares) most(k, m int) int {
	from, to := s.Of(k, m)
	return min(m, to-from+strip)
}
