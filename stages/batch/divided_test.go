package batch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TestBatchDivided solves a batch of every form twice: with one dispatch for all matrices of a
// class, and with such small dispatches that the matrices of each class need several of them. The
// results must have the same bits. Each kernel for batches must have more dispatches the second
// time.
func TestBatchDivided(t *testing.T) {
	t.Run("float64", testBatchDivided[float64])
	t.Run("float32", testBatchDivided[float32])
}

func testBatchDivided[T spirv.Real](t *testing.T) {
	for _, tridiagonal := range []bool{false, true} {
		for _, vectors := range []bool{false, true} {
			t.Run(fmt.Sprintf("tridiagonal %v, vectors %v", tridiagonal, vectors), func(t *testing.T) {
				tune := smallestBatch()
				tune.Dispatch = 1e12
				want, few := solveManySmall[T](t, tune, vectors, tridiagonal)
				tune.Dispatch = 1e4
				got, many := solveManySmall[T](t, tune, vectors, tridiagonal)
				for kernel, count := range few {
					if many[kernel] <= count {
						t.Errorf("%s has %d dispatches, and %d without the limit", kernel, many[kernel], count)
					}
				}
				for k, m := range got {
					if m.outcome != (BatchOutcome{}) || want[k].outcome != m.outcome {
						t.Fatalf("matrix %d of order %d: %+v, want %+v", k, m.item.N, m.outcome, want[k].outcome)
					}
					if !stagetest.SameBits(m.values, want[k].values) || !stagetest.SameBits(m.vectors, want[k].vectors) {
						t.Fatalf("matrix %d of order %d has other bits: values %v, want %v", k, m.item.N, m.values, want[k].values)
					}
				}
			})
		}
	}
}

// solveManySmall solves 40 random matrices of each class of smallestBatch in one batch. It also
// returns the number of dispatches of each kernel for batches.
func solveManySmall[T spirv.Real](t *testing.T, tune Tuning, vectors, tridiagonal bool) (all []*batchMatrix, dispatches map[string]int) {
	t.Helper()
	const most, each = 43, 40
	dev, r := stagetest.Device(t), rand.New(rand.NewPCG(1, 2))
	var items []Item
	for range each {
		for _, least := range []int{1, 7, 10, 21, 41} {
			n := least + r.IntN(3)
			items = append(items, Item{N: n, Upper: r.IntN(2) == 0, To: n})
		}
	}
	s, err := newBatch[T](dev, Size{N: most, Count: len(items), Vectors: vectors, Tridiagonal: tridiagonal}, tune)
	if err != nil {
		t.Fatal(err)
	}
	reserve := func(name string, order int) vk.Region[T] { return vk.Reserve[T](name, len(items)*order) }
	a, values, v := reserve("a", most*most), reserve("values", most), reserve("v", most*most)
	ws := stagetest.Arena(t, dev, vk.Together(s.Work(), a, values, v))
	p, x := s.Place(items), Buffers[T, T]{a.In(ws), values.In(ws), v.In(ws)}
	if tridiagonal {
		d, e := s.Given(ws)
		stagetest.Put(t, dev, d, converted[T](stagetest.Normal(d.Len(), 1, d.Len(), 1).Data))
		stagetest.Put(t, dev, e, converted[T](stagetest.Normal(e.Len(), 1, e.Len(), 2).Data))
	} else {
		stagetest.Put(t, dev, x.A, converted[T](stagetest.Normal(x.A.Len(), 1, x.A.Len(), 1).Data))
	}
	rec := vk.NewRecorder(dev)
	s.Record(rec, ws, p, x)
	var text strings.Builder
	if _, err := rec.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	dispatches = map[string]int{}
	for line := range strings.Lines(text.String()) {
		if name, _, _ := strings.Cut(line, " "); strings.Contains(name, "_batch") {
			dispatches[name]++
		}
	}
	stagetest.Run(t, dev, rec)
	for again := true; again; {
		rec := vk.NewRecorder(dev)
		if again = s.Continue(rec, ws, p, x); again {
			stagetest.Run(t, dev, rec)
		}
	}
	outcomes := p.Outcomes()
	gotValues, gotVectors := converted[float64](stagetest.Get(t, dev, x.Values)), converted[float64](stagetest.Get(t, dev, x.V))
	for k, m := range items {
		solved := &batchMatrix{item: m, outcome: outcomes[k], values: gotValues[p.W[k] : p.W[k]+m.N]}
		if vectors {
			solved.vectors = slices.Clone(gotVectors[p.V[k] : p.V[k]+m.N*m.N])
		}
		all = append(all, solved)
	}
	return all, dispatches
}
