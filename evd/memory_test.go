package evd_test

import (
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// TestPlansAreSmall checks upper bounds for the memory of a plan, in elements per entry of an n×n
// matrix.
func TestPlansAreSmall(t *testing.T) {
	dev := vk.Dry(vk.Info{Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024})
	for _, n := range []int{16384, 32768, 65536} {
		for _, c := range []struct {
			opt  evd.Options
			most float64
		}{{evd.Options{}, 1.6}, {evd.Options{Vectors: true}, 3.2}} {
			p, err := evd.NewPlan[float64](dev, n, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			got := float64(p.Bytes()) / (8 * float64(n) * float64(n))
			t.Logf("n = %d, vectors %v: %.3f·n²", n, c.opt.Vectors, got)
			if !(got <= c.most) {
				t.Errorf("n = %d, vectors %v: %.3f·n² elements, at most %g; regions:", n, c.opt.Vectors, got, c.most)
				for _, r := range p.Memory() {
					t.Logf("%12d bytes at %12d: %s", r.Bytes, r.Offset, r.Name)
				}
			}
		}
	}
}

// TestComplexPlansAreSmall checks upper bounds for the memory of complex plans, in bytes per entry.
func TestComplexPlansAreSmall(t *testing.T) {
	dev := vk.Dry(vk.Info{Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024})
	const n = 32768
	for opt, most := range map[bool]float64{false: 17.5, true: 52} {
		p := planOf[complex128](t, dev, n, evd.Options{Vectors: opt})
		if got := float64(p.Bytes()) / (n * n); !(got <= most) {
			t.Errorf("vectors %v: %.2f·n² bytes, at most %g", opt, got, most)
		}
	}
}

// TestEmulatedComplexPlansAreSmall checks upper bounds for the memory of complex plans with
// emulated products, in bytes per entry. Residues of factors and of results are added to the memory
// of native products.
func TestEmulatedComplexPlansAreSmall(t *testing.T) {
	dev := vk.Dry(vk.Info{
		Name: "card", Family: "nvidia", Type: "discrete", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 128,
		Memory: 140e9, Free: 140e9, ByteMatrices: []vk.MatrixShape{{M: 16, N: 16, K: 32}}, Features: []string{"shaderFloat64", "shaderIntegerDotProduct"},
	})
	const n = 32768
	for opt, most := range map[bool]float64{false: 18, true: 54.5} {
		p := planOf[complex128](t, dev, n, evd.Options{Vectors: opt, Products: evd.ProductsEmulated})
		if got := float64(p.Bytes()) / (n * n); !(got <= most) {
			t.Errorf("vectors %v: %.2f·n² bytes, at most %g", opt, got, most)
		}
	}
}

// TestFloat32PlansAreSmaller checks upper bounds for the memory of plans in single precision. Only
// the vectors of the tridiagonal matrix and the workspace of divide and conquer have 8 bytes per
// element.
func TestFloat32PlansAreSmaller(t *testing.T) {
	when.Pick(t, when.Single)
	dev := vk.Dry(vk.Info{Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024})
	const n = 32768
	for _, c := range []struct {
		opt  evd.Options
		most float64
	}{
		{evd.Options{}, 5}, {evd.Options{Vectors: true}, 20},
		{evd.Options{Vectors: true, Select: evd.Index(0, 100)}, 6.5},
	} {
		p, err := evd.NewPlan[float32](dev, n, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(p.Bytes()) / (n * n); !(got <= c.most) {
			t.Errorf("%+v: %.2f·n² bytes, at most %g; regions:", c.opt, got, c.most)
			for _, r := range p.Memory() {
				t.Logf("%12d bytes at %12d: %s", r.Bytes, r.Offset, r.Name)
			}
		} else {
			t.Logf("%+v: %.2f·n² bytes", c.opt, got)
		}
	}
}

// TestPlansForAPartAreSmall checks the memory of a plan for m vectors. It needs the matrix, the
// reflectors of Q2 (n²/2, and a τ for each b elements), and 3·n·m elements: the vectors, the
// representations of MRRR, and a workspace. Panels need n·b and n·k elements. The plan must not
// allocate the n² elements of divide and conquer.
func TestPlansForAPartAreSmall(t *testing.T) {
	dev := vk.Dry(vk.Info{Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024})
	for _, n := range []int{16384, 32768, 65536} {
		for _, m := range []int{1, 100, 1000, n / 8} {
			n2, nm, panels := float64(n)*float64(n), float64(n)*float64(m), 1600*float64(n)
			opt := evd.Options{Vectors: true, Select: evd.Index(0, m)}
			p, err := evd.NewPlan[float64](dev, n, opt)
			if err != nil {
				t.Fatal(err)
			}
			got := float64(p.Bytes()) / 8
			t.Logf("n = %d, m = %d: %.3f·n² = 1.5·n² + %.2f·n·m", n, m, got/n2, (got-1.5*n2)/nm)
			if most := 1.52*n2 + 3*nm + panels; !(got <= most) {
				t.Errorf("n = %d, m = %d: %.0f elements, at most %.0f; regions:", n, m, got, most)
				for _, r := range p.Memory() {
					t.Logf("%12d bytes at %12d: %s", r.Bytes, r.Offset, r.Name)
				}
			}
			q, err := evd.NewTridiagonalPlan[float64](dev, n, opt)
			if err != nil {
				t.Fatal(err)
			}
			if got, most := float64(q.Bytes())/8, 3*nm+panels; !(got <= most) {
				t.Errorf("n = %d, m = %d, tridiagonal: %.0f elements, at most %.0f", n, m, got, most)
			}
		}
	}
}

// TestDivideConquerValuesAreSmall checks that divide and conquer for values without vectors
// allocates no memory for vectors.
func TestDivideConquerValuesAreSmall(t *testing.T) {
	dev := vk.Dry(vk.Info{Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024})
	const n = 16384
	p, err := evd.NewPlan[float64](dev, n, evd.Options{Solver: evd.DivideConquer})
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(p.Bytes()) / (8 * n * n); !(got <= 1.6) {
		t.Errorf("%.3f·n² elements", got)
	}
}
