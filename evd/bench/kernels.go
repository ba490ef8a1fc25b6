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

// Kernel holds what the driver's compiler reports about one kernel. A number is nil if the driver
// does not report it.
type Kernel struct {
	// Kernel is the name of the shader.
	Kernel string `json:"kernel"`

	// Constants are the specialisation constants by name.
	Constants map[string]float64 `json:"constants"`

	// Registers is the number of registers of an invocation.
	Registers *int `json:"registers"`

	// Spills is the amount of data that does not fit the registers, in the driver's unit.
	Spills *int `json:"spills"`

	// Shared is the shared memory of a workgroup, in bytes, as the driver allocates it.
	Shared *int `json:"shared_bytes"`

	// Declared is the shared memory that the shader declares, in bytes.
	Declared int `json:"declared_shared_bytes"`

	// Problem says why a search of package tune refuses the kernel. It is "" if the search accepts
	// it.
	Problem string `json:"problem,omitempty"`

	// Device and Driver are the same names as in Row.
	Device string `json:"device"`
	Driver string `json:"driver"`
}

// String is the kernel's name and its specialisation constants, sorted by name.
func (k Kernel) String() string {
	text := k.Kernel
	for _, name := range slices.Sorted(maps.Keys(k.Constants)) {
		text += fmt.Sprintf(" %s=%v", name, k.Constants[name])
	}
	return text
}

// Kernels describes the kernels that were built so far. There are none unless the device was opened
// with vk.Options.Statistics and its driver gives statistics.
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

// RefusedError says that a tuning makes kernels whose registers spill to memory. Their results are
// right, but other tunings are faster.
type RefusedError struct {
	// Kernels are the kernels that spill, at least one.
	Kernels []vk.KernelStatistics
}

// Error lists the kernels, each with its problem.
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

// refusal is a *RefusedError of the kernels that have a problem, or nil.
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
