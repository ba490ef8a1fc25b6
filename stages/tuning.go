package stages

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Tuning is every size that is measured rather than derived, for one device.
type Tuning struct {
	Band, Block   int // half-bandwidth b and update rank k of the band reduction
	ValuesBand    int // b where at most a quarter of the vectors is wanted, of orders from ValuesFrom on
	ValuesFrom    int // 0: never
	Products      product.Tuning
	Panel         PanelTuning
	Chase         ChaseTuning
	ApplyQ2       ApplyQ2Tuning
	Bisection     BisectionTuning
	DivideConquer DivideConquerTuning
	MRRR          MRRRTuning
	QR            QRTuning
}

// TuningFor is what was measured on the device's family. Families without
// measurements fall back to sizes that must run anywhere: 16 KiB of shared
// memory, 128 invocations a workgroup.
func TuningFor(info vk.Info) Tuning { return tuningFor(info.Family) }

// tuningFor asks every stage for its own table; those lie beside the stages,
// where their fields are explained.
func tuningFor(family string) Tuning {
	t := Tuning{
		Products:      product.TuningFor(family),
		Panel:         panelTuning(family),
		Chase:         chaseTuning(family),
		ApplyQ2:       applyQ2Tuning(family),
		Bisection:     bisectionTuning(family),
		DivideConquer: divideConquerTuning(family),
		MRRR:          mrrrTuning(family),
		QR:            qrTuning(family),
	}
	switch family {
	case "nvidia":
		t.Band, t.Block = 32, 512
		t.ValuesBand, t.ValuesFrom = 64, 24576
	case "cpu":
		t.Band, t.Block = 16, 64
	default:
		t.Band, t.Block = 32, 256
	}
	return t
}

// For is the tuning for order n and m vectors: a wide band makes the reduction cheaper, the bulge
// chasing dearer, and each vector's back transformation, so that many vectors tip the scales.
func (t Tuning) For(n, m int) Tuning {
	if t.ValuesFrom > 0 && n >= t.ValuesFrom && 4*m <= n {
		t.Band, t.Block = t.ValuesBand, max(t.Block/t.ValuesBand, 1)*t.ValuesBand
	}
	return t
}

// SmallestTuning makes every path run on matrices of order 50 and less. It is
// for tests.
func SmallestTuning() Tuning {
	return Tuning{
		Band: 4, Block: 8,
		Products:      product.SmallestTuning(),
		Panel:         smallestPanel,
		Chase:         smallestChase(),
		ApplyQ2:       smallestApplyQ2(),
		Bisection:     smallestBisection(),
		DivideConquer: smallestDivideConquer(),
		MRRR:          smallestMRRR(),
	}
}
