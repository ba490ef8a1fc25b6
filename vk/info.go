package vk

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// Info describes a device.
type Info struct {
	Index         int      `json:"index"` // in the loader's order
	Name          string   `json:"name"`
	Type          string   `json:"type"`   // discrete, integrated, virtual, cpu, other
	Family        string   `json:"family"` // key of the tuning tables: nvidia, amd, intel, cpu, …
	Driver        string   `json:"driver"`
	DriverVersion string   `json:"driver_version"`
	API           string   `json:"vulkan"`
	Memory        uint64   `json:"memory_bytes"` // the largest device-local heap
	Free          uint64   `json:"free_bytes"`   // of it, as the driver estimates
	SharedBytes   int      `json:"shared_bytes"` // a workgroup
	MaxLocal      int      `json:"max_invocations"`
	Subgroup      int      `json:"subgroup"`
	Units         int      `json:"units"`                // multiprocessors; 0 if the driver does not tell
	MaxBuffer     uint64   `json:"max_buffer_bytes"`     // the largest buffer; 0 if the driver does not tell
	MaxAllocation uint64   `json:"max_allocation_bytes"` // that the driver promises; some give more
	Features      []string `json:"features"`
	Problem       string   `json:"problem,omitempty"` // why it cannot be used
}

// FenceChains says whether one invocation's fence can stand for all that met it at a barrier.
func (i Info) FenceChains() bool { return i.offers(driver.MemoryModelChains) }

// Int64Atomics says whether buffers have atomic operations on 64-bit integers.
func (i Info) Int64Atomics() bool { return i.offers(driver.Int64Atomics) }

func (i Info) offers(f driver.Feature) bool { return slices.Contains(i.Features, f.String()) }

// candidate is a physical device with all that Open wants to know.
type candidate struct {
	physical   driver.Physical
	props      driver.Properties
	features   driver.Features
	extensions []string
	heaps      []driver.Heap
	types      []driver.MemoryType
	family     int    // of queues; −1 if none computes
	tickBits   uint32 // of its timestamps; the others are 0
	info       Info
	problem    error
}

// required is what every kernel relies on.
var required = []driver.Feature{
	driver.Float64, driver.Int64, driver.BufferDeviceAddress, driver.TimelineSemaphore, driver.ScalarLayout,
	driver.MemoryModel, driver.MemoryModelDevice,
}

// wanted is used where it exists.
var wanted = []driver.Feature{
	driver.SubgroupSizeControl, driver.FullSubgroups, driver.SubgroupExtended, driver.Maintenance4,
	driver.MemoryModelChains, driver.Int64Atomics,
}

// A Feature is what a device may offer, under Vulkan's name for it; Info.Features lists
// those of a device.
type Feature struct {
	Name     string
	Required bool // or else used where it exists
}

// Features lists all that is asked of devices.
func Features() []Feature {
	var list []Feature
	for _, f := range required {
		list = append(list, Feature{f.String(), true})
	}
	for _, f := range wanted {
		list = append(list, Feature{f.String(), false})
	}
	return list
}

// MinimumAPI is the version of Vulkan that a device must speak.
const MinimumAPI = "1.3"

const minimumAPI = 1<<22 | 3<<12 // Vulkan 1.3

func examine(index int, p driver.Physical) *candidate {
	c := &candidate{physical: p, props: p.Properties()}
	c.extensions, _ = p.Extensions()
	c.heaps, c.types = p.Memory(slices.Contains(c.extensions, driver.MemoryBudgetExtension))
	pr := &c.props
	c.info = Info{
		Index: index, Name: pr.Name, Type: pr.Type.String(), Family: family(pr), Driver: pr.DriverName, DriverVersion: pr.DriverInfo,
		API:         fmt.Sprintf("%d.%d.%d", pr.API>>22, pr.API>>12&0x3ff, pr.API&0xfff),
		SharedBytes: int(pr.MaxShared), MaxLocal: int(min(pr.MaxInvocations, pr.MaxLocalSize[0])), Subgroup: int(pr.Subgroup), Units: int(pr.Units), MaxBuffer: pr.MaxBuffer, MaxAllocation: pr.MaxAllocation,
	}
	for _, h := range c.heaps {
		if h.Local && h.Bytes > c.info.Memory {
			c.info.Memory, c.info.Free = h.Bytes, h.Free
		}
	}
	queues := p.Queues()
	if c.family = computes(queues); c.family >= 0 {
		c.tickBits = queues[c.family].TimestampBits
	}
	c.problem = c.refuse()
	if c.problem != nil {
		c.info.Problem = c.problem.Error()
	}
	return c
}

// computes is the queue family to use: the first that computes, but rather one with graphics, as
// on some drivers the pure compute family shares time slices with the desktop; −1 if none computes.
func computes(families []driver.QueueFamily) int {
	both := func(q driver.QueueFamily) bool {
		return q.Flags&driver.Compute != 0 && q.Flags&driver.Graphics != 0
	}
	if i := slices.IndexFunc(families, both); i >= 0 {
		return i
	}
	return slices.IndexFunc(families, func(q driver.QueueFamily) bool { return q.Flags&driver.Compute != 0 })
}

func (c *candidate) refuse() error {
	unsupported := func(feature, need, have string) error {
		return &UnsupportedError{c.props.Name, feature, need, have}
	}
	if c.props.API < minimumAPI {
		return unsupported("Vulkan version", MinimumAPI, c.info.API)
	}
	if err := oldLavapipe(&c.props); err != nil {
		return err
	}
	if c.family < 0 {
		return unsupported("queues", "one that computes", "none")
	}
	if c.tickBits == 0 {
		return unsupported("timestamps of its queue", "yes", "no")
	}
	c.features = c.physical.Features()
	c.info.Features = c.features.Names()
	if c.props.SubgroupOps&driver.SubgroupShuffle == 0 {
		return unsupported("subgroup shuffles", "yes", "no")
	}
	return lacks(c.props.Name, c.features)
}

// lacks is the error about the first required feature that a device does not have.
func lacks(name string, features driver.Features) error {
	for _, f := range required {
		if features[f] {
			continue
		}
		have := "no"
		if f == driver.Float64 { // the usual reason, and no driver will mend it
			have = "no: this device computes in 32 bits only"
		}
		return &UnsupportedError{name, f.String(), "yes", have}
	}
	return nil
}

var mesaVersion = regexp.MustCompile(`Mesa (\d+)`)

// oldLavapipe refuses llvmpipe before Mesa 25: it ends every loop, silently,
// after 65,535 iterations an invocation.
func oldLavapipe(p *driver.Properties) error {
	const oldestLavapipe = 25
	if p.DriverName != "llvmpipe" {
		return nil
	}
	m := mesaVersion.FindStringSubmatch(p.DriverInfo)
	if m == nil {
		return nil
	}
	if v, err := strconv.Atoi(m[1]); err == nil && v < oldestLavapipe {
		return &UnsupportedError{p.Name, "lavapipe, which before Mesa 25 silently ends loops after 65535 iterations",
			"Mesa 25 or newer (Debian 12 has it in bookworm-backports)", p.DriverInfo}
	}
	return nil
}

func family(p *driver.Properties) string {
	if p.Type == driver.CPU {
		return "cpu"
	}
	switch p.Vendor {
	case driver.VendorNVIDIA:
		return "nvidia"
	case 0x1002:
		return "amd"
	case 0x8086:
		return "intel"
	case 0x106b:
		return "apple"
	}
	return "other"
}

// rank orders devices: a discrete GPU first, the CPU last, the unusable never.
func (c *candidate) rank() int {
	return map[driver.DeviceType]int{driver.Discrete: 4, driver.Virtual: 3, driver.Integrated: 2, driver.Other: 1, driver.CPU: 0}[c.props.Type]
}

// matches says whether the user's word names this device: its index, or a
// part of its name or type in any case.
func (c *candidate) matches(word string) bool {
	if n, err := strconv.Atoi(word); err == nil {
		return n == c.info.Index
	}
	word = strings.ToLower(word)
	return strings.Contains(strings.ToLower(c.info.Name), word) || c.info.Type == word || c.info.Driver == word
}
