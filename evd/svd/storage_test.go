package svd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// storages are the formats with the largest and the smallest relative error of the singular values
// that is expected of them: ‖σ̂ − σ‖ / ‖σ‖ for bands of order 30 to 40. A smaller error would mean
// that the numbers are stored in a better format.
var storages = []struct {
	of          Storage
	most, least float64
}{{Double, 2e-15, 0}, {Single, 1e-6, 2e-9}, {Half, 2e-3, 2e-5}}

// storedPlan makes a plan with the smallest sizes. The test is skipped if the device cannot store
// numbers of the format.
func storedPlan(t *testing.T, n, b int, of Storage) *BandPlan[float64] {
	t.Helper()
	small := tuning.Smallest()
	p, err := NewBandPlan[float64](testDevice(t), n, b, BandOptions{Storage: of, Certify: true, Tuning: &small})
	if of == Half && !testDevice(t).Info().HalfStorage() {
		t.Skip("no storage in half precision")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestBandStorage compares the values of plans for each format with gonum's. Some entries are near
// the largest and the smallest doubles, which only double precision can hold. The smallest are
// subnormal numbers. The relative errors must be those of the format, and the certificates must
// pass.
func TestBandStorage(t *testing.T) {
	when.Skip(t, when.Quick, "single precision in storage")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	for _, s := range storages {
		for _, c := range []struct{ n, b, scale int }{{37, 13, 0}, {30, 4, 0}, {33, 8, 1018}, {33, 8, -1000}, {33, 8, -1060}} {
			what := fmt.Sprintf("%v, %+v", s.of, c)
			band, _ := randomBand(c.n, c.b, math.Ldexp(1, c.scale))
			res, err := storedPlan(t, c.n, c.b, s.of).Solve(context.Background(), band)
			if err != nil {
				t.Fatal(what, err)
			}
			if !res.Certificate.Passed() {
				t.Errorf("%s: %v", what, res.Certificate)
			}
			// The reference gets the band that the solver has seen, whose subnormal entries were
			// rounded when the band was made.
			for i, x := range band.Data {
				band.Data[i] = math.Ldexp(x, -c.scale)
			}
			want := valuesByGonum(t, denseOf(band))
			got := slices.Clone(res.Values)
			for i, x := range got {
				got[i] = math.Ldexp(x, -c.scale)
			}
			most := max(s.most, math.Ldexp(1, -1070-c.scale)) // the second limit is the rounding error of subnormal results
			if e := floats.Distance(got, want, 2) / floats.Norm(want, 2); !(e >= s.least && e <= most) {
				t.Errorf("%s: relative error %.3g, want at most %.3g and at least %.3g", what, e, most, s.least)
			}
		}
	}
}

// TestBandStorageOfUnevenMatrices solves bands with a few large entries and many tiny ones, and a
// band of zeros. Half precision turns the tiny entries into zeros. The error relative to the
// largest value must stay that of the format.
func TestBandStorageOfUnevenMatrices(t *testing.T) {
	when.Skip(t, when.Quick, "single precision in storage")
	for _, s := range storages {
		p := storedPlan(t, 30, 5, s.of)
		band, _ := randomBand(30, 5, 1)
		for j := range 30 {
			_, entries := band.column(j)
			for k := range entries {
				entries[k] *= math.Pow(10, -float64(j))
			}
		}
		res, err := p.Solve(context.Background(), band)
		if err != nil {
			t.Fatal(err)
		}
		if e := floats.Distance(res.Values, valuesByGonum(t, denseOf(band)), 2) / res.Values[0]; !(e <= s.most) {
			t.Errorf("%v: error %.3g", s.of, e)
		}
		zero := Band[float64]{N: 30, B: 5, Ld: 6, Data: make([]float64, 180)}
		if res, err := p.Solve(context.Background(), zero); err != nil || floats.Norm(res.Values, 1) != 0 || res.Rank(-1) != 0 {
			t.Errorf("%v: %v, %v", s.of, err, res)
		}
	}
}

// TestBandStorageRank checks that Rank counts rounding errors of the format as zero. The band has
// rank 1.
func TestBandStorageRank(t *testing.T) {
	when.Skip(t, when.Quick, "single precision in storage")
	for _, s := range storages {
		ones := Band[float64]{N: 20, B: 19, Ld: 20, Data: make([]float64, 400)}
		for j := range 20 {
			ones.Data[19-j+j*20] = 1 / float64(3+j) // element (0, j)
		}
		res, err := storedPlan(t, 20, 19, s.of).Solve(context.Background(), ones)
		if err != nil || res.Rank(-1) != 1 {
			t.Errorf("%v: rank %d, %v", s.of, res.Rank(-1), err)
		}
	}
}

// TestBandStorageOfLargeOrders checks Rank and Certificate.Norm of a format with a large ε for
// large orders n. (Both once used n·ε, which is more than 1 for Half and n = 2000: Rank returned 0
// for the identity, and each certificate passed.)
func TestBandStorageOfLargeOrders(t *testing.T) {
	identity := Result[float64]{Values: slices.Repeat([]float64{1}, 2000), order: 2000, ulp: Half.Ulp()}
	if r := identity.Rank(-1); r != 2000 {
		t.Errorf("the identity has rank %d", r)
	}
	band, _ := randomBand(60, 5, 1)
	res, err := storedPlan(t, 60, 5, Half).Solve(context.Background(), band)
	if err != nil {
		t.Fatal(err)
	}
	norm := band.norm(0)
	want := math.Abs(norm-floats.Norm(res.Values, 2)) / norm / Half.Ulp()
	if !(math.Abs(res.Certificate.Norm-want) <= 1e-6) {
		t.Errorf("the norms differ by %.6g ε, the certificate says %.6g", want, res.Certificate.Norm)
	}
}

// TestBandStorageRefuses checks the errors for a device that cannot store half-precision numbers,
// for a format that does not exist, and for entries that are not finite.
func TestBandStorageRefuses(t *testing.T) {
	info := testDevice(t).Info()
	info.Features = slices.DeleteFunc(slices.Clone(info.Features), func(f string) bool { return f == "storageBuffer16BitAccess" })
	var lacks *vk.UnsupportedError
	_, err := NewBandPlan[float64](vk.Dry(info), 30, 5, BandOptions{Storage: Half})
	if !errors.As(err, &lacks) || lacks.Feature != "storageBuffer16BitAccess, for storage in half precision" {
		t.Errorf("without 16-bit storage: %v", err)
	}
	if _, err := NewBandPlan[float64](vk.Dry(info), 30, 5, BandOptions{Storage: Single}); err != nil {
		t.Errorf("single precision without 16-bit storage: %v", err)
	}
	var option *evd.OptionError
	for _, s := range []Storage{-1, Half + 1} {
		if _, err := NewBandPlan[float64](testDevice(t), 30, 5, BandOptions{Storage: s}); !errors.As(err, &option) {
			t.Errorf("%v: %v", s, err)
		}
	}
	band, _ := randomBand(30, 5, 1)
	band.Data[5+2-6+6*8] = math.Inf(1) // entry (2, 6)
	var finite *evd.NonFiniteError
	if _, err := storedPlan(t, 30, 5, Half).Solve(context.Background(), band); !errors.As(err, &finite) || finite.Row != 2 || finite.Col != 6 {
		t.Errorf("infinite entry: %v", err)
	}
}

func denseOf(b Band[float64]) *mat.Dense {
	full := mat.NewDense(b.N, b.N, nil)
	for j := range b.N {
		first, entries := b.column(j)
		for k, x := range entries {
			full.Set(first+k, j, x)
		}
	}
	return full
}
