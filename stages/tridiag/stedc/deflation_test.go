package stedc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// halves holds the numbers of two solved blocks that are to be merged, one element for each column
// of their eigenvectors.
type halves struct {
	pair  dc.Pair
	d     []float64
	rows  dc.Rows
	order [2][]int32 // permutations of the two blocks
	rho   float64
}

// newHalves makes two random blocks that begin at row lo. Many values are equal or nearly equal,
// and many columns have negligible weights, so that many columns are eigenvectors of the merged
// block already (deflated).
func newHalves(r *rand.Rand, lo, n1, n2 int) halves {
	n := n1 + n2
	x := halves{pair: dc.Pair{Lo: lo, N1: n1, N2: n2}, rho: r.NormFloat64()}
	clusters := 1 + r.IntN(2*n)
	for range n {
		d := float64(r.IntN(clusters)) / float64(clusters)
		if r.IntN(2) == 0 {
			d *= 1 + math.Ldexp(r.NormFloat64(), -45-r.IntN(9))
		}
		first, last := r.NormFloat64()/math.Sqrt(float64(n)), r.NormFloat64()/math.Sqrt(float64(n))
		if r.IntN(5) == 0 {
			first, last = math.Ldexp(first, -r.IntN(70)), math.Ldexp(last, -r.IntN(70))
		}
		x.d = append(x.d, d)
		x.rows.First, x.rows.Last = append(x.rows.First, first), append(x.rows.Last, last)
	}
	x.order = [2][]int32{dc.Ascending(x.d[:n1]), dc.Ascending(x.d[n1:])}
	return x
}

// TestDeflationIsThatOfTheHost compares the results of the kernel stedc_deflate with those of the
// function dc.Deflate on the host. All bits must be equal, because the kernel and dc.Deflate do the
// same operations in the same order. In half of the trials, a merge needs several dispatches, and
// chains of rotations continue from one dispatch to the next.
func TestDeflationIsThatOfTheHost(t *testing.T) {
	roomtest.SkipInexact(t)
	dev, r := stagetest.Device(t), rand.New(rand.NewPCG(18, 1))
	const n = 340
	rotated, singles, continued := 0, 0, 0
	for trial := range 8 {
		tune := SmallestTuning().DivideConquer
		if trial%2 == 1 {
			tune = TuningFor(dev.Info()).DivideConquer
			tune.Leaf = 3
		}
		if trial%4 >= 2 {
			tune.Dispatch = 5 * deflateFlops
		}
		s, err := NewDivideConquerValues(dev, n, tune)
		if err != nil {
			t.Fatal(err)
		}
		ws := stagetest.Arena(t, dev, s.Work())
		var all []halves
		numbers, orders := make([]float64, leafArrays*n), make([]int32, n)
		var merges []shaders.Merge
		for lo := 0; lo < n; {
			n1, n2 := 1+r.IntN(9), 1+r.IntN(9)
			if len(all) == 1 {
				n1, n2 = 100+r.IntN(20), 100+r.IntN(20) // more than the invocations of a workgroup
			}
			n1 = min(n1, n-lo-1)
			n2 = min(n2, n-lo-n1)
			if n1 < 1 || n2 < 1 {
				break
			}
			x := newHalves(r, lo, n1, n2)
			copy(numbers[n+lo:], x.d)
			copy(numbers[2*n+lo:], x.rows.First)
			copy(numbers[3*n+lo:], x.rows.Last)
			copy(orders[lo:], slices.Concat(x.order[0], x.order[1]))
			numbers[lo+n1-1] = x.rho
			all, merges = append(all, x), append(merges, newMerge(&dc.Merge{Pair: x.pair}, 0, 0))
			lo += n1 + n2
		}
		rec := vk.NewRecorder(dev)
		vk.SendFirst(rec, s.values.pass.leafNumbers.In(ws), numbers)
		vk.SendFirst(rec, s.values.orders.In(ws), orders)
		vk.SendFirst(rec, s.values.pass.mergeList.In(ws), merges)
		s.values.recordDeflation(rec, ws, 0, 0, merges)
		stagetest.Run(t, dev, rec)
		got := deflated{
			merges: stagetest.Get(t, dev, s.values.pass.mergeList.In(ws)), blocks: stagetest.Get(t, dev, s.values.pass.leafNumbers.In(ws)),
			numbers: stagetest.Get(t, dev, s.values.pass.numbers.In(ws)), row: stagetest.Get(t, dev, s.values.steps.row.region.In(ws)),
			src: stagetest.Get(t, dev, s.values.steps.src.region.In(ws)), dst: stagetest.Get(t, dev, s.values.steps.dst.region.In(ws)),
			rotations: stagetest.Get(t, dev, s.values.steps.rotations.region.In(ws)),
			chains:    stagetest.Get(t, dev, s.values.steps.chains.region.In(ws)),
		}
		for i, x := range all {
			order := dc.MergedOrder(x.d, x.order[0], x.order[1])
			want := dc.Deflate(x.pair, x.d, x.rows, order, x.rho)
			got.compare(t, fmt.Sprintf("trial %d, merge %d", trial, i), n, i, want)
			rotated += len(want.Src) - len(want.Chain) + 1
			for c := range len(want.Chain) - 1 {
				first, last := int(want.Chain[c]), int(want.Chain[c+1])-1
				continued += last/s.values.portion - first/s.values.portion
			}
			singles += x.pair.N() - want.K
		}
	}
	if singles -= rotated; rotated < 100 || singles < 100 || continued < 50 {
		t.Errorf("%d rotations, %d negligible weights and %d continued chains are too few to test", rotated, singles, continued)
	}
}

// deflated holds the results that the kernel stedc_deflate has written for a level of merges.
type deflated struct {
	merges                     []shaders.Merge
	blocks, numbers, rotations []float64
	row, src, dst              []int32
	chains                     []shaders.Chain
}

// compare compares merge number `index`, which the kernel has computed, with the merge `want`,
// which dc.Deflate has computed.
func (g *deflated) compare(t *testing.T, where string, n, index int, want *dc.Merge) {
	t.Helper()
	m, lo, k, size := g.merges[index], want.Lo, want.K, want.N()
	if int(m.K) != k || int(m.Upper) != want.Upper || int(m.Lower) != want.Lower || m.From != 0 || int(m.To) != k {
		t.Fatalf("%s: %+v, the host has K = %d, Upper = %d, Lower = %d", where, m, k, want.Upper, want.Lower)
	}
	of := func(list []float64, array, from, to int) []float64 { return list[array*n+lo+from : array*n+lo+to] }
	values := make([]float64, size)
	want.DeflatedValues(values)
	for _, x := range []struct {
		name      string
		got, want []float64
	}{
		{"poles", of(g.numbers, numberD, 0, k), want.D}, {"weights", of(g.numbers, numberZ, 0, k), want.Z},
		{"first row of W", of(g.numbers, numberFirstW, 0, k), want.W.First},
		{"last row of W", of(g.numbers, numberLastW, 0, k), want.W.Last},
		{"ρ", g.numbers[numberRho*n+index:][:1], []float64{want.Rho}},
		{"deflated values", of(g.blocks, 1, k, size), values[k:]},
		{"first row of Q", of(g.blocks, 2, k, size), want.Q.First[k:]},
		{"last row of Q", of(g.blocks, 3, k, size), want.Q.Last[k:]},
	} {
		if !slices.Equal(x.got, x.want) {
			t.Fatalf("%s, %s: %v, the host has %v", where, x.name, x.got, x.want)
		}
	}
	if !slices.Equal(g.row[lo:lo+k], want.Row) || !slices.Equal(g.src[lo:lo+size], want.Src) ||
		!slices.Equal(g.dst[lo:lo+size], want.Dst) {
		t.Fatalf("%s: rows, sources or targets differ from those of the host", where)
	}
	var starts []int32
	for step, c := range g.chains[lo : lo+size] {
		if c.First == c.End {
			cos, sin := of(g.rotations, 0, step-1, step), of(g.rotations, 1, step-1, step)
			if cos[0] != want.Cos[step-1] || sin[0] != want.Sin[step-1] {
				t.Fatalf("%s: rotation %d is %v %v, the host has %g %g", where, step-1, cos, sin, want.Cos[step-1], want.Sin[step-1])
			}
			continue
		}
		starts = append(starts, int32(step))
		if at := slices.Index(want.Chain, int32(step)); at < 0 || int(c.Merge) != index || int(c.First) != step || int32(c.End) != want.Chain[at+1] {
			t.Fatalf("%s: chain %+v begins with step %d, the host has %v", where, c, step, want.Chain)
		}
	}
	if !slices.Equal(append(starts, int32(size)), want.Chain) {
		t.Fatalf("%s: chains begin with %v, the host has %v", where, starts, want.Chain)
	}
}

// TestOrderOfMerges compares the permutations that the kernel stedc_order finds with a stable sort
// on the host. It also checks that the kernel sets the info word if a root is NaN.
func TestOrderOfMerges(t *testing.T) {
	dev, r := stagetest.Device(t), rand.New(rand.NewPCG(18, 2))
	const n, level = 150, 3
	s, err := NewDivideConquerValues(dev, n, SmallestTuning().DivideConquer)
	if err != nil {
		t.Fatal(err)
	}
	ws := stagetest.Arena(t, dev, s.Work())
	values, merges := make([]float64, n), []shaders.Merge{{Lo: 0, N: 40, K: 30}, {Lo: 40, N: 1, K: 0}, {Lo: 45, N: 105, K: 105}}
	for i := range values {
		values[i] = float64(r.IntN(60))
	}
	order := func() []int32 {
		rec := vk.NewRecorder(dev)
		vk.SendFirst(rec, s.values.pass.leafNumbers.In(ws).From(n), values)
		vk.SendFirst(rec, s.values.pass.mergeList.In(ws), merges)
		vk.Fill(rec, s.values.Info.In(ws), allFound)
		s.values.recordOrder(rec, ws, level, 0, len(merges), 105)
		stagetest.Run(t, dev, rec)
		return stagetest.Get(t, dev, s.values.orders.In(ws))
	}
	got := order()
	for _, m := range merges {
		if want := dc.Ascending(values[m.Lo : m.Lo+m.N]); !slices.Equal(got[m.Lo:m.Lo+m.N], want) {
			t.Errorf("merge %+v: %v, want %v", m, got[m.Lo:m.Lo+m.N], want)
		}
	}
	if info := stagetest.Get(t, dev, s.values.Info.In(ws)); info[0] != allFound {
		t.Errorf("info %d", info[0])
	}
	values[120], values[70], values[35] = math.NaN(), math.NaN(), math.NaN() // element 35 is no root
	order()
	if info := stagetest.Get(t, dev, s.values.Info.In(ws)); info[0] != level*n+70 {
		t.Errorf("info %d", info[0])
	}
}

// TestDeflationAccessesAreNotPrivate checks that the kernel stedc_deflate does not declare buffers
// as private to an invocation if the invocations of a workgroup exchange their elements. Only two
// kinds of buffers may be private: inputs that the kernel does not write, and outputs that the
// kernel does not read.
func TestDeflationAccessesAreNotPrivate(t *testing.T) {
	const (
		inputs  = 2  // the kernel only reads e and order
		outputs = 12 // numbers 5, rotations 2, dst 2, row, src, chains
	)
	got := stagetest.AccessesOf(shaders.StedcDeflate[float64]().Code)
	if got.PrivateLoads != inputs || got.PrivateStores != outputs || got.Loads == inputs || got.Stores == outputs {
		t.Errorf("%+v; want %d private loads and %d private stores", got, inputs, outputs)
	}
}
