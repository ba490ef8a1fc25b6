package evd_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/vk"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"
)

// TestEmulatedProducts solves matrices of every kind with native products, and with products that
// emulate double precision on integer units. With the smallest tuning, all products of a solve are
// emulated.
func TestEmulatedProducts(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	d := device(t, vk.Options{})
	const n = 50
	for i, kind := range matgen.Dense() {
		t.Run(kind.Name(), func(t *testing.T) {
			if i%6 != 0 {
				when.Long(t, "each sixth kind of matrices")
			}
			a := kind.Dense(n)
			known, _ := kind.Eigenvalues(n)
			testEmulatedProducts(t, d, kind.Name(), n, a, known, func(values []float64) { countValues(t, n, a, values) })
		})
	}
}

// TestEmulatedProductsOfHermitians repeats TestEmulatedProducts for complex matrices.
func TestEmulatedProductsOfHermitians(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	d := device(t, vk.Options{})
	const n = 50
	for i, kind := range matgen.Hermitians() {
		t.Run(kind.Name(), func(t *testing.T) {
			if i%8 != 0 {
				when.Long(t, "each eighth kind of matrices")
			}
			known, _ := kind.Eigenvalues(n)
			testEmulatedProducts(t, d, kind.Name(), n, kind.Dense(n), known, func([]float64) {})
		})
	}
}

// testEmulatedProducts solves the matrix a of the named kind with emulated products: with the usual
// numbers of moduli for the reduction and for the vectors, and with one modulus more for each,
// which gives more accurate products. The values must agree with those of native products, and with
// the known ones if there are any. The function `prove` checks them, too.
func testEmulatedProducts[T double](t *testing.T, d *vk.Device, name string, n int, a []T, known []float64, prove func(values []float64)) {
	native := solve(t, d, n, a, evd.Options{Vectors: true, Products: evd.ProductsNative, Tuning: small()})
	orthogonality := func(r *evd.Result[T]) float64 {
		return ratio.Orthogonality(n, n, r.Vectors.Data, r.Vectors.Ld)
	}
	for _, count := range []int{emulation.VectorModuli[T](), emulation.VectorModuli[T]() + 1} {
		t.Run(fmt.Sprintf("%d and %d moduli", emulation.ReductionModuli[T](count), count), func(t *testing.T) {
			res := solve(t, d, n, a, evd.Options{Vectors: true, Products: evd.ProductsEmulated, Moduli: count, Tuning: small()})
			// This family of matrices has pairs of factors whose norms differ by 10²⁵⁰. Emulated
			// products refuse such pairs, because no scaling can balance the two norms.
			if res.Retried != nil && !strings.HasPrefix(name, "graded-tridiagonal(250)") {
				t.Errorf("native products were needed: %v", res.Retried)
			}
			residual := ratio.Residual(n, n, a, n, res.Values, res.Vectors.Data, res.Vectors.Ld)
			if o := orthogonality(res); !(residual < 5) || !(o < 2+orthogonality(native)) {
				t.Errorf("residual %.2g, orthogonality %.2g; native orthogonality %.2g", residual, o, orthogonality(native))
			}
			prove(res.Values)
			if known == nil {
				known = native.Values
			}
			for _, want := range [][]float64{native.Values, known} {
				if r := ratio.Values(n, res.Values, want, norm2(want)); !(r < good) {
					t.Errorf("ratio of the values %.2g", r)
				}
			}
		})
	}
}

// TestEmulatedProductsAreBalanced solves matrices whose rows have very different norms. The factors
// of a rank-2k update then differ in size, too, and emulated products must balance them. Without
// balancing, the residual was 10⁵ times as large in a simulation. The ratio of the residual may
// exceed that of native products by at most 3.
func TestEmulatedProductsAreBalanced(t *testing.T) {
	when.Skip(t, when.Quick, "it builds emulated products")
	d := device(t, vk.Options{})
	const n = 50
	oneLarge, ascending := full(random(n)), full(random(n))
	oneLarge[n/3*(n+1)] = 1e9
	for i := range n {
		ascending[i*(n+1)] += float64(n * (i + 1))
	}
	for name, a := range map[string][]float64{"one large entry": oneLarge, "ascending diagonal": ascending} {
		residual := func(p evd.Products) float64 {
			res := solve(t, d, n, a, evd.Options{Vectors: true, Products: p, Tuning: small()})
			if res.Retried != nil {
				t.Errorf("%s: native products were needed: %v", name, res.Retried)
			}
			return ratio.Residual(n, n, a, n, res.Values, res.Vectors.Data, res.Vectors.Ld)
		}
		if native, emulated := residual(evd.ProductsNative), residual(evd.ProductsEmulated); !(emulated <= native+3) {
			t.Errorf("%s: residual %.3g, and %.3g with native products", name, emulated, native)
		}
	}
}

// countValues proves by Sturm counts that `values` are the eigenvalues of the symmetric matrix `a`,
// up to `good` rounding errors. The host reduces `a` to tridiagonal form with LAPACK's dsytd2, so
// that the counts depend on no product of the device. A norm below the safe minimum counts as the
// safe minimum, because such numbers have absolute rounding errors.
func countValues(t *testing.T, n int, a, values []float64) {
	t.Helper()
	d, e, tau := make([]float64, n), make([]float64, n-1), make([]float64, n-1)
	gonum.Implementation{}.Dsytd2(blas.Lower, n, slices.Clone(a), n, d, e, tau)
	if err := ratio.Sturm(d, e, values, good*float64(n)*ratio.Ulp*max(norm2(values), ratio.SafeMin)); err != nil {
		t.Errorf("counts: %v", err)
	}
}

// TestProductsOption checks the names of the values of Options.Products, and the errors for unknown
// names and values and for a device without integer units.
func TestProductsOption(t *testing.T) {
	for _, p := range []evd.Products{evd.ProductsAuto, evd.ProductsNative, evd.ProductsEmulated} {
		if q, err := evd.ParseProducts(p.String()); err != nil || q != p {
			t.Errorf("%v is read as %v, %v", p, q, err)
		}
	}
	if _, err := evd.ParseProducts("fast"); err == nil {
		t.Error("fast is accepted")
	}
	dev := vk.Dry(vk.Info{Name: "old", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Memory: 1 << 40, Free: 1 << 40})
	for want, opt := range map[string]evd.Options{
		"option Moduli: 12 is not between 13 and 16":      {Moduli: 12},
		"option Products: there is no choice 7":           {Products: 7},
		"old: shaderIntegerDotProduct: needs yes, has no": {Products: evd.ProductsEmulated},
	} {
		if _, err := evd.NewPlan[float64](dev, 10, opt); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestAutoFollowsTheRates checks the products that ProductsAuto chooses. They must be emulated on a
// card whose double precision is slow, and for large matrices also on an H200. They must be native
// for other matrices on an H200, on a device without measured speeds or with slower units, for
// small matrices and in single precision. A refinement must use emulated products also on the H200,
// but never on units that computed wrong results. On the slow card Q2 must be applied by squares if
// many vectors are wanted, and on the H200 by reflectors. Products with a symmetric factor must be
// emulated on the slow card, and native on the H200.
func TestAutoFollowsTheRates(t *testing.T) {
	slow := emulated.Facts{Native: 1.2e12, Emulated: 15e12, Bytes: 2e14, Right: true}
	h200 := emulated.Facts{Native: 20e12, Emulated: 24e12, Bytes: 3.4e14, Right: true}
	slowUnits := emulated.Facts{Native: 20e12, Emulated: 19e12, Bytes: 2e14, Right: true}
	complexRates := emulated.Facts{Native: 20e12, Emulated: 38e12, Bytes: 3.4e14, Right: true}
	card := func(f emulated.Facts) *vk.Device {
		dev := vk.Dry(vk.Info{
			Name: "card", Family: "nvidia", Type: "discrete", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 128,
			Memory: 1 << 40, Free: 1 << 40, ByteMatrices: []vk.MatrixShape{{M: 16, N: 16, K: 32}}, Features: []string{"shaderFloat64", "shaderIntegerDotProduct"},
		})
		if f != (emulated.Facts{}) {
			f.Keep(dev)
		}
		complexRates.KeepComplex(dev)
		return dev
	}
	memory := func(p interface{ Memory() []vk.Placed }, err error) (emulates bool) {
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range p.Memory() {
			emulates = emulates || r.Name == "residues of factors"
		}
		return emulates
	}
	region := func(name string) func(p *evd.Plan[float64], err error) bool {
		return func(p *evd.Plan[float64], err error) bool {
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range p.Memory() {
				if r.Name == name && r.Bytes > 0 {
					return true
				}
			}
			return false
		}
	}
	squares, held := region("squares of Q2"), region("residues of a symmetric factor")
	if !held(evd.NewPlan[float64](card(slow), 4096, evd.Options{})) {
		t.Error("slow: symmetric products are native")
	}
	if held(evd.NewPlan[float64](card(h200), 4096, evd.Options{Products: evd.ProductsEmulated})) {
		t.Error("H200: symmetric products are emulated")
	}
	for _, c := range []struct {
		name  string
		facts emulated.Facts
		opt   evd.Options
		want  bool
	}{
		{"slow", slow, evd.Options{Vectors: true}, true},
		{"slow, native", slow, evd.Options{Vectors: true, Products: evd.ProductsNative}, false},
		{"slow, few vectors", slow, evd.Options{Vectors: true, Select: evd.Index(0, 500)}, false},
		{"H200, emulated", h200, evd.Options{Vectors: true, Products: evd.ProductsEmulated}, false},
	} {
		if have := squares(evd.NewPlan[float64](card(c.facts), 4096, c.opt)); have != c.want {
			t.Errorf("%s: squares is %v", c.name, have)
		}
	}
	for _, c := range []struct {
		name  string
		facts emulated.Facts
		n     int
		opt   evd.Options
		want  bool
	}{
		{"slow", slow, 4096, evd.Options{Vectors: true}, true},
		{"slow, native", slow, 4096, evd.Options{Products: evd.ProductsNative}, false},
		{"slow, small", slow, 1024, evd.Options{Vectors: true}, false},
		{"H200", h200, 4096, evd.Options{Vectors: true}, false},
		{"H200, emulated", h200, 4096, evd.Options{Products: evd.ProductsEmulated}, true},
		{"H200, large", h200, evd.LargeOrder, evd.Options{Vectors: true}, true},
		{"H200, large, native", h200, evd.LargeOrder, evd.Options{Products: evd.ProductsNative}, false},
		{"slow units, large", slowUnits, evd.LargeOrder, evd.Options{}, false},
		{"slow units, large, emulated", slowUnits, evd.LargeOrder, evd.Options{Products: evd.ProductsEmulated}, true},
		{"not measured", emulated.Facts{}, 4096, evd.Options{}, false},
	} {
		if have := memory(evd.NewPlan[float64](card(c.facts), c.n, c.opt)); have != c.want {
			t.Errorf("%s: emulated is %v", c.name, have)
		}
	}
	wrong := slow
	wrong.Right = false
	for _, c := range []struct {
		name  string
		facts emulated.Facts
		n     int
		want  bool
	}{{"slow", slow, 4096, true}, {"H200", h200, 4096, true}, {"H200, small", h200, 1024, false},
		{"wrong", wrong, 4096, false}, {"not measured", emulated.Facts{}, 4096, false}} {
		if have := memory(evd.NewRefinePlan[float64](card(c.facts), c.n, evd.Options{})); have != c.want {
			t.Errorf("refinement, %s: emulated is %v", c.name, have)
		}
	}
	if memory(evd.NewPlan[float32](card(slow), 4096, evd.Options{})) || memory(evd.NewPlan[complex64](card(slow), 4096, evd.Options{})) {
		t.Error("emulated in single precision")
	}
	// The rates of complex products count for complex matrices, and those of real ones do not.
	if !memory(evd.NewPlan[complex128](card(slowUnits), 4096, evd.Options{Vectors: true})) {
		t.Error("complex products are native, although emulated ones are 1.9 times as fast")
	}
	complexRates.Emulated = 22e12
	if memory(evd.NewPlan[complex128](card(slow), 4096, evd.Options{Vectors: true})) {
		t.Error("complex products are emulated, although they are only 1.1 times as fast")
	}
	want := "card: 16×16×32 matrix units: needs right products of bytes, has units that computed a product wrongly"
	if _, err := evd.NewPlan[float64](card(wrong), 4096, evd.Options{Products: evd.ProductsEmulated}); err == nil || err.Error() != want {
		t.Errorf("wrong units: %v", err)
	}
	if _, err := evd.NewRefinePlan[float64](card(wrong), 4096, evd.Options{Products: evd.ProductsEmulated}); err == nil || err.Error() != want {
		t.Errorf("refinement with wrong units: %v", err)
	}
}

// TestAutoFits limits the memory of a card with slow double precision so that a plan with emulated
// products does not fit, and a plan with native products just fits. ProductsAuto must choose native
// products, and ProductsEmulated must be refused.
func TestAutoFits(t *testing.T) {
	const n = 4096
	card := func(free uint64) *vk.Device {
		dev := vk.Dry(vk.Info{
			Name: "card", Family: "nvidia", Type: "discrete", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 128,
			Memory: free, Free: free, ByteMatrices: []vk.MatrixShape{{M: 16, N: 16, K: 32}}, Features: []string{"shaderFloat64", "shaderIntegerDotProduct"},
		})
		emulated.Facts{Native: 1.2e12, Emulated: 15e12, Bytes: 2e14, Right: true}.Keep(dev)
		return dev
	}
	type sized interface{ Bytes() uint64 }
	for name, plan := range map[string]func(*vk.Device, evd.Options) (sized, error){
		"solve": func(d *vk.Device, opt evd.Options) (sized, error) {
			opt.Vectors = true
			return evd.NewPlan[float64](d, n, opt)
		},
		"refinement": func(d *vk.Device, opt evd.Options) (sized, error) { return evd.NewRefinePlan[float64](d, n, opt) },
	} {
		bytes := func(free uint64, products evd.Products) (uint64, error) {
			p, err := plan(card(free), evd.Options{Products: products})
			if err != nil {
				return 0, err
			}
			return p.Bytes(), nil
		}
		native, err := bytes(1<<40, evd.ProductsNative)
		if err != nil {
			t.Fatal(err)
		}
		if ample, err := bytes(1<<40, evd.ProductsAuto); err != nil || ample <= native {
			t.Errorf("%s: with enough memory auto takes %d bytes, native products %d, error %v", name, ample, native, err)
		}
		if have, err := bytes(native, evd.ProductsAuto); err != nil || have != native {
			t.Errorf("%s: auto takes %d bytes of %d, error %v", name, have, native, err)
		}
		full := (*vk.OutOfMemoryError)(nil)
		if _, err := bytes(native, evd.ProductsEmulated); !errors.As(err, &full) {
			t.Errorf("%s: emulated products that do not fit: %v", name, err)
		}
		if _, err := bytes(native-1, evd.ProductsAuto); !errors.As(err, &full) || full.Need != native {
			t.Errorf("%s: a plan that does not fit: %v, want one of %d bytes", name, err, native)
		}
	}
}
