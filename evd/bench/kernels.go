package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Kernel holds the statistics that the driver's compiler reports about one kernel. A pointer is nil
// if the driver does not report the number.
type Kernel struct {
	Kernel    string             `json:"kernel"`                // name of the shader
	Constants map[string]float64 `json:"constants"`             // values of the specialization constants, by name
	Registers *int               `json:"registers"`             // of each invocation
	Spills    *int               `json:"spills"`                // data in memory because registers are too few, in the driver's unit
	Shared    *int               `json:"shared_bytes"`          // that the driver allocates for a workgroup
	Declared  int                `json:"declared_shared_bytes"` // that the shader declares
	Problem   string             `json:"problem,omitempty"`     // why a search of package tune would refuse the kernel
	Device    string             `json:"device"`
	Driver    string             `json:"driver"`
}

func (k Kernel) String() string {
	text := k.Kernel
	for _, name := range slices.Sorted(maps.Keys(k.Constants)) {
		text += fmt.Sprintf(" %s=%v", name, k.Constants[name])
	}
	return text
}

// Kernels describes all kernels that have been built so far, or none unless the device was opened
// with vk.Options.Statistics and the driver reports statistics.
func (b *Bench) Kernels() ([]Kernel, error) {
	found, err := b.dev.Statistics()
	if err != nil {
		return nil, err
	}
	told := func(n int, ok bool) *int {
		if !ok {
			return nil
		}
		return &n
	}
	var all []Kernel
	row := b.label(Row{})
	for _, s := range found {
		k := Kernel{
			Kernel: s.Kernel, Constants: map[string]float64{},
			Registers: told(s.Registers()), Spills: told(s.Spills()), Shared: told(s.Shared()), Declared: s.Declared,
			Problem: s.Problem(), Device: row.Device, Driver: row.Driver,
		}
		for _, c := range s.Constants {
			k.Constants[c.Name] = c.Value
		}
		all = append(all, k)
	}
	return all, nil
}

// RefusedError says that a tuning makes kernels whose registers spill to memory. Such kernels
// compute right results, but slowly.
type RefusedError struct {
	Kernels []vk.KernelStatistics // that spill, at least one
}

func (e *RefusedError) Error() string {
	var list []string
	for _, k := range e.Kernels {
		list = append(list, fmt.Sprintf("%v %s", k, k.Problem()))
	}
	return "refused: " + strings.Join(list, "; ")
}

// Refused returns a *RefusedError if a plan of order n with this tuning has kernels whose registers
// spill. It returns the error of NewPlan if such a plan is not possible. It returns nil if no
// kernel spills, and if the driver gives no statistics. The device must have been opened with
// vk.Options.Statistics.
func Refused(dev *vk.Device, n int, t tuning.Tuning, opt evd.Options) error {
	opt.Tuning = &t
	found, err := dev.StatisticsOf(func() error {
		plan, err := evd.NewPlan[float64](dev, n, opt)
		if err != nil {
			return err
		}
		plan.Close()
		return nil
	})
	if err != nil {
		return err
	}
	return refusal(found)
}

func refusal(found []vk.KernelStatistics) error {
	e := &RefusedError{}
	for _, k := range found {
		if k.Problem() != "" {
			e.Kernels = append(e.Kernels, k)
		}
	}
	if len(e.Kernels) == 0 {
		return nil
	}
	return e
}
