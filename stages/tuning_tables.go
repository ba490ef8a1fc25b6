package stages

// tunings is what was measured, by device family; TuningFor falls back to
// "other", which must run anywhere: 16 KiB of shared memory, 128 invocations.
var tunings = map[string]Tuning{
	"nvidia": {
		Band: 32, Block: 1024,
		Panel:    panelTuning("nvidia"),
		Products: nvidiaProducts,
	},
	"cpu": {
		Band: 16, Block: 64,
		Panel:    panelTuning("cpu"),
		Products: cpuProducts,
	},
	"other": {
		Band: 32, Block: 256,
		Panel:    panelTuning("other"),
		Products: otherProducts,
	},
}

// SmallestTuning makes every path run on matrices of order 50 and less. It is
// for tests.
func SmallestTuning() Tuning {
	return Tuning{
		Band: 4, Block: 8,
		Panel: smallestPanel, Chase: smallestChase(), Bisection: smallestBisection(), DivideConquer: DivideConquerTuning{Leaf: 3, Threads: 8},
		Products: smallestProducts,
	}
}
