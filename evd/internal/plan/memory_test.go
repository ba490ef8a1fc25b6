package plan

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestResultMemoryIsTouched allocates host memory for results. After the method Wait, every page of
// it must have been written. If the test calls the method Stop first, some pages must not have been
// written. A later call of Stop might be too late, because a fast machine writes all pages soon.
func TestResultMemoryIsTouched(t *testing.T) {
	const n = 1 << 12 // a matrix of 128 MiB
	for _, stopped := range []bool{false, true} {
		r := NewResultMemory[float64](context.Background())
		r.z = vk.Columns[float64]{Rows: n, Cols: n, Ld: n, Data: make([]float64, n*n)}
		v := r.z.Data
		for i := range v {
			v[i] = 1
		}
		if stopped {
			r.Stop()
		}
		r.touch()
		r.Wait()
		const page = 512 // doubles in a page of 4096 bytes
		missing := 0
		for i := 0; i < len(v); i += page {
			if v[i] != 0 {
				missing++
			}
		}
		if (missing > 0) != stopped {
			t.Errorf("stopped %v: %d pages of %d were not touched", stopped, missing, len(v)/page)
		}
		r.Stop()
	}
}
