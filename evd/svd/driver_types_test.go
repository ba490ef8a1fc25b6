package svd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
)

// evenValues is the type of ddrvbd from which the other dense types are made: U·D·V with random
// orthogonal matrices U and V. The diagonal matrix D has evenly spaced elements from 1 to ε, with
// random signs.
func evenValues(m, n int) *mat.Dense {
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	d := mat.NewDense(m, n, nil)
	k := min(m, n)
	for i := range k {
		x := 1 - float64(i)/float64(max(k-1, 1))*(1-0x1p-52)
		if r.IntN(2) == 0 {
			x = -x
		}
		d.Set(i, i, x)
	}
	var a mat.Dense
	a.Product(randomOrthogonal(r, m), d, randomOrthogonal(r, n))
	return &a
}

// randomOrthogonal returns the orthogonal factor of a random n×n matrix.
func randomOrthogonal(r *rand.Rand, n int) *mat.Dense {
	x, q := mat.NewDense(n, n, nil), mat.Dense{}
	x.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, x)
	var qr mat.QR
	qr.Factorize(x)
	qr.QTo(&q)
	return &q
}

// driverTypes are the five types of matrices in LAPACK's test ddrvbd. The factors of types 4 and 5
// are the underflow threshold divided by the unit of rounding, and the overflow threshold times it.
var driverTypes = []struct {
	name  string
	make  func(m, n int) *mat.Dense
	scale float64
}{
	{"1: zero", func(m, n int) *mat.Dense { return mat.NewDense(m, n, nil) }, 1},
	{"2: identity", func(m, n int) *mat.Dense {
		a := mat.NewDense(m, n, nil)
		for i := range min(m, n) {
			a.Set(i, i, 1)
		}
		return a
	}, 1},
	{"3: even", evenValues, 1},
	{"4: even, near underflow", evenValues, 0x1p-1022 * 0x1p52},
	{"5: even, near overflow", evenValues, 0x1p1023 * 0x1p-52},
}

func timesScale(g *mat.Dense, scale float64) evd.Dense[float64] {
	a := FromGonum(g)
	a.Data = slices.Clone(a.Data)
	for i := range a.Data {
		a.Data[i] *= scale
	}
	return a
}

// TestDriverTypes solves all types of LAPACK's ddrvbd, with the shapes of its input file and at
// edges of the smallest tiles, without vectors, with thin ones and with all. All ratios must be
// below the limit. The values must always have the same bits.
func TestDriverTypes(t *testing.T) {
	when.Many(t, "TestVectors, with other numbers")
	small := tuning.Smallest()
	for _, shape := range slices.Concat(pairs, [][2]int{{2, 2}, {5, 4}, {9, 8}, {17, 16}, {50, 49}, {40, 3}, {3, 40}}) {
		m, n := shape[0], shape[1]
		if m == 0 || n == 0 {
			continue // TestVectors tests matrices without entries
		}
		values := make([][]float64, len(driverTypes))
		for _, vectors := range []Vectors{None, Thin, Full} {
			opt := Options{U: vectors, V: vectors, Tuning: &small}
			p, err := NewPlan[float64](testDevice(t), m, n, opt)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range driverTypes {
				what := fmt.Sprintf("%d×%d, vectors %d, type %s", m, n, vectors, c.name)
				g := c.make(m, n)
				res, err := p.Solve(context.Background(), timesScale(g, c.scale))
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if values[i] == nil {
					values[i] = res.Values
					nearScaled(t, what, res.Values, valuesByGonum(t, g), c.scale)
				} else if !slices.Equal(values[i], res.Values) {
					t.Errorf("%s: other values than without vectors", what)
				}
				if vectors == None {
					continue
				}
				g.Scale(c.scale, g)
				decomposed(t, what, g, opt, res)
			}
			p.Close()
		}
	}
}

// generalBandOfType returns an m×n matrix with k subdiagonals of one of the bandTypes. If `family`
// is empty, its entries are random, with k superdiagonals. Otherwise it has the upper band of
// bandOfType. For dense types, each group of k+1 neighbouring rows is then multiplied by an
// orthogonal matrix, which makes up to 2·k superdiagonals.
func generalBandOfType(t *testing.T, family string, dense bool, m, n, k int) *mat.Dense {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	a := mat.NewDense(m, n, nil)
	if family == "" {
		a.Apply(func(i, j int, _ float64) float64 {
			if i-j > k || j-i > k {
				return 0
			}
			return 2*r.Float64() - 1
		}, a)
		return a
	}
	_, upper := bandOfType(t, family, dense, min(m, n), k, 1)
	a.Slice(0, min(m, n), 0, min(m, n)).(*mat.Dense).Copy(upper)
	for top := 0; dense && k > 0 && top < m; top += k + 1 {
		rows := a.Slice(top, min(top+k+1, m), 0, n).(*mat.Dense)
		var x mat.Dense
		x.Mul(randomOrthogonal(r, min(k+1, m-top)), rows)
		rows.Copy(&x)
	}
	return a
}

// bandPairs are the numbers of rows and columns in dbb.in, the input file of LAPACK's test dchkbb,
// without those of matrices that have no entries.
var bandPairs = [][2]int{
	{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}, {3, 1}, {3, 2}, {3, 3}, {10, 10}, {10, 16}, {16, 10}, {16, 16},
}

// TestGeneralBandTypes solves the types of LAPACK's dchkbb as dense matrices, with vectors, in the
// shapes and with the numbers k of its input file. TestBandTypes solves square upper bands, without
// vectors.
func TestGeneralBandTypes(t *testing.T) {
	when.Many(t, "TestVectors, with other numbers")
	for _, shape := range bandPairs {
		solveTypes(t, shape, []int{0, 1, 2, 3, 16}, generalBandOfType)
	}
}

// solveTypes solves m×n matrices of all bandTypes, with thin vectors. The function `make` returns a
// matrix of a type for each parameter k. The values and the ratios must be right.
func solveTypes(t *testing.T, shape [2]int, ks []int, make func(t *testing.T, family string, dense bool, m, n, k int) *mat.Dense) {
	t.Helper()
	small := tuning.Smallest()
	m, n, opt := shape[0], shape[1], Options{U: Thin, V: Thin, Tuning: &small}
	p, err := NewPlan[float64](testDevice(t), m, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, c := range bandTypes {
		for _, k := range ks {
			what := fmt.Sprintf("%d×%d, k = %d, type %s", m, n, k, c.name)
			g := make(t, c.family, c.dense, m, n, k)
			res, err := p.Solve(context.Background(), timesScale(g, c.scale))
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			nearScaled(t, what, res.Values, valuesByGonum(t, g), c.scale)
			g.Scale(c.scale, g)
			decomposed(t, what, g, opt, res)
		}
	}
}

// denseOfType returns an m×n matrix of one of the types that LAPACK's dchkbd and dchkbb share: a
// diagonal matrix D, or U·D·V with random orthogonal matrices U and V, or random entries.
func denseOfType(t *testing.T, family string, dense bool, m, n, _ int) *mat.Dense {
	t.Helper()
	if family == "" {
		return generalBandOfType(t, family, dense, m, n, max(m, n))
	}
	d := generalBandOfType(t, strings.NewReplacer("8: dense", "3: diagonal", "9: dense", "4: diagonal",
		"10: dense", "5: diagonal").Replace(family), false, m, n, 0)
	if !dense {
		return d
	}
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	var a mat.Dense
	a.Product(randomOrthogonal(r, m), d, randomOrthogonal(r, n))
	return &a
}

// TestGeneralTypes solves the types of LAPACK's dchkbd as dense matrices, with vectors, in the
// shapes of its input file. TestBidiagonalPlan solves the bidiagonal matrices of the same types.
func TestGeneralTypes(t *testing.T) {
	when.Many(t, "TestVectors, with other numbers")
	for _, shape := range pairs {
		if shape[0] > 0 && shape[1] > 0 {
			solveTypes(t, shape, []int{0}, denseOfType)
		}
	}
}
