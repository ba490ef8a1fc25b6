package vk

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// candidate is a physical device with all properties that Open needs.
type candidate struct {
	physical   driver.Physical
	props      driver.Properties
	features   driver.Features // none if the device was refused before they were read
	without    driver.Features // features that the device may have, but that are not used
	extensions []string
	types      []driver.MemoryType
	heaps      []driver.Heap

	// family is the number of the queue family to use, −1 if no family can compute. tickBits is the
	// number of valid bits of the family's timestamps.
	family   int
	tickBits uint32

	info Info

	problem      error // why the device cannot be used, or nil
	onlyCompiles bool  // the problem is a driver without a device, which OpenCompiler accepts
}

// examine reads all properties that Open and Info need, as if the device lacked the features in
// `without`. It makes no logical device, so that listing devices takes little time.
func examine(index int, p driver.Physical, without driver.Features) *candidate {
	c := &candidate{without: without}
	c.extensions, _ = p.Extensions()
	c.physical = p.Knowing(c.extensions)
	c.props = c.physical.Properties()
	if without[driver.Float64] {
		c.props.Float64 = driver.FloatControls{}
	}
	if c.props.API >= minimumAPI { // older devices do not know the structures of the features
		c.features = c.physical.Features().Without(without)
	}
	c.heaps, c.types = c.memory()
	queues := p.Queues()
	if c.family = computes(queues, c.props.Vendor); c.family >= 0 {
		c.tickBits = queues[c.family].TimestampBits
	}
	c.describe(index)
	if c.problem = c.refuse(); c.problem != nil {
		c.info.Problem = c.problem.Error()
	}
	return c
}

func (c *candidate) describe(index int) {
	p, subgroup := &c.props, c.subgroup()
	c.info = Info{
		Index: index, Name: p.Name, Type: p.Type.String(), Family: family(p),
		Driver: p.DriverName, DriverVersion: p.DriverInfo,
		API:       fmt.Sprintf("%d.%d.%d", p.API>>22, p.API>>12&0x3ff, p.API&0xfff),
		MaxBuffer: p.MaxBuffer, MaxAllocation: p.MaxAllocation,
		SharedBytes: int(p.MaxShared), MaxLocal: int(c.maxLocal(subgroup)),
		Subgroup: int(subgroup), Units: int(p.Units), FastDots: p.FastDots, FloatControls: floatControls(p),
	}
	c.info.Memory, c.info.Free = c.largestHeap(c.heaps)
}

// computes returns the number of the queue family to use, or −1 if no family can compute. On AMD's
// GPUs it prefers the first compute family that has timestamps and no graphics. There the family
// with graphics freezes the desktop during each dispatch, and ends jobs that take longer than two
// seconds. On all other GPUs `computes` prefers the first family that also has graphics, because
// some drivers give families without graphics only time slices between those of the desktop.
func computes(families []driver.QueueFamily, vendor uint32) int {
	has := func(q driver.QueueFamily, bits uint32) bool { return q.Flags&bits == bits }
	pure := func(q driver.QueueFamily) bool {
		return vendor == driver.VendorAMD && has(q, driver.Compute) && !has(q, driver.Graphics) && q.TimestampBits > 0
	}
	both := func(q driver.QueueFamily) bool { return has(q, driver.Compute|driver.Graphics) }
	rest := func(q driver.QueueFamily) bool { return has(q, driver.Compute) }
	for _, wanted := range []func(driver.QueueFamily) bool{pure, both, rest} {
		if i := slices.IndexFunc(families, wanted); i >= 0 {
			return i
		}
	}
	return -1
}

// refuse returns an *UnsupportedError that says why the device cannot be used, or nil. Unless an
// early check fails, it sets Features and ByteMatrices in c.info.
func (c *candidate) refuse() error {
	if c.props.API < minimumAPI {
		return c.unsupported("Vulkan version", MinimumAPI, c.info.API)
	}
	if err := oldLavapipe(&c.props); err != nil {
		return err
	}
	if c.family < 0 {
		return c.unsupported("queues", "one that computes", "none")
	}
	if c.tickBits == 0 {
		return c.unsupported("timestamps of its queue", "yes", "no")
	}
	c.info.Features = c.features.Names()
	c.info.ByteMatrices = byteMatrices(c.physical, c.features)
	return c.usable()
}

func (c *candidate) unsupported(feature, need, have string) error {
	return &UnsupportedError{c.props.Name, feature, need, have}
}

// usable is the last part of `refuse`: it checks subgroup shuffles, the required features and the
// memory. If only the memory is missing, it sets c.onlyCompiles.
func (c *candidate) usable() error {
	if c.props.SubgroupOps&driver.SubgroupShuffle == 0 {
		return c.unsupported("subgroup shuffles", "yes", "no")
	}
	if err := lacks(c.props.Name, c.features); err != nil {
		return err
	}
	if c.info.Memory == 0 {
		c.onlyCompiles = true
		return c.unsupported("memory", "some", "none: there is a driver, but no device")
	}
	return nil
}

// lacks returns an *UnsupportedError about the first required feature that a device lacks, or nil.
func lacks(name string, features driver.Features) error {
	for _, f := range required {
		if !features[f] {
			return &UnsupportedError{name, f.String(), "yes", "no"}
		}
	}
	return nil
}

var mesaVersion = regexp.MustCompile(`Mesa (\d+)`)

// oldLavapipe refuses llvmpipe before Mesa 25. In these versions an invocation leaves all its loops
// after 65,535 iterations in total, without an error. A version that cannot be read is accepted.
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
	case driver.VendorAMD:
		return "amd"
	case driver.VendorIntel:
		return "intel"
	case driver.VendorApple:
		return "apple"
	}
	return "other"
}

// rank is larger for better devices. A discrete GPU has the largest rank of all types, and a CPU
// the smallest. Unless `single` is true, each device with double precision has a larger rank than
// all devices without it.
func (c *candidate) rank(single bool) int {
	rank := 0
	switch c.props.Type {
	case driver.Discrete:
		rank = 4
	case driver.Virtual:
		rank = 3
	case driver.Integrated:
		rank = 2
	case driver.Other:
		rank = 1
	}
	const ranks = 5
	if single || c.features[driver.Float64] {
		rank += ranks
	}
	return rank
}

// matches tells whether the user's word names this device: the index, the type, the driver, or a
// part of the name, in upper or lower case. A number is only compared with the index.
func (c *candidate) matches(word string) bool {
	if n, err := strconv.Atoi(word); err == nil {
		return n == c.info.Index
	}
	word = strings.ToLower(word)
	if c.info.Type == word || strings.ToLower(c.info.Driver) == word {
		return true
	}
	return strings.Contains(strings.ToLower(c.info.Name), word)
}
