package evd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// magnitudes has one list for each test matrix. The list holds the magnitudes that the matrix's
// entries have: near the ends of the range of doubles, or between them.
var magnitudes = [][]float64{
	{math.SmallestNonzeroFloat64}, {0x1p-1074, 0x1p-1022, 0}, {0x1p-1022}, {1e-160, 1e-300}, {1, 5e-324}, {1e160, 1e-160, 1},
	{1e300, 1e-300, 0}, {math.MaxFloat64 / 32, 5e-324}, {math.MaxFloat64 / 32},
}

// scaledSym returns a symmetric matrix of order n. The magnitudes of its entries are random
// elements of the list `of`, and the signs are random.
func scaledSym(n int, of []float64, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 7))
	a := make([]float64, n*n)
	for j := range n {
		for i := range j + 1 {
			x := of[rng.IntN(len(of))]
			if rng.IntN(2) == 0 {
				x = -x
			}
			a[i+j*n], a[j+i*n] = x, x
		}
	}
	return a
}

func TestEntriesFromTheLeastToTheLargest(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	d := device(t, vk.Options{})
	for i, of := range magnitudes {
		for _, n := range []int{2, 11, 16} {
			t.Run(fmt.Sprintf("%v/%d", of, n), func(t *testing.T) {
				solve(t, d, n, scaledSym(n, of, uint64(i)), evd.Options{Tuning: small()})
			})
		}
	}
}

// TestPartsFromTheLeastToTheLargest solves Hermitian matrices like those of
// TestEntriesFromTheLeastToTheLargest, in one and in two stages. The real and the imaginary parts
// of their entries have the magnitudes that the list `magnitudes` gives.
func TestPartsFromTheLeastToTheLargest(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	d := device(t, vk.Options{})
	const n = 11
	if b := planOf[complex128](t, d, n, evd.Options{Tuning: oneStage()}).Band(); b != 1 && d.Info().Family == "cpu" {
		t.Errorf("two stages, with the half-bandwidth %d", b)
	}
	for i, of := range magnitudes {
		re, im := scaledSym(n, of, uint64(i)), scaledSym(n, of, uint64(i)+100)
		a := make([]complex128, n*n)
		for k := range a {
			switch row, col := k%n, k/n; {
			case row > col:
				a[k] = complex(re[k], im[k])
			case row < col:
				a[k] = complex(re[k], -im[k])
			default:
				a[k] = complex(re[k], 0)
			}
		}
		t.Run(fmt.Sprint(of), func(t *testing.T) {
			solve(t, d, n, a, evd.Options{Tuning: small()})
			solve(t, d, n, a, evd.Options{Tuning: oneStage()})
		})
	}
}

// TestNonFiniteImaginaryParts puts a NaN or an infinity into the imaginary part of each element of
// the triangle that is read, and of the diagonal, where it is not read.
func TestNonFiniteImaginaryParts(t *testing.T) {
	d := device(t, vk.Options{})
	const n = 5
	p := planOf[complex128](t, d, n, evd.Options{Tuning: small()})
	for k, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for col := range n {
			for row := col; row < n; row++ {
				a := randomHermitian(n)
				a[row+col*n] = complex(1, x)
				_, err := p.Solve(context.Background(), evd.NewSym(n, a, evd.Lower))
				var bad *evd.NonFiniteError
				if named := errors.As(err, &bad) && bad.Row == row && bad.Col == col; named == (row == col) || row == col && err != nil {
					t.Errorf("case %d at (%d, %d): %v", k, row, col, err)
				}
			}
		}
	}
}

// TestEveryPlaceOfANonFiniteEntry puts a NaN or an infinity at each place of the triangle that is
// read, in turn. The error must name this place.
func TestEveryPlaceOfANonFiniteEntry(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	d := device(t, vk.Options{})
	const n = 9
	p, err := evd.NewPlan[float64](d, n, evd.Options{Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	good := full(random(n))
	want := valuesOnly(t, d, n, evd.Sym[float64]{N: n, Ld: n, Data: good}, evd.Options{Tuning: small()})
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, uplo := range []evd.Uplo{evd.Lower, evd.Upper} {
			for at := range n * n {
				row, col := at%n, at/n
				a := slices.Clone(good)
				a[at] = x
				res, err := p.Solve(context.Background(), evd.Sym[float64]{N: n, Ld: n, Data: a, Uplo: uplo})
				var bad *evd.NonFiniteError
				if row == col || (row > col) == (uplo == evd.Lower) {
					if !errors.As(err, &bad) || bad.Row != row || bad.Col != col {
						t.Errorf("%v at (%d, %d), uplo %v: %v", x, row, col, uplo, err)
					}
				} else if at%5 == 0 && (err != nil || !slices.Equal(res.Values, want)) { // entries of the other triangle are not read
					t.Errorf("%v at (%d, %d), not referenced with uplo %v: %v", x, row, col, uplo, err)
				}
			}
		}
	}
}
