package stages

import (
	"fmt"
	"math/bits"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// builder builds kernels one after another and keeps the first error.
type builder struct {
	dev *vk.Device
	err error // of the first kernel that could not be built
}

// build is vk.Build, or nil after an error.
func build[S, P any](b *builder, m spirv.Module[S, P], spec S) *vk.Kernel[S, P] {
	if b.err != nil {
		return nil
	}
	k, err := vk.Build(b.dev, m, spec)
	b.err = err
	return k
}

// threads is the size of a workgroup that has no use for more than the given number of invocations:
// the largest power of two that the device can have and that is not above it.
func (b *builder) threads(most int) uint32 {
	if info := b.dev.Info(); info.MaxLocal > 0 {
		most = min(most, info.MaxLocal)
	}
	return 1 << (bits.Len(uint(most)) - 1)
}

// wholeSubgroups rounds a number of invocations up to whole subgroups. Kernels that exchange values
// within a subgroup need full ones.
func wholeSubgroups(threads int, info vk.Info) int {
	subgroup := max(1, info.Subgroup)
	return vk.Tiles(threads, uint32(subgroup)) * subgroup
}

// shared is the shared memory that a kernel declares, in bytes, or an error if the module does not
// determine it.
type shared struct {
	bytes int
	err   error
}

// sharedOf reads it from the kernel's SPIR-V.
func sharedOf[S, P any](kernel func() spirv.Module[S, P], spec S) shared {
	bytes, err := product.SharedBytes(kernel, spec)
	return shared{bytes, err}
}

// mostShared is the largest of several, for stages whose kernels run one after another: each
// dispatch has the shared memory of a workgroup to itself.
func mostShared(all ...shared) (bytes int, err error) {
	for _, s := range all {
		if s.err != nil {
			return 0, s.err
		}
		bytes = max(bytes, s.bytes)
	}
	return bytes, nil
}

// specBool is a truth value as a specialisation constant.
func specBool(v bool) spirv.Bool {
	if v {
		return spirv.True
	}
	return spirv.False
}

// InfoError says that a kernel set the INFO word of its stage. The stage's method Info explains the
// value.
type InfoError struct {
	Stage string // phase of the solve, such as PhaseBulgeChasing
	Info  uint32 // value of the INFO word; not 0
}

// Error names the stage and the word.
func (e *InfoError) Error() string {
	return fmt.Sprintf("%s failed on the device (INFO = %d)", e.Stage, e.Info)
}
