package evd_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// TestSizes solves random matrices of the orders in VKEVD_SIZES ("1024,4096"), checks the results
// and prints the time of each phase. It is for real GPUs:
//
//	VKEVD_SIZES=1024,4096,8192 go test ./evd -run TestSizes -v
//
// With VKEVD_INDEX=0:100 it finds the vectors of only a part of the spectrum.
func TestSizes(t *testing.T) {
	list := os.Getenv("VKEVD_SIZES")
	if list == "" {
		t.Skip("VKEVD_SIZES names no orders")
	}
	kernels := os.Getenv("VKEVD_KERNELS") != ""
	d := device(t, vk.Options{Kernels: kernels, Statistics: kernels})
	t.Logf("%s, %s %s", d.Info().Name, d.Info().Driver, d.Info().DriverVersion)
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		a := random(n)
		solveLarge(t, d, a, evd.Options{})
		solveLarge(t, d, a, evd.Options{Vectors: true, Select: indices(t, n)})
	}
	found, err := d.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range found {
		t.Logf("%s: %v", k.Kernel, k.List)
	}
}

// random returns a symmetric matrix with normally distributed entries in the lower triangle. The
// upper triangle has no meaning.
func random(n int) evd.Sym[float64] {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	a := evd.Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n), Uplo: evd.Lower}
	for j := range n {
		for i := j; i < n; i++ {
			a.Data[i+j*n] = rng.NormFloat64()
		}
	}
	return a
}

// indices returns the part of the spectrum in VKEVD_INDEX.
func indices(t *testing.T, n int) evd.Selection {
	word := os.Getenv("VKEVD_INDEX")
	if word == "" {
		return evd.Selection{}
	}
	left, right, _ := strings.Cut(word, ":")
	from, err := strconv.Atoi(left)
	if err != nil {
		t.Fatal(err)
	}
	to, err := strconv.Atoi(right)
	if err != nil {
		t.Fatal(err)
	}
	return evd.Index(from, min(to, n))
}

func solveLarge(t *testing.T, d *vk.Device, a evd.Sym[float64], opt evd.Options) {
	ctx, vectors := context.Background(), opt.Vectors
	p, err := evd.NewPlan[float64](d, a.N, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	t.Logf("n = %d, vectors %v: %.2f GB", a.N, vectors, float64(p.Bytes())/1e9)
	for round := range 2 { // the first one pays for clocks and caches
		began := time.Now()
		res, err := p.Solve(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("  round %d: %.3f s, %.3f s of it in stages", round, time.Since(began).Seconds(), res.Profile.Total())
		if round == 0 {
			continue
		}
		for _, s := range append(res.Profile.Phases, res.Profile.Kernels...) {
			t.Logf("    %-32s %10.3f ms  ×%d", s.Name, 1e3*s.Seconds, s.Count)
		}
		if vectors {
			r, err := p.Check(ctx, a, res)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("    residual %.3g, orthogonality %.3g", r.Residual, r.Orthogonality)
			if !(r.Residual < 10 && r.Orthogonality < 10) {
				t.Errorf("n = %d: ratios %+v", a.N, r)
			}
		}
	}
}
