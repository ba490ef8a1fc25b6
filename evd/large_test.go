package evd_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// sizes returns the orders in VKEVD_SIZES. Without that variable it skips the test.
func sizes(t *testing.T) (orders []int) {
	list := os.Getenv("VKEVD_SIZES")
	if list == "" {
		t.Skip("VKEVD_SIZES names no orders")
	}
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		orders = append(orders, n)
	}
	return orders
}

// TestSizes solves random matrices of the orders in VKEVD_SIZES ("1024,4096"), checks the results
// and prints the time of each phase. It is meant for GPUs:
//
//	VKEVD_SIZES=1024,4096,8192 go test ./evd -run TestSizes -v
//
// With VKEVD_INDEX=0:100 it computes only the vectors of the 100 smallest eigenvalues. With
// VKEVD_PRECISION=f32 it solves in single precision. With VKEVD_OTHERS=1 or VKEVD_OTHERS=1,2 the
// devices of these numbers help with the vectors. With VKEVD_DISTRIBUTE=1, too, the matrix is
// divided among all devices, and both solves of a matrix must have the same bits. VKEVD_PRODUCTS is
// auto, native or emulated. VKEVD_TUNING is a JSON object with fields of tuning.Tuning that replace
// those of the device's table. If it has several lines, there is an object on each, and each matrix
// is solved with each of these tunings in turn. VKEVD_ONLY is "values" or "vectors" if only one of
// both is to be solved for. With VKEVD_KERNELS=1 it also prints the driver's statistics of kernels.
//
// Matrices are solved twice below order 32768, because the first solve warms up the device. Divided
// matrices are solved twice below order 65536. From 80000 on only some vectors are checked, on the
// host.
func TestSizes(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	orders := sizes(t)
	kernels := os.Getenv("VKEVD_KERNELS") != ""
	d := device(t, vk.Options{Kernels: kernels, Statistics: kernels})
	t.Logf("%s, %s %s", d.Info().Name, d.Info().Driver, d.Info().DriverVersion)
	others, distribute := further(t), os.Getenv("VKEVD_DISTRIBUTE") != ""
	single := os.Getenv("VKEVD_PRECISION") == "f32"
	products, err := evd.ParseProducts(cmp.Or(os.Getenv("VKEVD_PRODUCTS"), "auto"))
	if err != nil {
		t.Fatal(err)
	}
	table := tuning.For[float64](d.Info())
	if single {
		table = tuning.For[float32](d.Info())
	}
	variants, err := tuning.Variants(d.Info(), &table, strings.Split(cmp.Or(os.Getenv("VKEVD_TUNING"), "{}"), "\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range orders {
		a := random(n)
		for _, v := range variants {
			t.Logf("tuning %s", v.Name)
			for _, opt := range []evd.Options{{}, {Vectors: true, Select: indices(t, n), Devices: others}} {
				if only := os.Getenv("VKEVD_ONLY"); only == "vectors" && !opt.Vectors || only == "values" && opt.Vectors {
					continue
				}
				opt.Tuning, opt.Products = &v.Tuning, products
				if opt.Distribute = distribute; distribute {
					opt.Devices = others
				}
				if single {
					solveLarge(t, d, evd.NewSym(n, singles(a.Data), evd.Lower), opt)
				} else {
					solveLarge(t, d, a, opt)
				}
			}
		}
	}
	found, err := d.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range found {
		t.Logf("%s: %v", k.Kernel, k.List)
	}
}

// further opens the devices whose numbers are in VKEVD_OTHERS.
func further(t *testing.T) (all []*vk.Device) {
	for _, word := range strings.FieldsFunc(os.Getenv("VKEVD_OTHERS"), func(r rune) bool { return r == ',' }) {
		d, err := vk.Open(vk.Options{Device: word})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		t.Logf("and %s", d.Info().Name)
		all = append(all, d)
	}
	return all
}

// random returns a symmetric matrix with normally distributed entries in the lower triangle. The
// upper triangle has no meaning.
func random(n int) evd.Sym[float64] {
	a := evd.Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n), Uplo: evd.Lower}
	tridiag.Parallel(n, func(j int) {
		rng := rand.New(rand.NewPCG(uint64(j)+1, uint64(n)))
		for i := j; i < n; i++ {
			a.Data[i+j*n] = rng.NormFloat64()
		}
	})
	return a
}

// indices returns the part of the spectrum that VKEVD_INDEX names (for example 0:100). The default
// is the whole spectrum.
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

func solveLarge[T evd.Float](t *testing.T, d *vk.Device, a evd.Sym[T], opt evd.Options) {
	ctx, vectors := context.Background(), opt.Vectors
	p, err := evd.NewPlan[T](d, a.N, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	t.Logf("n = %d, vectors %v: %.2f GB", a.N, vectors, float64(p.Bytes())/1e9)
	var before *evd.Result[T]
	rounds := 2 // the first round warms up the device and the caches
	if a.N >= 65536 || a.N >= 32768 && !opt.Distribute {
		rounds = 1
	}
	for round := range rounds {
		began := time.Now()
		res, err := p.Solve(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("  round %d: %.3f s, %.3f s of it in stages", round, time.Since(began).Seconds(), res.Profile.Total())
		if round < rounds-1 {
			before = res
			continue
		}
		if before != nil && opt.Distribute {
			agree(t, "the second solve", res, before)
		}
		for _, s := range append(res.Profile.Phases, res.Profile.Kernels...) {
			t.Logf("    %-32s %10.3f ms  ×%d", s.Name, 1e3*s.Seconds, s.Count)
		}
		if !vectors {
			continue
		}
		if a.N >= 80000 {
			checkSome(t, a, res)
			continue
		}
		began = time.Now()
		r, err := p.Check(ctx, a, res)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("    residual %.3g, orthogonality %.3g, checked in %.3f s", r.Residual, r.Orthogonality, time.Since(began).Seconds())
		if !(r.Residual < 10 && r.Orthogonality < 10) {
			t.Errorf("n = %d: ratios %+v", a.N, r)
		}
	}
}

// checkSome checks eight vectors on the host, from all parts of the spectrum: ‖A·Q −
// Q·Λ‖₁/(‖A‖₁·n·ε) and ‖QᵀQ − I‖₁/(n·ε).
func checkSome[T evd.Float](t *testing.T, a evd.Sym[T], res *evd.Result[T]) {
	const some = 8
	n, m := a.N, res.Vectors.Cols
	var columns [some]int
	var q [some][]T
	for k := range q {
		columns[k] = k * (m - 1) / (some - 1)
		q[k] = res.Vectors.Col(columns[k])
	}
	const parts = 64
	var product [parts][some][]float64 // A·q
	var norms [parts][]float64         // sums of the columns of |A|
	tridiag.Parallel(parts, func(p int) {
		norms[p] = make([]float64, n)
		for k := range q {
			product[p][k] = make([]float64, n)
		}
		for j := p; j < n; j += parts {
			for i, x := range a.Data[j+j*a.Ld : n+j*a.Ld] {
				x := float64(x)
				norms[p][j+i] += math.Abs(x)
				for k := range q {
					product[p][k][j+i] += x * float64(q[k][j])
				}
				if i > 0 {
					norms[p][j] += math.Abs(x)
					for k := range q {
						product[p][k][j] += x * float64(q[k][j+i])
					}
				}
			}
		}
	})
	norm, residual, orthogonality := 0.0, 0.0, 0.0
	for j := range n {
		sum := 0.0
		for p := range parts {
			sum += norms[p][j]
		}
		norm = max(norm, sum)
	}
	for k := range q {
		r, o := 0.0, 0.0
		for i := range n {
			d := -float64(res.Values[columns[k]]) * float64(q[k][i])
			for p := range parts {
				d += product[p][k][i]
			}
			r += math.Abs(d)
		}
		for l := range q {
			dot := 0.0
			if l == k {
				dot = -1
			}
			for i := range n {
				dot += float64(q[k][i]) * float64(q[l][i])
			}
			o += math.Abs(dot)
		}
		residual, orthogonality = max(residual, r), max(orthogonality, o)
	}
	scale := float64(n) * precision.UlpOf[T]()
	residual, orthogonality = residual/(norm*scale), orthogonality/scale
	t.Logf("    %d vectors: residual %.3g, orthogonality %.3g", some, residual, orthogonality)
	if !(residual < 10 && orthogonality < 10) {
		t.Errorf("n = %d: ratios %g and %g", n, residual, orthogonality)
	}
}
