package stedc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// atOnce calls `do` for 0 … n−1 at the same time, and returns their errors.
func atOnce(n int, do func(k int) error) error {
	errs := make([]error, n)
	var wait sync.WaitGroup
	for k := range n {
		wait.Go(func() { errs[k] = do(k) })
	}
	wait.Wait()
	return errors.Join(errs...)
}

// solveShared finds eigenvalues, and the vectors of the eigenvalues from, from+1, …, with
// len(counts) parts, of which part k forms counts[k] vectors. Each part is on a device of its own.
// The result has the vectors as rows, n elements each. The test fails if a part records a product
// that it has not reserved.
func solveShared(t *testing.T, tune Tables, d, e []float64, from int, counts []int) (values []float64, vectors [][]float64) {
	t.Helper()
	values, vectors, _ = solveSharedOn(t, tune, d, e, from, counts)
	return values, vectors
}

// solveSharedOn does the same as solveShared, and also returns the parts of the devices, which have
// the measured times.
func solveSharedOn(
	t *testing.T, tune Tables, d, e []float64, from int, counts []int,
) (values []float64, vectors [][]float64, devices []ConquerDevice) {
	t.Helper()
	open, n := stagetest.Devices(t, len(counts)), len(d)
	x, err := vk.NewExchange(open, 6000)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	broadcast := vk.NewBroadcast(x, 0, 6000, 2000, len(counts))
	var first *SharedConquer
	devices = make([]ConquerDevice, len(counts))
	for k, m := range counts {
		dev := open[k]
		tiled, err := product.New[float64](dev, tune.Products)
		if err != nil {
			t.Fatal(err)
		}
		ops := roomtest.NewReservedOps(t, fmt.Sprintf("n=%d, device %d of %d", n, k, len(counts)), tiled)
		x := ConquerDevice{Ctx: context.Background(), Profile: vk.NewProfile(), Party: broadcast.Party(k)}
		var work *vk.Layout
		if k == 0 {
			first, err = NewSharedConquer(dev, n, ops, tune.Products, tune.DivideConquer)
			if err != nil {
				t.Fatal(err)
			}
			x.Share, work = first.Share(), first.Work()
		} else if x.Share, err = NewConquerShare(dev, n, k, ops, tune.Products, tune.DivideConquer); err != nil {
			t.Fatal(err)
		} else {
			work = x.Share.Work()
		}
		at := vk.Reserve[float64]("X", x.Share.Elements(m))
		x.Arena = stagetest.Arena(t, dev, vk.Together(at, work, ops.Work()))
		x.X = stages.NewMatrix(at.In(x.Arena), m, n, max(m, 1))
		devices[k] = x
	}
	values, err = first.SolveRange(d, e, from, devices, func(do func(k int) error) error { return atOnce(len(counts), do) }, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, m := range counts {
		x := stagetest.Get(t, open[k], devices[k].X.At)
		for j := range m {
			row := make([]float64, n)
			for i := range row {
				row[i] = x[j+i*m]
			}
			vectors = append(vectors, row)
		}
	}
	return values, vectors, devices
}

// checkShared compares the results of SharedConquer with those of DivideConquer. They must have the
// same bits. Each element of `divisions` holds, for each device, the number of vectors that it
// forms.
func checkShared(t *testing.T, name string, tune Tables, d, e []float64, divisions ...[]int) {
	t.Helper()
	n := len(d)
	want, z := solveTridiagonal(t, tune, d, e)
	for _, counts := range divisions {
		from, m := 0, 0
		for _, c := range counts {
			m += c
		}
		from = (n - m) / 2
		values, vectors := solveShared(t, tune, d, e, from, counts)
		if !slices.Equal(values, want) {
			t.Errorf("%s, vectors %v: other values", name, counts)
		}
		for j, v := range vectors {
			if !slices.Equal(v, z[(from+j)*n:(from+j+1)*n]) {
				t.Errorf("%s, vectors %v from %d: vector %d has other bits", name, counts, from, j)
				break
			}
		}
	}
}

// thirds divides n vectors among three devices.
func thirds(n int) []int { return []int{n / 3, n - n/3 - n/4, n / 4} }

// TestSharedConquerOfEveryOrder compares vectors that several devices form with those of one
// device, for all small orders and for divisions that leave devices without vectors.
func TestSharedConquerOfEveryOrder(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	for n := range 34 {
		d, e := stagetest.RandomTridiagonal(n, 1)
		checkShared(t, fmt.Sprint(n), SmallestTuning(), d, e, thirds(n), []int{n / 2, n - n/2}, []int{0, n / 5, 0, n / 2}, []int{0, 0})
	}
	d, e := stagetest.RandomTridiagonal(131, 1)
	checkShared(t, "131", SmallestTuning(), d, e, []int{131, 0}, []int{0, 131}, []int{40, 50, 1, 40}, []int{0, 0, 17})
}

// TestSharedConquerOnEveryKind compares vectors that several devices form with those of one device,
// for matrices with clusters, and with much deflation.
func TestSharedConquerOnEveryKind(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	const n = 50
	for _, kind := range matgen.Tridiagonals() {
		d, e := kind.Tridiagonal(n)
		checkShared(t, kind.Name(), SmallestTuning(), d, e, thirds(n), []int{9, 11})
	}
}

// TestSharedConquerOfSplitMatrices compares vectors that several devices form with those of one
// device, for matrices with zeros in the off-diagonal. In some cases one block is most of T. In
// others two, three or many blocks have about the same size, and there is no last merge.
func TestSharedConquerOfSplitMatrices(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	stagetest.SplitTridiagonals(211, func(name string, d, e []float64) {
		checkShared(t, name, SmallestTuning(), d, e, thirds(13), []int{2, 3})
	})
	for _, cuts := range [][]int{{30}, {60}, {33, 66}, {1, 2, 98}, {10, 85}, {49}, {50}, {51}, {48}, {25, 50, 75}, {26, 52}} {
		d, e := stagetest.RandomTridiagonal(100, 4)
		for _, c := range cuts {
			e[c-1] = 0
		}
		checkShared(t, fmt.Sprint("cut at ", cuts), SmallestTuning(), d, e, thirds(100), []int{13, 29, 0, 8})
	}
}

// TestSharedConquerInEveryTuning compares vectors that several devices form with those of one
// device, with the rows DivideConquer of the tuning tables for NVIDIA and for processors.
func TestSharedConquerInEveryTuning(t *testing.T) {
	when.Long(t, "the tests with the smallest sizes of kernels")
	for _, family := range []string{"nvidia", "cpu"} {
		tune := SmallestTuning()
		tune.DivideConquer = tuningFor(family).DivideConquer
		tune.Products = TuningFor(stagetest.Device(t).Info()).Products
		for _, n := range []int{31, 65, 127, 200} {
			d, e := stagetest.RandomTridiagonal(n, 2)
			checkShared(t, fmt.Sprintf("%q %d", family, n), tune, d, e, thirds(n))
		}
	}
}

// TestBlocksFitTheirDevices checks that the blocks of one device have no more elements than its
// memory, for matrices that are divided into blocks in many ways.
func TestBlocksFitTheirDevices(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 2; n < 90; n++ {
		for range 60 {
			tree, leaf := dc.Tree{}, 1+r.IntN(n)
			for lo := 0; lo < n; {
				size := 1 + r.IntN(n-lo)
				if r.IntN(3) == 0 {
					size = min(n-lo, halfOf(n))
				}
				tree.Halve(lo, size, leaf, func(int) {})
				lo += size
			}
			last, blocks, device, offset := sharedBlocksOf(tree, n)
			pass := vectorsPass{n: n}
			pass.tune.Leaf = leaf
			var used [blockOwners]int
			rows := 0
			for _, b := range blocks {
				if b.lo != rows || device[b.lo] != b.device || device[b.lo+b.n-1] != b.device {
					t.Fatalf("n = %d, leaf %d, %+v: blocks %v on devices %v", n, leaf, tree, blocks, device)
				}
				rows += b.n
				used[b.device] += b.n * b.n
				if end := offset[b.lo] + b.n*b.n; end > pass.sharedBlocks() {
					t.Errorf("n = %d, leaf %d: a block ends at %d of %d elements", n, leaf, end, pass.sharedBlocks())
				}
			}
			if rows != n || max(used[0], used[1]) > pass.sharedBlocks() || 2*last.N() <= n && last.N() > 0 {
				t.Errorf("n = %d, leaf %d: %d rows, %v elements of %d, last merge %v", n, leaf, rows, used, pass.sharedBlocks(), last)
			}
		}
	}
}

// TestSharedConquerRefusesRanges asks for vectors beyond the last one.
func TestSharedConquerRefusesRanges(t *testing.T) {
	defer func() {
		if said := recover(); said != "stages: 2 devices, vectors 6 to 10 of order 8" {
			t.Errorf("%v", said)
		}
	}()
	solveShared(t, SmallestTuning(), make([]float64, 8), make([]float64, 7), 6, []int{2, 2})
}

// TestSharedConquerNamesItsPhase checks that the times of a solve on two devices belong to the
// phase of a symmetric problem.
func TestSharedConquerNamesItsPhase(t *testing.T) {
	d, e := stagetest.RandomTridiagonal(20, 1)
	_, _, devices := solveSharedOn(t, SmallestTuning(), d, e, 0, []int{10, 10})
	for k, dev := range devices {
		if !(dev.Profile.Phase(stages.PhaseTridiagonal) > 0) {
			t.Errorf("device %d: no time for %q", k, stages.PhaseTridiagonal)
		}
		for _, p := range dev.Profile.Phases {
			if !strings.HasPrefix(p.Name, stages.PhaseTridiagonal) { // the rest of the name may be "on host"
				t.Errorf("device %d: the phase %q", k, p.Name)
			}
		}
	}
}
