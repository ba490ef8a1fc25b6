package main

import (
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// h200 describes an NVIDIA H200, the GPU whose times are in docs/data/h200.json.
var h200 = vk.Info{
	Name: "NVIDIA H200", Type: "discrete", Family: "nvidia", Units: 132, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32,
	Memory: 141 << 30, Free: 140 << 30, MaxBuffer: 1 << 50, MaxAllocation: 1 << 50,
}

// TestSpeedsWithoutFloat64 checks forecasts for a device without double precision: its rate is
// known, and the host does the tridiagonal problem.
func TestSpeedsWithoutFloat64(t *testing.T) {
	arc := vk.Info{Type: "discrete", Features: []string{"shaderInt64"}}
	s := speedsOn(arc, probe.Rates{FP32: 1e13}, machine.KindSingle)
	if !s.known || s.rates != (probe.Rates{FP64: 40e9, FP32: 1e13}) {
		t.Errorf("%+v", s)
	}
	if s := speedsOn(arc, probe.Rates{}, machine.KindSingle); s.known {
		t.Errorf("without rates: %+v", s)
	}
}

// TestForecastsOfTime compares forecasts of time with times that were measured on an H200, in
// seconds on the device (docs/data/h200.json, and older figures).
func TestForecastsOfTime(t *testing.T) {
	dense := func(n int, vectors bool, of machine.Kind) machine.Planned {
		f, _, err := machine.Vulkan{}.Forecast(machine.Absent{Info: h200}, machine.Task{Kind: of, N: n, Evd: evd.Options{Vectors: vectors, Products: evd.ProductsNative}})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	singular := func(n int, vectors svd.Vectors) machine.Planned {
		f, _, err := machine.Vulkan{}.Forecast(machine.Absent{Info: h200}, machine.Task{Kind: machine.KindSingular, Shape: machine.SingularShape{M: n, N: n}, Svd: svd.Options{U: vectors, V: vectors}})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	many := func(n, count int) machine.Planned {
		f, _, err := machine.Vulkan{}.Forecast(machine.Absent{Info: h200}, machine.Task{Kind: machine.KindBatch, N: n, Count: count, Batch: batch.Options{Vectors: true}})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, c := range []struct {
		name     string
		of       machine.Kind
		f        machine.Planned
		n        int
		measured float64
		within   float64
	}{
		{"values", machine.KindDense, dense(2048, false, machine.KindDense), 2048, 0.021, 1.5},
		{"values", machine.KindDense, dense(4096, false, machine.KindDense), 4096, 0.050, 1.2},
		{"values", machine.KindDense, dense(8192, false, machine.KindDense), 8192, 0.145, 1.2},
		{"values", machine.KindDense, dense(16384, false, machine.KindDense), 16384, 0.615, 1.2},
		{"values", machine.KindDense, dense(32768, false, machine.KindDense), 32768, 3.354, 1.2},
		{"vectors", machine.KindDense, dense(2048, true, machine.KindDense), 2048, 0.032, 1.5},
		{"vectors", machine.KindDense, dense(4096, true, machine.KindDense), 4096, 0.085, 1.2},
		{"vectors", machine.KindDense, dense(8192, true, machine.KindDense), 8192, 0.336, 1.2},
		{"vectors", machine.KindDense, dense(16384, true, machine.KindDense), 16384, 1.959, 1.2},
		{"vectors", machine.KindDense, dense(32768, true, machine.KindDense), 32768, 14.016, 1.2},
		{"vectors, float32", machine.KindSingle, dense(16384, true, machine.KindSingle), 16384, 1.323, 1.3},
		{"refinement", machine.KindRefined, dense(8192, true, machine.KindRefined), 8192, 0.339, 1.3},
		{"singular values", machine.KindDense, singular(4096, svd.None), 4096, 0.0838, 1.2},
		{"singular values", machine.KindDense, singular(16384, svd.None), 16384, 1.0769, 1.3},
		{"singular vectors", machine.KindDense, singular(4096, svd.Thin), 4096, 0.1483, 1.3},
		{"singular vectors", machine.KindDense, singular(16384, svd.Thin), 16384, 3.853, 1.3},
		{"batch", machine.KindDense, many(32, 10000), 32, 0.0047, 2.5},
		{"batch", machine.KindDense, many(128, 1000), 128, 0.0118, 2.5},
		{"batch", machine.KindDense, many(512, 50), 512, 0.076, 2.5},
	} {
		total := 0.0
		device := speedsOn(h200, probe.Rates{FP64: 32e12, FP32: 61e12}, c.of)
		if strings.HasPrefix(c.name, "singular") {
			device = device.singular()
		}
		for i, s := range device.all(c.f.Costs(), c.n) {
			total += s
			t.Logf("   %-30s %.4g s", c.f.Costs()[i].Stage, s)
		}
		t.Logf("%s, n = %d: forecast %.4g s, measured %.4g s", c.name, c.n, total, c.measured)
		if !(total < c.within*c.measured && total > c.measured/c.within) {
			t.Errorf("%s, n = %d: forecast %.4g s, measured %.4g s", c.name, c.n, total, c.measured)
		}
	}
}

// TestForecastOfASlowCard checks how the predicted time of a solve changes if a device is slow in
// double precision, and if it then uses emulated products.
func TestForecastOfASlowCard(t *testing.T) {
	q1 := evd.StageCost{Stage: "back transformation 1", Flops: 1e12}
	all := speedsOn(h200, probe.Rates{FP64: 32e12, FP32: 61e12}, machine.KindDense)
	if s := all.seconds(evd.StageCost{Stage: "tridiagonalisation", Flops: 4. / 3 * (1 << 30)}, 1024); !(s >= 0.0021 && s <= 0.0029) {
		t.Errorf("%g s in one stage, measured were 0.00248", s) // a forecast of the reduction in one stage, which no plan of these tests has
	}
	fast := all.seconds(q1, 0)
	slow := speedsOn(h200, probe.Rates{FP64: 1e12, FP32: 32e12}, machine.KindDense)
	if s := slow.seconds(q1, 0); !(s >= 31*fast && s <= 33*fast) {
		t.Errorf("%g s with a 32nd of the rate, %g s before", s, fast)
	}
	var products probe.Products
	products.Facts.Native, products.Facts.Emulated = 1, 8
	if s := slow.emulated(products).seconds(q1, 0); !(s >= 3.9*fast && s <= 4.1*fast) {
		t.Errorf("%g s with emulated products, 8 times as fast; %g s before", s, fast)
	}
	small := evd.StageCost{Stage: "batch", Flops: 1e12}
	for _, info := range []vk.Info{h200, {Family: "cpu"}} { // a batch of float32 is computed in single precision
		rates := probe.Rates{FP64: 1e12, FP32: 32e12}
		double, single := speedsOn(info, rates, machine.KindDense), speedsOn(info, rates, machine.KindSingle)
		if d, s := double.seconds(small, 0), single.seconds(small, 0); !(d >= 31*s && d <= 33*s) {
			t.Errorf("%s: %g s for a batch of float32, %g s for one of float64", info.Family, s, d)
		}
	}
	native := q1
	native.Native = true
	if s := slow.emulated(products).seconds(native, 0); s != slow.seconds(q1, 0) {
		t.Errorf("%g s for a stage with native products", s)
	}
}

// TestForecastOfSquares checks the forecast for a card with slow double precision and fast integer
// units. Such a card applies back transformation 2 by large products, which need memory for
// squares. The forecast must know that from the measured rates of products, for eigenvectors and
// for singular vectors.
func TestForecastOfSquares(t *testing.T) {
	card := h200
	card.ByteMatrices, card.Features = []vk.MatrixShape{{M: 16, N: 16, K: 32}}, []string{"shaderFloat64", "shaderIntegerDotProduct"}
	products := fastUnits()
	const n = 8192
	seconds := func(on machine.Absent, svdToo bool) float64 {
		opt := evd.Options{Vectors: true, Products: evd.ProductsEmulated}
		f, _, err := machine.Vulkan{}.Forecast(on, machine.Task{N: n, Evd: opt})
		if svdToo {
			f, _, err = machine.Vulkan{}.Forecast(on, machine.Task{Kind: machine.KindSingular, Shape: machine.SingularShape{M: n, N: n}, Svd: svd.Options{U: svd.Thin, V: svd.Thin, Products: evd.ProductsEmulated}})
		}
		if err != nil {
			t.Fatal(err)
		}
		total, squares := 0.0, false
		for _, c := range f.Costs() {
			if c.Stage == "back transformation 2" {
				total = speedsOn(on.Info, probe.Rates{FP64: 1.3e12, FP32: 80e12}, machine.KindDense).emulated(products).seconds(c, n)
			}
		}
		for _, r := range f.Memory() {
			squares = squares || r.Name == "squares of Q2"
		}
		if squares != (on.Products.Facts.Native > 0) {
			t.Errorf("singular %v: squares in memory %v", svdToo, squares)
		}
		return total
	}
	for _, singular := range []bool{false, true} {
		slow, fast := seconds(machine.Absent{Info: card}, singular), seconds(machine.Absent{Info: card, Products: products}, singular)
		t.Logf("singular %v: back transformation 2 takes %.3g s by reflectors, %.3g s by squares", singular, slow, fast)
		if !(fast < slow/3 && fast > slow/10) {
			t.Errorf("singular %v: back transformation 2 takes %.3g s by reflectors, %.3g s by squares", singular, slow, fast)
		}
	}
}
