package batch

import (
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// TestBatchAccessesAreNotPrivate checks that the kernels for batches order the accesses to the
// matrices whose elements the invocations of a workgroup exchange. Other accesses may be private
// (not ordered with those of other invocations): an invocation alone loads the elements that it
// stores, or no invocation of the dispatch loads them. No workgroup accesses the data of another
// workgroup's matrix, so nothing is exchanged between workgroups. (These kernels once exchanged
// elements without the Vulkan memory model, which is a race by the rules of Vulkan.)
func TestBatchAccessesAreNotPrivate(t *testing.T) {
	for _, c := range []struct {
		name                        string
		code                        []byte
		privateLoads, privateStores int
	}{
		// These accesses are private: the load of BatchMatrix, and the stores of the state, of d, e
		// and tau.
		{"sytd2_batch", shaders.Sytd2Batch[float64, float64]().Code, 1, 7},
		// The load of BatchMatrix and that of the state, and stores of the state.
		{"potrf_batch", shaders.PotrfBatch[float64]().Code, 2, 4},
		// The loads of BatchMatrix, of the place of the factor, and of states, and stores of the state.
		{"sygst_batch", shaders.SygstBatch[float64]().Code, 4, 2},
		{"trsm_batch", shaders.TrsmBatch[float64]().Code, 5, 0},
	} {
		got := stagetest.AccessesOf(c.code)
		if got.PrivateLoads != c.privateLoads || got.PrivateStores != c.privateStores || got.Loads <= c.privateLoads || got.Stores <= c.privateStores {
			t.Errorf("%s: %+v; want %d private loads and %d private stores", c.name, got, c.privateLoads, c.privateStores)
		}
	}
}
