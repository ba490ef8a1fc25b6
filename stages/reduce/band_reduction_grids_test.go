package reduce

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/vk"
)

// TestBandReductionGrids records a band reduction of order n = 65536, where A has 2³² elements. In
// each direction, a dispatch may not have more workgroups than every device accepts. The addresses
// that each dispatch receives must lie in the regions of the layout. (TestIndexHeaders checks that
// offsets inside a kernel have 64 bits.)
func TestBandReductionGrids(t *testing.T) {
	when.Skip(t, when.Quick, "it records panels of order 65536")
	const n, b, most = 65536, 32, 65535
	tune := TuningFor(vk.Info{Family: "nvidia"})
	ops, err := product.New[float64](roomtest.Dry(), tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	rec := record(t, n, b, tune.Block, ops, tune)
	var text strings.Builder
	if _, err := rec.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	dispatches, folded := 0, false
	for line := range strings.Lines(text.String()) {
		var kernel string
		var x, y, z int
		if count, _ := fmt.Sscanf(line, "%s %d×%d×%d", &kernel, &x, &y, &z); count != 4 {
			continue
		}
		dispatches++
		folded = folded || y > 1
		if x < 1 || y < 1 || z < 1 || max(x, y, z) > most {
			t.Fatalf("%s", line)
		}
	}
	if panels := n/b - 1; dispatches < panels*b || !folded {
		t.Errorf("only %d dispatches; one is folded: %v", dispatches, folded)
	}
}
