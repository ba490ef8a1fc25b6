package tuning

import (
	"fmt"
	"maps"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestBatchRowsHaveSizesOfQL checks the rows of all tables for batches: each must have the sizes of
// QL iteration, even if divide and conquer replaces it. Package tune measures both methods for
// every row. Without these sizes, the kernels of QL iteration would have one invocation in a
// workgroup. The rows must also fit a typical device of the family with either method.
func TestBatchRowsHaveSizesOfQL(t *testing.T) {
	kinds := maps.Clone(families)
	for i, d := range devices {
		kinds[fmt.Sprint("device ", i)] = family{d.family, []Tuning{d.table}}
	}
	for _, f := range kinds {
		shared := 48 << 10
		if f.name == "lavapipe" {
			shared = 32 << 10
		}
		for _, table := range f.tables {
			for _, row := range table.Batch.Memory {
				if row.Matrices == 0 || row.Turns.Threads == 0 || row.Turns.Rows == 0 || row.Turns.Sweeps == 0 {
					t.Errorf("%s: no sizes of QL iteration in %+v", f.name, row)
				}
				one := table.Batch
				one.Memory = append(one.Memory[:0:0], row)
				one.Memory[0].Conquer = false
				if fit := one.For(vk.Info{SharedBytes: shared, MaxLocal: 1024, Subgroup: 32}); len(fit.Memory) == 0 {
					t.Errorf("%s: QL iteration does not fit with %+v", f.name, row)
				}
			}
		}
	}
}
