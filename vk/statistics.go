package vk

import (
	"slices"
	"strings"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// Statistic is a number that the driver's compiler gives for a kernel, under
// the driver's own name: registers, spills, shared bytes, …
type Statistic = driver.Statistic

// KernelStatistics is what is known of one pipeline.
type KernelStatistics struct {
	Kernel string
	Spec   []byte // the specialisation constants, as they were given
	List   []Statistic
}

// Statistics lists the pipelines built so far with what the driver says of
// each. It is empty unless the device was opened with Options.Statistics and offers them.
func (d *Device) Statistics() ([]KernelStatistics, error) {
	d.pipes.lock.Lock()
	defer d.pipes.lock.Unlock()
	var all []KernelStatistics
	for key, pipeline := range d.pipes.made {
		list, err := d.dev.Statistics(pipeline)
		if err != nil {
			return nil, wrap("reading statistics", key, "", err)
		}
		if list != nil {
			name, spec, _ := strings.Cut(key, "\x00")
			all = append(all, KernelStatistics{name, []byte(spec), list})
		}
	}
	slices.SortFunc(all, func(a, b KernelStatistics) int {
		return strings.Compare(a.Kernel+string(a.Spec), b.Kernel+string(b.Spec))
	})
	return all, nil
}
