package tuning

import (
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestRowsOfLavapipeFit checks that the table for lavapipe has no row of batches that exceeds
// lavapipe's limits. batch.Tuning.For would remove such a row, and the next row would solve its
// matrices more slowly.
func TestRowsOfLavapipeFit(t *testing.T) {
	table := lavapipe.Batch
	fit := table.For(vk.Info{SharedBytes: 32 << 10, MaxLocal: 1024, Subgroup: 8})
	if len(fit.Shared) != len(table.Shared) || len(fit.Memory) != len(table.Memory) {
		t.Errorf("of %+v only %+v fits", table, fit)
	}
}
