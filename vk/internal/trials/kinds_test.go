package trials

import (
	"fmt"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

type kind struct {
	// make makes a plan of this kind on the device `first`. Plans on several devices also use the
	// device `second`.
	make func(first, second *vk.Device) (interface{ Close() }, error)

	// withoutFloat64 says that the devices have no double precision.
	withoutFloat64 bool
}

// plans returns all kinds of plans, with options that need different kernels.
func plans() map[string]kind {
	all := map[string]kind{}
	addDense(all)
	addOneStage(all)
	addRefinements(all)
	addSingular(all)
	addBands(all)
	addBatches(all)
	return all
}

// kindOrder is the order of the matrices of the plans.
const kindOrder = 40

func addDense(all map[string]kind) {
	const n = kindOrder
	small := tuning.Smallest()
	for what, opt := range map[string]evd.Options{
		"values": {}, "bisection": {Solver: evd.Bisection}, "values, verify": {Verify: true}, "vectors": {Vectors: true},
		"rows of a part": {Vectors: true, RowMajor: true, Select: evd.Index(3, 20)}, "MRRR": {Vectors: true, Solver: evd.MRRR},
		"QR": {Vectors: true, Solver: evd.QR}, "verify": {Vectors: true, Verify: true}, "wavefront": {Vectors: true, NoWaits: true},
		"emulated": {Vectors: true, Products: evd.ProductsEmulated},
	} {
		opt.Tuning = &small
		several := func(second *vk.Device, distribute bool) evd.Options {
			opt := opt
			opt.Devices, opt.Distribute = []*vk.Device{second}, distribute
			return opt
		}
		all["dense, "+what] = kind{make: func(first, _ *vk.Device) (interface{ Close() }, error) {
			return evd.NewPlan[float64](first, n, opt)
		}}
		all["several devices, "+what] = kind{make: func(first, second *vk.Device) (interface{ Close() }, error) {
			return evd.NewPlan[float64](first, n, several(second, false))
		}}
		all["distributed, "+what] = kind{make: func(first, second *vk.Device) (interface{ Close() }, error) {
			return evd.NewPlan[float64](first, n, several(second, true))
		}}
		if opt.Products == evd.ProductsAuto {
			for _, without := range []bool{false, true} {
				all[fmt.Sprintf("dense, float32, without double precision %v, %s", without, what)] = kind{
					make: func(first, _ *vk.Device) (interface{ Close() }, error) {
						return evd.NewPlan[float32](first, n, opt)
					}, withoutFloat64: without,
				}
				all[fmt.Sprintf("dense, complex64, without double precision %v, %s", without, what)] = kind{
					make: func(first, _ *vk.Device) (interface{ Close() }, error) {
						return evd.NewPlan[complex64](first, n, opt)
					}, withoutFloat64: without,
				}
			}
			all["dense, complex128, "+what] = kind{make: func(first, _ *vk.Device) (interface{ Close() }, error) {
				return evd.NewPlan[complex128](first, n, opt)
			}}
			all["several devices, complex128, "+what] = kind{make: func(first, second *vk.Device) (interface{ Close() }, error) {
				return evd.NewPlan[complex128](first, n, several(second, false))
			}}
			if !opt.Verify && !opt.NoWaits {
				all["tridiagonal, "+what] = kind{make: func(first, _ *vk.Device) (interface{ Close() }, error) {
					return evd.NewTridiagonalPlan[float64](first, n, opt)
				}}
			}
		}
	}
}

// addOneStage adds a plan that reduces a matrix to tridiagonal form in one stage, by one workgroup.
func addOneStage(all map[string]kind) {
	small := tuning.Smallest()
	small.Sytrd = reduce.TridiagonalisationTuning{
		Values: 60, Vectors: 60, LocalSize: 16, Groups: 1, Rows: 1, Kept: 128, Polls: 1 << 24,
		Blocked: reduce.BlockedTuning{Left: 25, Columns: 4, LocalSize: 16, Groups: 1, Registers: 200},
	}
	all["one stage"] = kind{make: func(first, _ *vk.Device) (interface{ Close() }, error) {
		return evd.NewPlan[float64](first, kindOrder, evd.Options{Vectors: true, Tuning: &small})
	}}
}

func addRefinements(all map[string]kind) {
	const n = kindOrder
	small := tuning.Smallest()
	for what, opt := range map[string]evd.Options{
		"native": {}, "rows": {RowMajor: true}, "emulated": {Products: evd.ProductsEmulated},
	} {
		opt.Tuning = &small
		all["refinement, "+what] = kind{make: func(first, _ *vk.Device) (interface{ Close() }, error) {
			return evd.NewRefinePlan[float64](first, n, opt)
		}}
		all["mixed, "+what] = kind{make: func(first, _ *vk.Device) (interface{ Close() }, error) {
			return evd.NewMixedPlan[float64](first, n, opt)
		}}
	}
}

func addSingular(all map[string]kind) {
	const n = kindOrder
	small := tuning.Smallest()
	for what, opt := range map[string]svd.Options{
		"values": {}, "certified": {Certify: true}, "left": {U: svd.Thin}, "right": {V: svd.Thin}, "both": {U: svd.Thin, V: svd.Thin},
		"full": {U: svd.Full, V: svd.Full}, "verify": {U: svd.Thin, V: svd.Thin, Verify: true},
		"single": {Storage: svd.Single}, "half": {Storage: svd.Half}, "emulated": {U: svd.Thin, V: svd.Thin, Products: evd.ProductsEmulated},
	} {
		opt.Tuning = &small
		for _, m := range []int{n, 3 * n} {
			name := fmt.Sprintf("singular values, %d×%d, %s", m, n, what)
			all[name] = kind{make: func(first, _ *vk.Device) (interface{ Close() }, error) {
				return svd.NewPlan[float64](first, m, n, opt)
			}}
			for _, without := range []bool{false, true} {
				if opt.Products == evd.ProductsAuto {
					all[fmt.Sprintf("%s, float32, without double precision %v", name, without)] = kind{
						make: func(first, _ *vk.Device) (interface{ Close() }, error) {
							return svd.NewPlan[float32](first, m, n, opt)
						}, withoutFloat64: without,
					}
				}
			}
		}
		if opt.Storage == svd.Storage(0) && opt.Products == evd.ProductsAuto && !opt.Verify && opt.U != svd.Full {
			all["bidiagonal, "+what] = kind{make: func(first, _ *vk.Device) (interface{ Close() }, error) {
				return svd.NewBidiagonalPlan[float64](first, n, opt)
			}}
		}
	}
}

func addBands(all map[string]kind) {
	small := tuning.Smallest()
	for what, opt := range map[string]svd.BandOptions{"values": {}, "certified": {Certify: true}, "half": {Storage: svd.Half}} {
		opt.Tuning = &small
		all["band, "+what] = kind{make: func(first, _ *vk.Device) (interface{ Close() }, error) {
			return svd.NewBandPlan[float32](first, kindOrder, 4, opt)
		}}
	}
}

func addBatches(all map[string]kind) {
	const n, count = kindOrder, 10
	for what, opt := range map[string]batch.Options{
		"values": {}, "vectors": {Vectors: true}, "a part": {Vectors: true, Select: evd.Index(0, 1)},
	} {
		all["batch, "+what] = kind{make: func(first, second *vk.Device) (interface{ Close() }, error) {
			opt := opt
			opt.Devices = []*vk.Device{second}
			return batch.NewPlan[float64](first, n, count, opt)
		}}
		all["batch, tridiagonal, "+what] = kind{make: func(first, _ *vk.Device) (interface{ Close() }, error) {
			return batch.NewTridiagonalPlan[float64](first, n, count, opt)
		}}
	}
}
