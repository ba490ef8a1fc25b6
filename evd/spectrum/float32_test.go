package spectrum

import (
	"context"
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/internal/when"
)

// TestResultsInSinglePrecision asks for results of type float32. Each number must be rounded only
// once, and the host memory for results must be float32 memory.
func TestResultsInSinglePrecision(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	v := Unscale[float32]([]float64{0.5, 2 * math.Pi}, 2)
	if v[0] != 0.25 || v[1] != float32(math.Pi) {
		t.Errorf("unscaled to %v", v)
	}
	if w := Scale(v, 4); w[0] != 1 || w[1] != 4*float64(float32(math.Pi)) {
		t.Errorf("scaled to %v", w)
	}
	memory := plan.NewResultMemory[float32](context.Background())
	defer memory.Stop()
	Vectors[float32]{Rows: 3, RowMajor: true}.allocate(memory, 2)
	if z := memory.Wait(); z.Rows != 2 || z.Cols != 3 || z.Ld != 2 || len(z.Data) != 6 {
		t.Errorf("allocated %+v", z)
	}
}
