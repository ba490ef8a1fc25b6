package stages

import (
	"fmt"
	"math/bits"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Builder builds kernels one after another and keeps the first error.
type Builder struct {
	Dev *vk.Device
	Err error // of the first kernel that could not be built
}

// Build builds a kernel with vk.Build. After an error it returns nil.
func Build[S, P any](b *Builder, m spirv.Module[S, P], spec S) *vk.Kernel[S, P] {
	if b.Err != nil {
		return nil
	}
	k, err := vk.Build(b.Dev, m, spec)
	b.Err = err
	return k
}

// Threads returns the largest power of two that is at most `most` and that the device allows as the
// size of a workgroup.
func (b *Builder) Threads(most int) uint32 {
	if info := b.Dev.Info(); info.MaxLocal > 0 {
		most = min(most, info.MaxLocal)
	}
	return 1 << (bits.Len(uint(most)) - 1)
}

// WholeSubgroups rounds a number of invocations up to a multiple of the subgroup size. Kernels that
// exchange values within a subgroup need full subgroups.
func WholeSubgroups(threads int, info vk.Info) int {
	subgroup := max(1, info.Subgroup)
	return vk.Tiles(threads, uint32(subgroup)) * subgroup
}

// Shared is the shared memory that a kernel declares, in bytes. Err is set if the SPIR-V module
// does not determine the size.
type Shared struct {
	Bytes int
	Err   error
}

func SharedOf[S, P any](kernel func() spirv.Module[S, P], spec S) Shared {
	bytes, err := product.SharedBytes(kernel, spec)
	return Shared{bytes, err}
}

// MostShared is the largest size of several kernels that run one after another. A workgroup has
// shared memory only while its dispatch runs.
func MostShared(all ...Shared) (bytes int, err error) {
	for _, s := range all {
		if s.Err != nil {
			return 0, s.Err
		}
		bytes = max(bytes, s.Bytes)
	}
	return bytes, nil
}

// InfoError is the error of a stage whose kernel has set its INFO word, which the stage's method
// Info explains.
type InfoError struct {
	Stage string // phase of the solve, such as PhaseBulgeChasing
	Info  uint32 // value of the INFO word; not 0
	Cause Cause  // why the stage failed
}

// Cause says why a stage has failed. A plan can avoid all causes but CauseDefect.
type Cause int

const (
	CauseDefect  Cause = iota // a kernel has not found a result
	CauseMeet                 // a workgroup has waited in vain for all other workgroups of its dispatch
	CauseWait                 // a workgroup has waited in vain for workgroups that had started before
	CauseRefused              // emulated products have refused rows of a factor
)

func (e *InfoError) Error() string {
	return fmt.Sprintf("%s failed on the device (INFO = %d)", e.Stage, e.Info)
}
