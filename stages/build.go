package stages

import (
	"fmt"
	"math/bits"

	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// builder builds kernels one after another and keeps the first error.
type builder struct {
	dev *vk.Device
	err error
}

func build[S, P any](b *builder, m spirv.Module[S, P], spec S) *vk.Kernel[S, P] {
	if b.err != nil {
		return nil
	}
	k, err := vk.Build(b.dev, m, spec)
	b.err = err
	return k
}

// threads is the size of a workgroup that needs no more invocations than most: as many as
// the device can have, a power of two.
func (b *builder) threads(most int) uint32 {
	if info := b.dev.Info(); info.MaxLocal > 0 {
		most = min(most, info.MaxLocal)
	}
	return 1 << (bits.Len(uint(most)) - 1)
}

// wholeSubgroups rounds threads up.
func wholeSubgroups(threads int, info vk.Info) int {
	subgroup := max(1, info.Subgroup)
	return vk.Tiles(threads, uint32(subgroup)) * subgroup
}

// InfoError says that a kernel set its stage's INFO word. What Info means stands at the
// stage's method of that name.
type InfoError struct {
	Stage string
	Info  uint32
}

func (e *InfoError) Error() string {
	return fmt.Sprintf("%s failed on the device (INFO = %d)", e.Stage, e.Info)
}
