package evd_test

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/vk"
)

// Every kind of matrix is solved with emulated products as well as with native ones: all products of
// the smallest tuning are emulated.
func TestEmulatedProducts(t *testing.T) {
	d := device(t, vk.Options{})
	const n = 50
	for i, kind := range matgen.Dense() {
		a := kind.Dense(n)
		native := solve(t, d, n, a, evd.Options{Vectors: true, Products: evd.ProductsNative, Tuning: small()})
		orthogonality := func(r *evd.Result[float64]) float64 {
			return ratio.Orthogonality(n, n, r.Vectors.Data, r.Vectors.Ld)
		}
		moduli := []int{0}
		if i%8 == 0 { // strict
			moduli = append(moduli, 15)
		}
		for _, count := range moduli {
			t.Run(fmt.Sprintf("%s/%d", kind.Name(), count), func(t *testing.T) {
				res := solve(t, d, n, a, evd.Options{Vectors: true, Products: evd.ProductsEmulated, Moduli: count, Tuning: small()})
				// Pairs whose norms differ by 10²⁵⁰ cannot be balanced.
				if res.Retried != nil && kind.Name() != "graded-tridiagonal(250)" {
					t.Errorf("native products were needed: %v", res.Retried)
				}
				residual := ratio.Residual(n, n, a, n, res.Values, res.Vectors.Data, res.Vectors.Ld)
				if o := orthogonality(res); !(residual < 5) || !(o < 2+orthogonality(native)) {
					t.Errorf("residual %.2g, orthogonality %.2g; native orthogonality %.2g", residual, o, orthogonality(native))
				}
			})
		}
	}
}

// Choices of products have names, and those that do not exist are refused.
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
