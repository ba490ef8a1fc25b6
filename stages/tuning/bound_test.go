package tuning

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	backs "github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/vk"
)

// card describes a device by its FP64 rate, in flops per second. It also has the largest order that
// the tests use for this device.
type card struct {
	name, family string
	rate         float64
	n            int
}

var cards = []card{
	{"a card for desktops, 1/64 rate", "nvidia", 0.2e12, 20000},
	{"the same card with a very large matrix", "nvidia", 0.2e12, 65536},
	{"an APU", "amd", 0.06e12, 12000},
	{"a large card for desktops", "nvidia", 1.3e12, 32768},
	{"H200", "nvidia", 32e12, 32768},
}

// dry returns a device that records commands but cannot run them. It has the card's name and
// family; its other properties are the same for all cards.
func (c card) dry() *vk.Device {
	return vk.Dry(vk.Info{
		Name: c.name, Family: c.family, Type: "discrete", Memory: 1 << 42, Free: 1 << 42,
		SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 32, ByteMatrices: []vk.MatrixShape{{M: 16, N: 16, K: 32}},
		Features: []string{"shaderIntegerDotProduct", "shaderInt8", "cooperativeMatrix"},
	})
}

// check fails the test if a dispatch is predicted to take more than 100 ms at half of the card's
// rate. `estimates` are costs of dispatches in flops.
func (c card) check(t *testing.T, name string, estimates []float64) {
	t.Helper()
	longest := 0.0
	for _, flops := range estimates {
		longest = max(longest, flops/(c.rate/2))
	}
	t.Logf("%s: %s: %d dispatches, the longest takes %.1f ms", c.name, name, len(estimates), 1e3*longest)
	if !(longest <= 0.1) {
		t.Errorf("%s, n = %d: a dispatch of %s takes %.0f ms", c.name, c.n, name, 1e3*longest)
	}
}

// TestNoDispatchIsLong records the dense stages of a symmetric problem for large orders on dry
// devices with the rates of slow and of fast cards. The methods for tridiagonal matrices are in
// TestBisectionDispatchesAreBounded, TestConquerDispatchesAreBounded and
// TestMRRRDispatchesAreBounded of the packages in stages/tridiag.
func TestNoDispatchIsLong(t *testing.T) {
	when.Skip(t, when.Quick|when.Validation|when.Vulkango, "no device")
	for _, card := range cards {
		t.Run(card.name, func(t *testing.T) {
			dev := card.dry()
			tune := On(dev.Info()).For(card.n, card.n).Bounded(card.rate)
			native, err := product.New[float64](dev, tune.Products)
			if err != nil {
				t.Fatal(err)
			}
			t.Run("native", func(t *testing.T) { card.checkDense(t, dev, tune, native, vk.Together(), true) })
			t.Run("emulated", func(t *testing.T) {
				if card.n > 1<<15 {
					when.Long(t, "smaller orders; this one has a million dispatches")
				}
				card.checkEmulated(t, dev, tune, native)
			})
		})
	}
}

// checkEmulated checks the dense stages with emulated products at several rates of the integer
// units. A rate of 0 means that the rate was not measured.
func (c card) checkEmulated(t *testing.T, dev *vk.Device, tune Tuning, native product.Ops[float64]) {
	rates := []float64{0, 1.2 * c.rate, 300 * c.rate}
	if c.n > 1<<15 {
		rates = rates[:1]
	}
	for _, bytes := range rates {
		sizes := tune.BoundedBytes(c.rate, bytes).Products.Emulated
		sizes.Held = 1 << 34
		for _, u := range emulated.Candidates(dev.Info()) {
			t.Run(fmt.Sprintf("%v at %.0g", u, bytes), func(t *testing.T) {
				ops, err := emulated.NewOn(dev, native, sizes, 14, u)
				if err != nil {
					t.Fatal(err)
				}
				c.checkDense(t, dev, tune, ops, ops.Status(), false)
			})
		}
	}
}

// checkDense checks the dense stages with the matrix products ops. See recordDense.
func (c card) checkDense(t *testing.T, dev *vk.Device, tune Tuning, ops product.Ops[float64], status *vk.Layout, others bool) {
	for name, estimates := range recordDense(t, dev, c.n, tune, ops, status, others) {
		c.check(t, name, estimates)
	}
}

// recordDense returns the cost estimates of all dispatches of the stages that use the matrix
// products `ops`. If `others` is true, it adds those of stages without matrix products: the load,
// the transposition, the identity, the bulge chasing and ApplyQ2.
func recordDense(
	t *testing.T, dev *vk.Device, n int, tune Tuning, ops product.Ops[float64], status *vk.Layout, others bool,
) map[string][]float64 {
	t.Helper()
	w := stages.Waiting{Allowed: true, WideFence: true}
	band, err := reduce.NewBandReduction(dev, reduce.BandSize{N: n, B: tune.Band, K: tune.Block}, ops, w, tune.Panel)
	if err != nil {
		t.Fatal(err)
	}
	chase, err := chase.NewBulgeChasing[float64](dev, chase.Size{N: n, B: tune.Band, Vectors: true}, w, tune.Chase)
	if err != nil {
		t.Fatal(err)
	}
	back := backs.Size{N: n, B: tune.Band, M: n}
	q2, err := backs.NewApplyQ2[float64](dev, back, w, tune.ApplyQ2)
	if err != nil {
		t.Fatal(err)
	}
	squares, err := backs.NewApplyQ2Squares(dev, back, ops, tune.ApplyQ2)
	if err != nil {
		t.Fatal(err)
	}
	q1, err := backs.NewApplyQ1(dev, back, ops, tune.Panel)
	if err != nil {
		t.Fatal(err)
	}
	v, tau := stages.ReflectorLen(n, tune.Band)
	reals := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
	a, x, factors := reals("A", n*n), reals("X", n*n), reals("T", band.Panels()*tune.Band*tune.Band)
	b, d, e, rv, rt := reals("band", 2*tune.Band*n), reals("d", n), reals("e", n), reals("V", v), reals("τ", tau)
	ws, err := dev.NewArena(vk.Together(status, a, x, factors, b, d, e, rv, rt, ops.Work(), band.Status(),
		vk.InTurn(band.Work(), chase.Work(), q2.Work(), squares.Work(), q1.Work())))
	if err != nil {
		t.Fatal(err)
	}
	matrix := func(r vk.Region[float64]) stages.Matrix { return stages.NewMatrix(r.In(ws), n, n, n) }
	q := stages.Reflectors[float64]{V: rv.In(ws), Tau: rt.In(ws)}
	recorded := func(record func(rec *vk.Recorder)) []float64 {
		rec := vk.NewRecorder(dev)
		record(rec)
		return rec.Estimates()
	}
	load, err := move.NewSymmetricLoad[float64](dev)
	if err != nil {
		t.Fatal(err)
	}
	transpose, err := move.NewTranspose[float64](dev)
	if err != nil {
		t.Fatal(err)
	}
	identity, err := move.NewIdentity[float64](dev)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]float64{
		"band reduction":        recorded(func(rec *vk.Recorder) { band.Record(rec, ws, matrix(a), b.In(ws), factors.In(ws)) }),
		"squares":               recorded(func(rec *vk.Recorder) { squares.Record(rec, ws, q, matrix(x)) }),
		"back transformation 1": recorded(func(rec *vk.Recorder) { q1.Record(rec, ws, matrix(a), factors.In(ws), matrix(x)) }),
	}
	if !others {
		return all
	}
	all["load"] = recorded(func(rec *vk.Recorder) { load.Record(rec, matrix(a), move.Triangle{}, 1) })
	all["transpose"] = recorded(func(rec *vk.Recorder) { transpose.Record(rec, matrix(a), matrix(x)) })
	all["identity"] = recorded(func(rec *vk.Recorder) { identity.Record(rec, matrix(x)) })
	all["bulge chasing"] = recorded(func(rec *vk.Recorder) {
		chase.Record(rec, ws, b.In(ws), stages.Tridiagonal[float64]{D: d.In(ws), E: e.In(ws)}, q)
	})
	all["back transformation 2"] = recorded(func(rec *vk.Recorder) { q2.Record(rec, ws, q, matrix(x)) })
	return all
}

// TestBounded checks the method Bounded, which limits the cost of dispatches: it must not increase
// any size, and an unknown rate must change nothing.
func TestBounded(t *testing.T) {
	table := On(vk.Info{Name: "NVIDIA H200", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 132})
	if unknown := table.Bounded(0); unknown.Products.Dispatch != 0 || unknown.ApplyQ2.Dispatch != table.ApplyQ2.Dispatch {
		t.Errorf("an unknown rate: %+v", unknown.ApplyQ2)
	}
	slow, fast := table.Bounded(2e11), table.Bounded(1e20)
	if slow.ApplyQ2.Dispatch != 8e9 || slow.Products.Dispatch != 1e10 || !(slow.Bisection.Dispatch < table.Bisection.Dispatch) {
		t.Errorf("a slow device: %+v, %+v", slow.ApplyQ2, slow.Bisection)
	}
	if slow.Batch.Dispatch != 1e9 || fast.Batch.Dispatch != table.Batch.Dispatch {
		t.Errorf("batches on a slow device: %+v, on a fast one: %+v", slow.Batch.Dispatch, fast.Batch.Dispatch)
	}
	// A reduction to tridiagonal form in one stage has 4/3·n³ flops. At half of the device's rate,
	// they must take at most 50 ms, which limits the order n.
	if n := table.Bounded(2e10).Sytrd.Vectors; n != 721 || table.Sytrd.Vectors <= n {
		t.Errorf("a very slow device reduces order %d in one stage, the table %d", n, table.Sytrd.Vectors)
	}
	// Larger matrices are first reduced in blocks. A block is a small part of 4/3·n³ flops.
	if n, order := slow.Sytrd.Vectors, table.Sytrd.Blocked.Left; n != table.Sytrd.Vectors || n <= order {
		t.Errorf("a slow device reduces order %d in one stage, the table %d", n, table.Sytrd.Vectors)
	}
	if fast.ApplyQ2.Dispatch != table.ApplyQ2.Dispatch || fast.Chase.Dispatch != table.Chase.Dispatch {
		t.Errorf("a fast device: %+v", fast.ApplyQ2)
	}
}
