package tuning

import (
	"github.com/vkevd/vkevd/stages/panel"
)

// amd is the table for GPUs of AMD whose driver gives a workgroup 64 KiB of shared memory. Its
// sizes for batches are those of the table `anywhere`, which were not measured.
var amd = changed(anywhere, func(t *Tuning) {
	t.Panel = panel.Tuning{LocalSize: 256, TileBytes: 33 << 10, Groups: 96, Factor: 32, Merge: 512}
})

// amdSmall is the table for drivers of AMD that give a workgroup 32 KiB of shared memory: AMDVLK,
// and the driver on Windows. Its sizes for batches were not measured.
var amdSmall = changed(anywhere, func(t *Tuning) {
	t.Panel = panel.Tuning{LocalSize: 256, TileBytes: 17 << 10, Groups: 96, Factor: 32, Merge: 512}
})
