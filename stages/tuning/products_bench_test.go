package tuning_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// BenchmarkTunings measures the products of a solve of order n with several tunings in turns, and
// prints the medians in TFLOP/s:
//
//	go test ./stages/tuning -run XXX -bench Tunings -benchtime 7x
//
// VKEVD_SIZES has the orders, by default 8192, and 256 on a CPU. VKEVD_TUNINGS has the tunings, one
// on each line: a name without blanks, and a JSON object with fields of tuning.Tuning that replace
// those of the device's table. With VKEVD_PRECISION=f32 the products are those of float32.
func BenchmarkTunings(b *testing.B) {
	usual := "8192"
	if stagetest.Device(b).Info().Type == "cpu" {
		usual = "256"
	}
	for _, word := range strings.Split(or("VKEVD_SIZES", usual), ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			b.Fatal(err)
		}
		if os.Getenv("VKEVD_PRECISION") == "f32" {
			b.Run(word, func(b *testing.B) { benchmarkTunings[float32](b, n) })
		} else {
			b.Run(word, func(b *testing.B) { benchmarkTunings[float64](b, n) })
		}
	}
}

func or(name, usual string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return usual
}

// shape is a product of a solve. It takes 2·a·b·c operations.
type shape[T spirv.Real] struct {
	name    string
	a, b, c int
	record  func(ops product.Ops[T], rec *vk.Recorder, ws *vk.Arena)
}

func benchmarkTunings[T spirv.Real](b *testing.B, n int) {
	d := stagetest.Device(b)
	lines := strings.Split(strings.TrimSpace(or("VKEVD_TUNINGS", "table {}")), "\n")
	var names []string
	var all []*product.Tiled[T]
	x, y, z := vk.Reserve[T]("x", n*n), vk.Reserve[T]("y", n*n), vk.Reserve[T]("z", n*n)
	spaces := []vk.Space{x, y, z}
	for _, line := range lines {
		name, text, _ := strings.Cut(line, " ")
		ops, err := product.New[T](d, changed[T](b, d.Info(), text))
		if err != nil {
			b.Fatalf("%s: %v", name, err)
		}
		names, all, spaces = append(names, name), append(all, ops), append(spaces, ops.Work())
	}
	ws, err := d.NewArena(vk.Together(spaces...))
	if err != nil {
		b.Fatal(err)
	}
	defer ws.Close()
	// The clock of a device depends on the data: equal numbers take less power than random ones.
	sample := stagetest.Normal(1<<10, 1<<10, 1<<10, 1).Data
	random := make([]T, len(sample))
	for i, v := range sample {
		random[i] = T(v)
	}
	for _, r := range []vk.Region[T]{x, y, z} {
		for from := 0; from < n*n; from += len(random) {
			count := min(len(random), n*n-from)
			stagetest.Put(b, d, r.In(ws).Sub(from, count), random[:count])
		}
	}

	shapes := shapesOf(n, func(i, rows, cols int) product.Matrix[T] {
		return product.NewMatrix([]vk.Region[T]{x, y, z}[i].In(ws).Sub(0, n*cols), rows, cols, n)
	})
	times := make([][]float64, len(shapes)*len(all))
	recs := make([]*vk.Recorder, len(times))
	for i := range recs {
		recs[i] = vk.NewRecorder(d)
		recs[i].Phase("product", 0, 1)
		shapes[i/len(all)].record(all[i%len(all)], recs[i], ws)
		stagetest.Run(b, d, recs[i]) // compiled
	}
	for b.Loop() {
		for i, rec := range recs {
			times[i] = append(times[i], stagetest.Run(b, d, rec).Total())
		}
	}
	fmt.Printf("\nTFLOP/s, n = %d   %s\n", n, strings.Join(names, "  "))
	for i, s := range shapes {
		fmt.Printf("%-17s", s.name)
		for j, name := range names {
			t := times[i*len(all)+j]
			slices.Sort(t)
			fmt.Printf("  %*.1f", len(name), 2*float64(s.a)*float64(s.b)*float64(s.c)/t[len(t)/2]/1e12)
		}
		fmt.Println()
	}
}

// shapesOf lists the products of a solve of order n that take the most time: those of the band
// reduction, and those of back transformation 1. There are three matrices. at(i, rows, cols) is the
// rows×cols part of matrix number i that begins at its first element.
func shapesOf[T spirv.Real](n int, at func(i, rows, cols int) product.Matrix[T]) (all []shape[T]) {
	for _, b := range []int{min(n, 32), min(n, 64)} {
		all = append(all, shape[T]{fmt.Sprintf("symm, b=%d", b), n, n, b, func(ops product.Ops[T], rec *vk.Recorder, ws *vk.Arena) {
			ops.Symm(rec, ws, at(0, n, n), at(1, n, b), at(2, n, b))
		}})
	}
	for _, k := range []int{min(n, 256), min(n, 512), min(n, 1024)} {
		all = append(all, shape[T]{fmt.Sprintf("syr2k, k=%d", k), n, n, k, func(ops product.Ops[T], rec *vk.Recorder, ws *vk.Arena) {
			ops.Syr2k(rec, ws, at(0, n, k), at(1, n, k), at(2, n, n))
		}})
	}
	for _, k := range []int{min(n, 512), min(n, 1024)} {
		all = append(all,
			shape[T]{fmt.Sprintf("C-=VW, k=%d", k), n, n, k, func(ops product.Ops[T], rec *vk.Recorder, ws *vk.Arena) {
				ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, -1, at(0, n, k), at(1, k, n), 1, at(2, n, n))
			}},
			shape[T]{fmt.Sprintf("C-=VWt, k=%d", k), n, n, k, func(ops product.Ops[T], rec *vk.Recorder, ws *vk.Arena) {
				ops.Gemm(rec, ws, product.NoTrans, product.Trans, -1, at(0, n, k), at(1, n, k), 1, at(2, n, n))
			}},
			shape[T]{fmt.Sprintf("W=VtC, k=%d", k), n, n, k, func(ops product.Ops[T], rec *vk.Recorder, ws *vk.Arena) {
				ops.Gemm(rec, ws, product.Trans, product.NoTrans, 1, at(0, n, k), at(1, n, n), 0, at(2, k, n))
			}})
	}
	return all
}

// changed returns the products of the device's table for matrices of T, with the changes in `text`,
// a JSON object with fields of tuning.Tuning.
func changed[T spirv.Real](b *testing.B, info vk.Info, text string) product.Tuning {
	t := tuning.For[T](info)
	tiles := t.Products.Tiles
	t.Products.Tiles, t.Singles.Tiles = nil, nil // the decoder must not change the table's lists
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		b.Fatal(err)
	}
	if t.Products.Tiles == nil {
		t.Products.Tiles = tiles
	}
	return t.Products
}
