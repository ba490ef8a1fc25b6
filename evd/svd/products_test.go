package svd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestEmulatedProducts solves matrices of all families with products that emulate double precision
// on integer units. With the smallest tuning, all large products of a solve are emulated. The
// limits are those of native products. The values have the same bits with and without vectors.
func TestEmulatedProducts(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	small := tuning.Smallest()
	for i, shape := range [][2]int{{50, 50}, {61, 37}, {13, 40}} {
		m, n := shape[0], shape[1]
		opt := Options{U: Thin, V: Thin, Products: evd.ProductsEmulated, Moduli: 15 * (i % 2), Tuning: &small}
		p, err := NewPlan[float64](testDevice(t), m, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.U, opt.V = None, None
		plain, err := NewPlan[float64](testDevice(t), m, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.Products, opt.Moduli = evd.ProductsNative, 0
		native, err := NewPlan[float64](testDevice(t), m, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		for f, family := range families {
			a, g := family.make(m, n, (i+f)%2 == 0)
			what := fmt.Sprintf("%d×%d %s", m, n, family.name)
			res, err := p.Solve(context.Background(), a)
			values, err2 := plain.Solve(context.Background(), a)
			others, err3 := native.Solve(context.Background(), a)
			if err := errors.Join(err, err2, err3); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if res.Retried != nil {
				t.Errorf("%s: native products were needed: %v", what, res.Retried)
			}
			near(t, what, m, n, values.Values, wanted(t, g))
			if !slices.Equal(values.Values, res.Values) {
				t.Errorf("%s: other values without vectors", what)
			}
			if family.name == "random" && slices.Equal(values.Values, others.Values) {
				t.Errorf("%s: native products give the same bits, so no product was emulated", what)
			}
			decomposed(t, what, g, Options{U: Thin, V: Thin}, res)
		}
		p.Close()
		plain.Close()
		native.Close()
	}
}

// refusing returns a matrix whose reduction has factors that emulated products refuse: the norms of
// the two factors of a pair differ by more than any scaling can balance.
func refusing(n int) evd.Dense[float64] {
	a := evd.Dense[float64]{Rows: n, Cols: n, Ld: n, Data: make([]float64, n*n)}
	for i := range n {
		for j := max(0, i-1); j <= min(n-1, i+1); j++ {
			a.Data[i+j*n] = math.Pow(10, 250*float64(i+j)/float64(2*n-2)-250) * float64(1+(i+2*j)%3)
		}
	}
	return a
}

// TestRefusedProductsAreNative solves a matrix that emulated products refuse, twice. The first
// solve is repeated with native products, and the second one has native products from the
// beginning.
func TestRefusedProductsAreNative(t *testing.T) {
	small := tuning.Smallest()
	const n = 50
	p, err := NewPlan[float64](testDevice(t), n, n, Options{U: Thin, V: Thin, Products: evd.ProductsEmulated, Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a := refusing(n)
	first, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	if first.Retried == nil || first.Retried.Stage != stages.PhaseEmulated {
		t.Fatalf("retried: %v", first.Retried)
	}
	second, err := p.Solve(context.Background(), a)
	if err != nil || second.Retried != nil || !slices.Equal(first.Values, second.Values) {
		t.Errorf("second solve: error %v, retried %v, same values %t", err, second.Retried, slices.Equal(first.Values, second.Values))
	}
}

// TestProductsOption checks the errors for impossible values of Options.Products and
// Options.Moduli, and for emulated products in single precision.
func TestProductsOption(t *testing.T) {
	option := (*evd.OptionError)(nil)
	for _, opt := range []Options{{Products: 7}, {Moduli: 12}, {Moduli: 17}} {
		if _, err := NewPlan[float64](testDevice(t), 10, 10, opt); !errors.As(err, &option) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	if _, err := NewPlan[float32](testDevice(t), 10, 10, Options{Products: evd.ProductsEmulated}); !errors.As(err, &option) {
		t.Errorf("emulated products in single precision: %v", err)
	}
}

// card returns a device for forecasts, with `free` bytes of memory. Its emulated products are
// `gain` times as fast as its native ones.
func card(free uint64, gain float64) *vk.Device {
	dev := vk.Dry(vk.Info{
		Name: "card", Family: "nvidia", Type: "discrete", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 128,
		Memory: free, Free: free, ByteMatrices: []vk.MatrixShape{{M: 16, N: 16, K: 32}}, Features: []string{"shaderFloat64", "shaderIntegerDotProduct"},
	})
	emulated.Facts{Native: 24e12 / gain, Emulated: 24e12, Bytes: 3.4e14, Right: true}.Keep(dev)
	return dev
}

// TestAutoProducts checks the products that ProductsAuto chooses by the rates of a device: emulated
// ones if double precision is slow, unless the plan then does not fit the memory. For large
// matrices, emulated products are chosen even if they are only a little faster.
func TestAutoProducts(t *testing.T) {
	const slow, fast = 20, 1.2
	bytes := func(dev *vk.Device, n int, products evd.Products) uint64 {
		p, err := NewPlan[float64](dev, n+10, n, Options{U: Thin, V: Thin, Products: products})
		if err != nil {
			t.Fatal(err)
		}
		return p.Bytes()
	}
	const n = 4096
	native := bytes(card(1<<40, slow), n, evd.ProductsNative)
	for _, c := range []struct {
		what string
		dev  *vk.Device
		want bool
	}{
		{"slow double precision", card(1<<40, slow), true},
		{"fast double precision", card(1<<40, fast), false},
		{"little memory", card(native, slow), false},
	} {
		if have := bytes(c.dev, n, evd.ProductsAuto) > native; have != c.want {
			t.Errorf("%s: emulated is %t", c.what, have)
		}
	}
	if small := card(1<<40, slow); bytes(small, 2000, evd.ProductsAuto) != bytes(small, 2000, evd.ProductsNative) {
		t.Error("products of small matrices are emulated")
	}
	for gain, want := range map[float64]bool{fast: true, 0.9: false} {
		large := card(1<<40, gain)
		if have := bytes(large, LargeOrder, evd.ProductsAuto) > bytes(large, LargeOrder, evd.ProductsNative); have != want {
			t.Errorf("large matrices, emulated products %g times as fast as native ones: emulated is %t", gain, have)
		}
	}
	full := (*vk.OutOfMemoryError)(nil)
	if _, err := NewPlan[float64](card(native, slow), n+10, n, Options{U: Thin, V: Thin, Products: evd.ProductsEmulated}); !errors.As(err, &full) {
		t.Errorf("emulated products that do not fit: %v", err)
	}
}

// TestLargeVectors checks which products ProductsAuto emulates on a device whose emulated products
// are a little faster than native ones: none of small matrices, those for vectors from LargeVectors
// on, and all from LargeOrder on. The products of the reduction must not depend on the wanted
// vectors. The costs of the plan say which stages have native products.
func TestLargeVectors(t *testing.T) {
	dev := card(1<<40, 1.2)
	for _, c := range []struct {
		n                            int
		wanted                       Vectors
		reduction, vectors, emulated bool
	}{
		{LargeVectors - 1, Thin, false, false, false},
		{LargeVectors, Thin, false, true, true},
		{LargeVectors, None, false, false, false},
		{LargeOrder - 1, Thin, false, true, true},
		{LargeOrder, Thin, true, true, true},
		{LargeOrder, None, true, false, true},
	} {
		p, err := NewPlan[float64](dev, c.n, c.n, Options{U: c.wanted, V: c.wanted})
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("n = %d, vectors %d", c.n, c.wanted)
		x, merge := &p.path.Current().steps.products, p.tune.Panel.Merge
		if c.vectors {
			merge = p.tune.Products.Emulated.Merge
		}
		for name, is := range map[string][2]bool{
			"of the reduction":            {x.update != x.native, c.reduction},
			"of divide and conquer":       {x.vectors != x.native, c.vectors},
			"of the back transformations": {x.back != x.native, c.vectors},
			"of the plan":                 {p.Emulated(), c.emulated},
			"with own workspaces":         {x.vectors != x.back, c.vectors},
		} {
			if is[0] != is[1] {
				t.Errorf("%s: products %s: emulated is %t", what, name, is[0])
			}
		}
		if x.panel.Merge != merge {
			t.Errorf("%s: %d reflectors are merged, want %d", what, x.panel.Merge, merge)
		}
		for _, cost := range p.Costs() {
			if native := cost.Stage == stages.PhaseBandReduction && c.emulated && !c.reduction; cost.Native != native {
				t.Errorf("%s: %s: native products %t", what, cost.Stage, cost.Native)
			}
		}
	}
}

// TestWideBandBecomesNarrower computes the values of matrices by a wide band that the options ask
// for. From the order ValuesFrom on, passes must make it narrower. With vectors there is no such
// pass.
func TestWideBandBecomesNarrower(t *testing.T) {
	when.Skip(t, when.Quick|when.Validation, "TestBandNarrowing of stages/chase")
	small := tuning.Smallest()
	small.ValuesFrom = 20
	for _, wavefront := range []bool{false, true} {
		small.Waits.Wavefront = wavefront
		for _, shape := range [][2]int{{19, 19}, {20, 20}, {21, 20}, {20, 61}, {37, 37}, {50, 45}} {
			m, n := shape[0], shape[1]
			p, err := NewPlan[float64](testDevice(t), m, n, Options{Band: 9, Tuning: &small, Certify: true})
			if err != nil {
				t.Fatal(err)
			}
			passes := 0
			for _, c := range p.Costs() {
				if c.Stage == stages.PhaseBandNarrowing {
					passes++
				}
			}
			if want := min(m, n) >= 20; (passes == 1) != want || p.Band() != 9 {
				t.Errorf("%d×%d: %d phases of passes, band %d", m, n, passes, p.Band())
			}
			for f, family := range families {
				a, g := family.make(m, n, f%2 == 0)
				res, err := p.Solve(context.Background(), a)
				what := fmt.Sprintf("%d×%d %s", m, n, family.name)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				near(t, what, m, n, res.Values, wanted(t, g))
				if !res.Certificate.Passed() {
					t.Errorf("%s: %+v", what, res.Certificate)
				}
			}
			p.Close()
		}
	}
	p, err := NewPlan[float64](testDevice(t), 30, 30, Options{U: Thin, Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if p.Band() != 4 || p.path.Current().steps.narrow != nil {
		t.Errorf("with vectors: band %d", p.Band())
	}
}

// TestBlocksAreSmallParts checks the number of columns of a block, for a table whose blocks have
// 512 columns. A block must have at most n/32 columns and at most half as many as in the table, but
// at least those of one band.
func TestBlocksAreSmallParts(t *testing.T) {
	table := tuning.Smallest()
	table.Band, table.Block, table.ValuesFrom = 32, 512, 0
	for n, want := range map[int]int{1: 32, 1024: 32, 2100: 64, 4096: 128, 8192: 256, 32768: 256} {
		got, err := sizes[float64](Options{U: Thin, Tuning: &table}, vk.Info{}, n, false)
		if err != nil || got.Block != want {
			t.Errorf("n = %d: blocks of %d columns, want %d; %v", n, got.Block, want, err)
		}
	}
}
