package batch

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TestBatchRowsAndMatrices solves a batch with several numbers of rows of an invocation, and of
// matrices of a workgroup. The results must have the same bits. The batch has matrices of several
// orders and kinds, and one with a NaN. One dispatch does not suffice for the rotations of a
// matrix.
func TestBatchRowsAndMatrices(t *testing.T) {
	when.Skip(t, when.Quick, "the other tests of batches, with one size")
	t.Run("float64", testBatchRowsAndMatrices[float64])
	t.Run("float32", testBatchRowsAndMatrices[float32])
}

func testBatchRowsAndMatrices[T spirv.Real](t *testing.T) {
	var all []*batchMatrix
	add := func(n int, a []float64) { all = append(all, whole(n, a, len(all)%2 == 0)) }
	for i, n := range []int{40, 4, 33, 3, 17} {
		add(n, stagetest.Normal(n, n, n, uint64(i)).Data)
	}
	for i, kind := range matgen.Dense() {
		add(5+i%30, matrixOf[T](kind, 5+i%30))
	}
	bad := stagetest.Normal(20, 20, 20, 1).Data
	bad[0] = math.NaN()
	all = slices.Insert(all, 2, whole(20, bad, false))
	const wrong = 2 // the index of the matrix with a NaN
	rows := []Memory{
		{}, {Rows: 3, Matrices: 3, Form: Form{Threads: 8, Columns: 3}, Turns: Turns{3, 2, 2}},
		{Rows: 8, Matrices: 8, Form: Form{Threads: 40}, Turns: Turns{40, 1, 7}},
		{Rows: 2, Matrices: 40, Form: Form{Threads: 16, Columns: 40}, Turns: Turns{8, 5, 1}},
	}
	for _, teams := range []uint32{1, 2} { // sums depend on Threads and Teams
		var first []*batchMatrix
		for _, row := range rows {
			row.Order, row.Threads, row.Teams, row.Form.Lanes = 40, 4, teams, 4*teams
			now := make([]*batchMatrix, len(all))
			for i, m := range all {
				now[i] = &batchMatrix{item: m.item, a: m.a}
			}
			tune := Tuning{Shared: []Shared{{Order: 2, Team: 2, Matrices: 1}}, Memory: []Memory{row}, Dispatch: 2e6}
			solveBatch[T](t, tune, true, now)
			if first == nil {
				first = now
			}
			name := fmt.Sprintf("%d teams, %d rows, %d matrices", teams, row.Rows, row.Matrices)
			for i, m := range now {
				want := first[i]
				if m.outcome != want.outcome || m.outcome.NonFinite != (i == wrong) {
					t.Errorf("%s: matrix %d: %+v", name, i, m.outcome)
				} else if i != wrong && (!stagetest.SameBits(m.values, want.values) || !stagetest.SameBits(m.vectors, want.vectors)) {
					t.Errorf("%s: matrix %d of order %d has other bits", name, i, m.item.N)
				}
			}
		}
	}
}

// TestBatchWorkgroupsFit checks that sizes are refused if a workgroup of any kernel has too many
// invocations or too much shared memory. The kernels of QL iteration count only without divide and
// conquer.
func TestBatchWorkgroupsFit(t *testing.T) {
	info := vk.Info{SharedBytes: 48 << 10, MaxLocal: 256, Subgroup: 32}
	for _, row := range []Memory{
		{Order: 40, Threads: 128, Teams: 2, Matrices: 64, Turns: Turns{Threads: 256}},
		{Order: 40, Threads: 8, Teams: 1, Conquer: true, Turns: Turns{Threads: 257}},
	} {
		if err := fitsMemory[float64, float64](row, info); err != nil {
			t.Error(err)
		}
	}
	for _, row := range []Memory{
		{Order: 40, Threads: 129, Teams: 2},
		{Order: 40, Threads: 8, Teams: 1, Turns: Turns{Threads: 257}},
		{Order: 40, Threads: 8, Teams: 1, Form: Form{Threads: 264, Lanes: 8}},
		{Order: 40, Threads: 8, Teams: 1, Matrices: 76},              // 76·41·16 bytes
		{Order: 40, Threads: 8, Teams: 1, Turns: Turns{Sweeps: 200}}, // 200·16·16 bytes
	} {
		if fitsMemory[float64, float64](row, info) == nil {
			t.Errorf("%+v is not refused", row)
		}
	}
}

// TestTridiagonalTuning checks that Tridiagonal does not change the given table: a plan for dense
// matrices may use the same table.
func TestTridiagonalTuning(t *testing.T) {
	given := Tuning{Shared: []Shared{{Order: 2}}, Memory: []Memory{{Order: 9}, {Order: 20, Conquer: true}}}
	got := given.Tridiagonal()
	if len(got.Shared) != 0 || !got.Memory[0].Conquer || !got.Memory[1].Conquer {
		t.Errorf("%+v", got)
	}
	if len(given.Shared) != 1 || given.Memory[0].Conquer {
		t.Errorf("the given table is now %+v", given)
	}
}

// TestSharedRowsForValues checks that a row of Shared with Values is used without vectors, and not
// with them.
func TestSharedRowsForValues(t *testing.T) {
	dev := vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	tune := smallestBatch()
	last := &tune.Shared[len(tune.Shared)-1]
	last.Values = true
	for _, vectors := range []bool{false, true} {
		s, err := newBatch[float64](dev, Size{N: int(last.Order), Count: 1, Vectors: vectors}, tune)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(s.memory) > 0; got != vectors {
			t.Errorf("vectors %v: order %d in memory: %v", vectors, last.Order, got)
		}
	}
}
