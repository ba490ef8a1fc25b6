package panel

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestNoPanelWaitsWhereItMayNot checks that a panel has a dispatch for each column if workgroups
// may not wait for each other.
func TestNoPanelWaitsWhereItMayNot(t *testing.T) {
	tune := SmallestTuning().Panel
	tune.Groups, tune.Whole = 1, true
	qr, err := NewQR[float64](stagetest.Device(t), 4, stages.Waiting{}, tune)
	if err != nil || qr.column == nil || qr.whole != nil {
		t.Errorf("%+v, %v: panels wait", qr, err)
	}
}

// TestSharedMemoryOfPanels checks how much shared memory a panel of 32 columns needs.
func TestSharedMemoryOfPanels(t *testing.T) {
	spec := shaders.GeqrfPanelColumnSpec{LocalSize: 256, Columns: 32, Chunk: 128}
	stagetest.SharedBytes(t, "columns", shaders.GeqrfPanelColumn[float64](), spec, 36608)
	nvidia := tuningFor("nvidia").Panel
	stagetest.SharedBytes(t, "all columns", shaders.GeqrfPanelWhole[float64](), wholeSpec(panelSpec[float64](nvidia, 32)), 42760)
	stagetest.SharedBytes(t, "all columns, complex128", shaders.GeqrfPanelWhole[complex128](), wholeSpec(panelSpec[complex128](nvidia, 32)), 43536)
	stagetest.SharedBytes(t, "all columns, complex64", shaders.GeqrfPanelWhole[complex64](), wholeSpec(panelSpec[complex64](nvidia, 32)), 42760)
}

// TestComplexPanelsFit checks that panels of 32 complex columns, and their factors T, fit devices
// with the sizes of every table.
func TestComplexPanelsFit(t *testing.T) {
	for _, family := range []string{"nvidia", "amd", "intel", "apple", "other"} {
		for _, shared := range []int{16 << 10, 32 << 10, 48 << 10, 64 << 10} {
			info := roomtest.Family(family)
			info.SharedBytes, info.Units, info.Features = shared, 132, []string{"shaderBufferInt64Atomics"}
			t.Run(fmt.Sprintf("%s, %d bytes", family, shared), func(t *testing.T) {
				complexPanelsFit[complex128](t, info)
				complexPanelsFit[complex64](t, info)
			})
		}
	}
}

func complexPanelsFit[T stagetest.Complex](t *testing.T, info vk.Info) {
	d, tune := vk.Dry(info), TuningFor(info).Panel
	ops, err := product.New[T](d, SmallestTuning().Products)
	if err != nil {
		t.Fatal(err)
	}
	q, err := NewQR[T](d, 32, stages.Waiting{Allowed: true}, tune)
	if err != nil || (q.whole != nil) != tune.Whole {
		t.Errorf("panels: %v, of %+v", err, tune)
	}
	if _, err := NewTFactor(d, 100, 32, ops, tune); err != nil {
		t.Error(err)
	}
}
