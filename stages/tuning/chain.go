package tuning

import (
	"sync"

	"github.com/vkevd/vkevd/vk"
)

// A value of the type device stands for one model of GPU, or some models, with a table of its own.
// The function `is` tells whether a device is of this kind. The table comes before the tables of
// its family.
type device struct {
	family string // vk.Info.Family: the vendor
	is     func(vk.Info) bool
	table  Tuning
}

var devices []device

// A family has the tables of a vendor's devices. `name` is the name of the variable that holds the
// first table.
type family struct {
	name   string
	tables []Tuning
}

var families = map[string]family{
	"nvidia": {"nvidia", []Tuning{nvidia, anywhere}},
	"amd":    {"amd", []Tuning{amd, amdSmall, anywhere}},
	"intel":  {"intel", []Tuning{intel, anywhere}},
	"apple":  {"intel", []Tuning{intel, anywhere}},
	"cpu":    {"lavapipe", []Tuning{lavapipe, anywhere}},
}

func familyOf(info vk.Info) family {
	if f, known := families[info.Family]; known {
		return f
	}
	return family{"anywhere", []Tuning{anywhere}}
}

func changed(t Tuning, change func(*Tuning)) Tuning {
	change(&t)
	return t
}

// chain returns the tables for a device, from the most special one to the most general one, which
// fits every device. All devices share the tables, so they must not be changed.
func chain(info vk.Info) []Tuning {
	tables := familyOf(info).tables
	for _, d := range devices {
		if d.family == info.Family && d.is(info) {
			return append([]Tuning{d.table}, tables...)
		}
	}
	return tables
}

// OfItsOwn tells whether a device has a table of its own, not only that of its family.
func OfItsOwn(info vk.Info) bool { return len(chain(info)) > len(familyOf(info).tables) }

// On takes each row of the tuning for a device from the first table of `chain(info)` whose row fits
// the device. If info does not contain a limit, the limit is taken as infinite.
func On(info vk.Info) Tuning {
	const much = 1 << 20
	if info.SharedBytes == 0 {
		info.SharedBytes = much
	}
	if info.MaxLocal == 0 {
		info.MaxLocal = much
	}
	return pick(info, chain(info))
}

// pick takes each row from the first table whose row fits. Rows that have no limits, and the row
// Sytrd, come from the first table. `info` must have limits for shared memory and invocations (see
// On). Sizes that depend on each other come from one table, for example all tiles of products, or a
// half-bandwidth and its block. The slices of the result belong to the tables and must not be
// changed.
func pick(info vk.Info, tables []Tuning) Tuning {
	t := tables[0]
	// The sizes in the following rows do not depend on the half-bandwidth. The rows are chosen
	// concurrently, because the first choice in a process reads the SPIR-V of about seventy
	// kernels.
	var wg sync.WaitGroup
	wg.Go(func() { t.Products = row(tables, func(t Tuning) error { return t.Products.Fits(info) }).Products })
	wg.Go(func() { t.Panel = row(tables, func(t Tuning) error { return t.Panel.Fits(info) }).Panel })
	wg.Go(func() { t.Cholesky = row(tables, func(t Tuning) error { return t.Cholesky.Fits(info) }).Cholesky })
	wg.Go(func() { t.Bisection = row(tables, func(t Tuning) error { return t.Bisection.Fits(info) }).Bisection })
	wg.Go(func() {
		t.DivideConquer = row(tables, func(t Tuning) error { return t.DivideConquer.Fits(info) }).DivideConquer
	})
	wg.Go(func() { t.MRRR = row(tables, func(t Tuning) error { return t.MRRR.Fits(info) }).MRRR })
	wg.Go(func() { t.Batch = row(tables, func(t Tuning) error { return t.Batch.Fits(info) }).Batch.For(info) })
	wg.Go(func() {
		t.Singles = row(tables, func(t Tuning) error { return sizesFit[float64](t.Singles, info) }).Singles
	})
	wg.Go(func() {
		t.Complexes = row(tables, func(t Tuning) error { return sizesFit[complex128](t.Complexes, info) }).Complexes
		t.ComplexSingles = row(tables, func(t Tuning) error { return sizesFit[complex64](t.ComplexSingles, info) }).ComplexSingles
	})
	band := row(tables, func(t Tuning) error { return fitsBand(t, info, t.Band) })
	wg.Wait()

	// The half-bandwidth b is chosen first, because the sizes of bulge chasing and ApplyQ2 must fit
	// it. It comes from the first table whose own sizes, with its own b, fit the device.
	t.Band, t.Block, t.ValuesBand, t.ValuesFrom = band.Band, band.Block, band.ValuesBand, band.ValuesFrom
	t.SmallBlock, t.SmallTo = band.SmallBlock, band.SmallTo
	t.Chase = row(tables, func(x Tuning) error { return x.Chase.Fits(info, t.Band) }).Chase
	t.ApplyQ2 = row(tables, func(x Tuning) error { return x.ApplyQ2.Fits(info, t.Band) }).ApplyQ2
	// The wide band for solves with few vectors is not used if it does not fit the device.
	if t.ValuesFrom > 0 && fitsBand(t, info, t.ValuesBand) != nil {
		t.ValuesFrom = 0
	}

	// The number of compute units and the rule for memory barriers come from the device, not from a
	// table.
	if info.Units > 0 {
		t.Products.Units = info.Units
	}
	t.Waits.WideFence = t.Waits.WideFence || !info.FenceChains()
	return t
}

// row returns the first table that fits, or the last table. The last table fits every device that
// Vulkan allows. On a smaller device, the constructors of the stages return errors that say what
// the device lacks. The function `fits` returns nil for a table that fits, and is called in the
// order of the tables.
func row(tables []Tuning, fits func(Tuning) error) Tuning {
	for _, t := range tables {
		if fits(t) == nil {
			return t
		}
	}
	return tables[len(tables)-1]
}

// fitsBand returns nil if the bulge chasing and ApplyQ2 can work with half-bandwidth b on the
// device, or the error of the stage that cannot.
func fitsBand(t Tuning, info vk.Info, b int) error {
	if err := t.Chase.Fits(info, b); err != nil {
		return err
	}
	return t.ApplyQ2.Fits(info, b)
}
