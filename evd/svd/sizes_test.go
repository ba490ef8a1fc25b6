package svd

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
)

// reflected returns the dense n×n matrix (I − 2·u·uᵀ)·Σ·(I − 2·v·vᵀ) with unit vectors u and v. Its
// singular values are known: 1, (n−1)/n, … 1/n.
func reflected(n int) (a evd.Dense[float64], values []float64) {
	r := rand.New(rand.NewPCG(uint64(n), 3))
	unit := func() []float64 {
		x := make([]float64, n)
		var sum float64
		for i := range x {
			x[i] = r.NormFloat64()
			sum += x[i] * x[i]
		}
		for i := range x {
			x[i] /= math.Sqrt(sum)
		}
		return x
	}
	u, v := unit(), unit()
	values = make([]float64, n)
	var inner float64 // uᵀ·Σ·v
	for i := range values {
		values[i] = float64(n-i) / float64(n)
		inner += u[i] * values[i] * v[i]
	}
	a = evd.Dense[float64]{Rows: n, Cols: n, Ld: n, Data: make([]float64, n*n)}
	for j := range n {
		for i := range n {
			x := 4*inner*u[i]*v[j] - 2*values[i]*v[i]*v[j] - 2*u[i]*u[j]*values[j]
			if i == j {
				x += values[i]
			}
			a.Data[i+j*n] = x
		}
	}
	return a, values
}

// TestSizes solves matrices of the shapes in VKEVD_SIZES (for example 1024,4096x128), each one
// twice, or once if n is above 16384. It prints the times of the last solve, by phase and in all.
// With the default shapes, or if VKEVD_VECTORS is set, TestSizes also computes vectors.
// VKEVD_TUNING replaces sizes of the tuning table, for example {"QRFirst": 3}, as the flag --tuning
// of `vkevd bench` does. VKEVD_PRODUCTS is native or emulated, VKEVD_BAND the number of
// superdiagonals, VKEVD_BLOCK the columns of a block, and VKEVD_VECTORS=only leaves out the solve
// without vectors.
func TestSizes(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	list := os.Getenv("VKEVD_SIZES")
	if list == "" {
		list = "64,90x30"
	}
	for _, word := range strings.Split(list, ",") {
		rows, cols, rectangle := strings.Cut(word, "x")
		m, err := strconv.Atoi(rows)
		if err != nil {
			t.Fatal(err)
		}
		n := m
		if rectangle {
			if n, err = strconv.Atoi(cols); err != nil {
				t.Fatal(err)
			}
		}
		for _, vectors := range []Vectors{None, Thin} {
			if vectors == None && os.Getenv("VKEVD_VECTORS") != "only" || vectors == Thin && (list == "64,90x30" || os.Getenv("VKEVD_VECTORS") != "") {
				solveOfSize(t, m, n, vectors)
			}
		}
	}
}

// solveOfSize solves matrices of one shape for TestSizes and prints the times.
func solveOfSize(t *testing.T, m, n int, vectors Vectors) {
	var a evd.Dense[float64]
	var want []float64
	if m == n {
		a, want = reflected(n)
	} else {
		r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
		a = evd.Dense[float64]{Rows: m, Cols: n, Ld: m, Data: make([]float64, m*n)}
		for i := range a.Data {
			a.Data[i] = r.NormFloat64()
		}
	}
	tune := tuning.On(testDevice(t).Info())
	if change := os.Getenv("VKEVD_TUNING"); change != "" {
		if err := json.Unmarshal([]byte(change), &tune); err != nil {
			t.Fatal(err)
		}
	}
	opt := Options{U: vectors, V: vectors, Tuning: &tune}
	opt.Band, _ = strconv.Atoi(os.Getenv("VKEVD_BAND"))
	opt.Block, _ = strconv.Atoi(os.Getenv("VKEVD_BLOCK"))
	if products := os.Getenv("VKEVD_PRODUCTS"); products != "" {
		var err error
		if opt.Products, err = evd.ParseProducts(products); err != nil {
			t.Fatal(err)
		}
	}
	p, err := NewPlan[float64](testDevice(t), m, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if n <= 16384 { // larger matrices need no warm-up
		if _, err := p.Solve(context.Background(), a); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	res, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	clock, worst := time.Since(began), 0.0
	for i := range want {
		worst = max(worst, math.Abs(res.Values[i]-want[i])/(float64(n)*0x1p-52*want[0]))
	}
	if !(worst < 10) {
		t.Errorf("%d×%d: a value is %.3g·n·ε·σ₁ off", m, n, worst)
	}
	t.Logf("%d×%d: %.1f ms in stages, %v on the clock, %d MB (%.1f bytes an entry), values within %.3g·n·ε·σ₁", m, n, 1e3*res.Profile.Total(),
		clock.Round(100*time.Microsecond), p.Bytes()>>20, float64(p.Bytes())/float64(m*n), worst)
	for _, phase := range res.Profile.Phases {
		t.Logf("  %-28s %9.2f ms", phase.Name, 1e3*phase.Seconds)
	}
	if vectors != None {
		r, err := p.Check(context.Background(), a, res)
		if err != nil || !(r.Residual <= 10 && r.Left <= 10 && r.Right <= 10) {
			t.Errorf("%d×%d: %v, %v", m, n, r, err)
		}
		t.Logf("  %v", r)
	}
}
