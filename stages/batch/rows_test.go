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
		{Apart: 1}, {Apart: 3, Rows: 3, Matrices: 3}, {Apart: 8, Rows: 8, Matrices: 8}, {Apart: 5, Rows: 2, Matrices: 4},
	}
	for _, teams := range []uint32{1, 2} { // sums depend on Threads and Teams
		var first []*batchMatrix
		for _, row := range rows {
			row.Order, row.Threads, row.Teams = 40, 4, teams
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

// TestBatchMatricesNeedGenerators checks that sizes are refused if a workgroup has fewer additional
// invocations (Apart) than matrices. Each matrix needs an additional invocation that computes its
// rotations. A workgroup with too many invocations must be refused, too.
func TestBatchMatricesNeedGenerators(t *testing.T) {
	info := vk.Info{SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32}
	row := Memory{Order: 40, Threads: 8, Teams: 1, Apart: 3, Matrices: 3}
	if err := row.fits(info); err != nil {
		t.Error(err)
	}
	row.Matrices = 4
	if row.fits(info) == nil {
		t.Error("4 matrices with 3 generators are not refused")
	}
	row.Matrices, row.Apart, row.Threads = 3, 3, 400
	if row.fits(info) == nil {
		t.Error("a workgroup of 1203 invocations is not refused")
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
