package vk

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Statistic is a number that the driver's compiler reports for a kernel, under the driver's name:
// registers, spills, bytes of shared memory, …
type Statistic = driver.Statistic

// Constant is a specialization constant with which a kernel was compiled.
type Constant struct {
	Name  string
	Value float64
}

// KernelStatistics describes one compiled GPU kernel: its constants, and the memory and registers
// that it uses.
type KernelStatistics struct {
	Kernel    string
	Constants []Constant
	Declared  int         // bytes of shared memory of a workgroup that the shader declares
	Memory    int         // bytes of private memory of an invocation that it declares: arrays, not registers
	List      []Statistic // every statistic that the driver reported about the kernel, unchanged
}

// Each driver has its own names for statistics. The following lists hold words by which this
// package recognizes the kind of a statistic: spills, shared memory, registers. If a name has words
// of several lists, the first of these lists counts.
var (
	spillWords    = []string{"spill", "scratch", "stack", "local memory"}
	sharedWords   = []string{"shared", "lds"}
	registerWords = []string{"register", "vgpr"}

	// scalarWords are for AMD's scalar registers, which all invocations of a subgroup share. If
	// there are too few scalar registers, the compiler moves values to lanes of vector registers,
	// not to memory.
	scalarWords = []string{"sgpr"}
)

// lowerHalf is a mask that removes the upper half of a statistic. NVIDIA's "Local Memory Size"
// packs two numbers into one, and the upper number is not 0 even without spills.
const lowerHalf = 1<<32 - 1

// Spills returns how many registers the compiler moved to memory, in the driver's unit: the largest
// of the driver's numbers for spills, without the private arrays that the shader itself declares
// (Memory). `ok` is false if the driver reports none.
func (k KernelStatistics) Spills() (n int, ok bool) {
	n, ok = k.largest(spillWords, scalarWords)
	return max(0, n-k.Memory), ok
}

// Shared is the shared memory of a workgroup in bytes. `ok` is false if the driver reports none.
func (k KernelStatistics) Shared() (n int, ok bool) { return k.largest(sharedWords, spillWords) }

// Registers is the number of registers of an invocation. `ok` is false if the driver reports none.
func (k KernelStatistics) Registers() (n int, ok bool) {
	return k.largest(registerWords, sharedWords, spillWords)
}

// largest is the largest statistic whose name contains one of the words, and none of the words in
// the lists `not`. `ok` is false if no name matches.
func (k KernelStatistics) largest(words []string, not ...[]string) (n int, ok bool) {
	for _, s := range k.List {
		has := func(words []string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(s.Name), w) })
		}
		if has(words) && !slices.ContainsFunc(not, has) {
			n, ok = max(n, int(s.Value)&lowerHalf), true
		}
	}
	return n, ok
}

// sharedSlack is the number of bytes of shared memory that a driver may allocate in addition to the
// declared bytes. Drivers round up, and some drivers reserve a kilobyte of each workgroup.
const sharedSlack = 2 << 10

// Problem says why the program should choose another kernel: the compiler has moved registers to
// memory or to shared memory. NVIDIA's driver does not report registers in shared memory as spills.
// Problem is "" if there is no such reason, or if the driver reports no statistics.
func (k KernelStatistics) Problem() string {
	if n, _ := k.Spills(); n > 0 {
		return fmt.Sprintf("spills (%d)", n)
	}
	if n, _ := k.Shared(); n > k.Declared+sharedSlack {
		return fmt.Sprintf("takes %d bytes of shared memory, declares %d", n, k.Declared)
	}
	return ""
}

// String returns the kernel's name with its constants.
func (k KernelStatistics) String() string {
	var b strings.Builder
	b.WriteString(k.Kernel)
	for i, c := range k.Constants {
		fmt.Fprintf(&b, "%s%s=%v", []string{" ", ","}[min(i, 1)], c.Name, c.Value)
	}
	return b.String()
}

// describe returns what the code and the constants tell about a pipeline, without the driver.
func describe(r recipe) (KernelStatistics, error) {
	k := KernelStatistics{Kernel: r.title()}
	for _, f := range r.spec {
		k.Constants = append(k.Constants, Constant{f.Name, number(f.Kind, r.data[f.Offset:f.Offset+f.Size])})
	}
	var shared, memory error
	k.Declared, shared = spirv.SharedBytes(r.code, r.spec, r.data)
	k.Memory, memory = spirv.MemoryBytes(r.code, r.spec, r.data)
	return k, cmp.Or(shared, memory)
}

func number(kind spirv.Kind, data []byte) float64 {
	switch kind {
	case spirv.Float64:
		return math.Float64frombits(binary.NativeEndian.Uint64(data))
	case spirv.Float32:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(data)))
	case spirv.Int32:
		return float64(int32(binary.NativeEndian.Uint32(data)))
	case spirv.Int64, spirv.Uint64:
		return float64(binary.NativeEndian.Uint64(data))
	}
	return float64(binary.NativeEndian.Uint32(data))
}

// Statistics lists the pipelines that were built so far, with the driver's numbers. It is empty
// unless the device was opened with Options.Statistics and its driver reports statistics.
func (d *Device) Statistics() ([]KernelStatistics, error) {
	d.pipes.lock.Lock()
	all := slices.Collect(maps.Values(d.pipes.made))
	d.pipes.lock.Unlock()
	return d.statistics(all)
}

// StatisticsOf returns the statistics of the kernels that `build` requests, which it compiles if
// needed.
func (d *Device) StatisticsOf(build func() error) ([]KernelStatistics, error) {
	asked, err := d.collect(build)
	if err != nil {
		return nil, err
	}
	for _, p := range asked {
		if err := p.wait(); err != nil {
			return nil, err
		}
	}
	return d.statistics(asked)
}

// PagedStatistics compiles, for each kernel that was built so far, the variant for regions that lie
// in several buffers (see Arena). It returns the statistics of these variants. The device must have
// been opened with Options.Statistics.
func (d *Device) PagedStatistics() ([]KernelStatistics, error) {
	d.pages.lock.Lock()
	err := d.pages.open(d)
	d.pages.lock.Unlock()
	if err != nil {
		return nil, err
	}
	d.pipes.lock.Lock()
	all := slices.Collect(maps.Values(d.pipes.made))
	d.pipes.lock.Unlock()
	return d.StatisticsOf(func() error {
		for _, p := range all {
			if p.recipe.pages != nil || p.wait() != nil {
				continue
			}
			if _, _, err := d.request(p.recipe.paged(d)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (d *Device) statistics(of []*pipeline) ([]KernelStatistics, error) {
	if err := d.usage.enter(); err != nil {
		return nil, err
	}
	defer d.usage.leave()
	var all []KernelStatistics
	seen := map[*pipeline]bool{}
	for _, p := range of {
		if seen[p] || p.wait() != nil {
			continue
		}
		seen[p] = true
		list, err := d.dev.Statistics(p.handle)
		if err != nil {
			return nil, wrap("reading statistics", p.about.Kernel, "", err)
		}
		if list != nil {
			k := p.about
			k.List = list
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b KernelStatistics) int { return cmp.Compare(a.String(), b.String()) })
	return all, nil
}
