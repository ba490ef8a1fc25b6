package team

import (
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/vk"
)

// TestShares divides vectors among devices with given rates. The parts must follow one another
// without gaps and must be in proportion to the rates. No device may get more vectors than the
// method `most` returns, because its memory is allocated for that number.
func TestShares(t *testing.T) {
	for _, rates := range [][]float64{{1}, {1, 1}, {3, 1}, {67e12, 67e12, 34e12}, {0, 5}, {1e308, 1e308, 1e308}, {1, 1, 1, 1, 1, 1, 1, 1}} {
		s := SharesOf(rates)
		for _, most := range []int{0, 1, 2, 3, 7, 64, 511, 512, 1000, 5000, 32768} {
			for _, m := range []int{0, min(1, most), most / 3, max(0, most-1), most} {
				end := 0
				for k := range s {
					from, to := s.Of(k, m)
					if from != end || to < from || to-from > s.most(k, most) {
						t.Fatalf("rates %v: device %d computes %d to %d of %d, after %d; at most %d", rates, k, from, to, m, end, s.most(k, most))
					}
					end = to
				}
				if end != m {
					t.Fatalf("rates %v: %d of %d vectors", rates, end, m)
				}
			}
		}
	}
	if from, to := SharesOf([]float64{3, 1}).Of(1, 4096); from != 3072 || to != 4096 {
		t.Errorf("a quarter of 4096 is %d to %d", from, to)
	}
	if from, to := SharesOf([]float64{3, 0}).Of(1, 4096); from != 2048 || to != 4096 {
		t.Errorf("with an unknown rate the half of 4096 is %d to %d", from, to)
	}
}

// TestEqualDevicesGetEqualShares checks that devices of the same name get equal parts, although
// their measured rates differ. The bits of a result depend on the parts, and each process may
// measure other rates. Other devices get parts in proportion to their rates.
func TestEqualDevicesGetEqualShares(t *testing.T) {
	measured := func(name string, rate float64) *vk.Device {
		d := vk.Dry(vk.Info{Name: name, Memory: 1 << 40, Free: 1 << 40})
		machine.Of(d).KeepRates(machine.Rates{FP64: rate})
		return d
	}
	got, err := NewShares([]*vk.Device{measured("A", 10), measured("B", 20), measured("A", 11), measured("B", 19)})
	if want := SharesOf([]float64{1, 2, 1, 2}); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v; %v", got, want, err)
	}
}
