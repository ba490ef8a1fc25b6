package tuning

import (
	"github.com/vkevd/vkevd/stages/panel"
)

// intel is the table for GPUs of Intel and of Apple. Its sizes for batches are those of the table
// `anywhere`, which were not measured.
var intel = changed(anywhere, func(t *Tuning) {
	t.Panel = panel.Tuning{LocalSize: 128, TileBytes: 17 << 10, Groups: 32, Factor: 32, Merge: 256}
})
