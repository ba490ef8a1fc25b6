package panel

import (
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// TestNoPanelWaitsWhereItMayNot checks that a panel has a dispatch for each column if workgroups may
// not wait for each other.
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
}
