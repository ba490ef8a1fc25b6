package evd

import "testing"

// TestShares divides vectors among devices with given rates. The parts must follow one another
// without gaps and must be in proportion to the rates. No device may get more vectors than the
// method `most` returns, because its memory is allocated for that number.
func TestShares(t *testing.T) {
	for _, rates := range [][]float64{{1}, {1, 1}, {3, 1}, {67e12, 67e12, 34e12}, {0, 5}, {1, 1, 1, 1, 1, 1, 1, 1}} {
		s := sharesOf(rates)
		for _, most := range []int{0, 1, 2, 3, 7, 64, 511, 512, 1000, 5000, 32768} {
			for _, m := range []int{0, min(1, most), most / 3, max(0, most-1), most} {
				end := 0
				for k := range s {
					from, to := s.of(k, m)
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
	if from, to := sharesOf([]float64{3, 1}).of(1, 4096); from != 3072 || to != 4096 {
		t.Errorf("a quarter of 4096 is %d to %d", from, to)
	}
	if from, to := sharesOf([]float64{3, 0}).of(1, 4096); from != 2048 || to != 4096 {
		t.Errorf("with an unknown rate the half of 4096 is %d to %d", from, to)
	}
}
