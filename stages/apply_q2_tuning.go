package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// ApplyQ2Tuning is the sizes of ApplyQ2. A group is the neighbouring sweeps whose reflectors act in one pass
// over the vectors. Vectors are cut into strips, one for each workgroup or team.
type ApplyQ2Tuning struct {
	Flags      bool    // groups follow each other in different workgroups, which wait by flags; else in teams within a workgroup
	Workgroups int     // with Flags: workgroups of a dispatch, at most
	Polls      uint32  // with Flags: poll limit
	Threads    uint32  // invocations of a workgroup
	Pipe       uint32  // without Flags: teams, at most; a power of two that divides Threads
	Lanes      int     // without Flags: invocations that fill the device; the number of teams grows until there are as many
	Items      int     // with Flags: groups times strips that fill the device; groups are halved until there are as many
	Group      uint32  // sweeps of a group, at most
	Chunk      uint32  // reflectors in shared memory at a time; divides Group
	Batch      uint32  // reflectors between two shifts of the registers; divides Chunk
	Rows       uint32  // rows of a reflector that an invocation holds, at most; so many neighbours share a vector; 0: all rows
	Private    bool    // rows that wait for the next block lie in an invocation's own memory, not in shared memory
	Dispatch   float64 // cost of one dispatch, in flops, at which it ends
}

// Fits is nil if Q2 of half-bandwidth b can be applied to doubles with these sizes on the device. Else it says
// what contradicts itself, or is a *vk.UnsupportedError.
func (t ApplyQ2Tuning) Fits(info vk.Info, b int) error {
	const large = 1 << 14
	for _, flags := range []bool{t.Flags, false} {
		t.Flags = flags
		spec, err := q2Spec[float64](t, info, BackSize{N: large, B: b, M: large}, product.NoTrans)
		if err != nil {
			return err
		}
		if int(spec.LocalSize) > info.MaxLocal {
			return &vk.UnsupportedError{Device: info.Name, Feature: "invocations in a workgroup", Need: fmt.Sprint(spec.LocalSize), Have: fmt.Sprint(info.MaxLocal)}
		}
	}
	return nil
}

// q2Spec fits the kernel to a size and the device. What an option takes of shared memory is given up
// before the device is refused.
func q2Spec[T spirv.Scalar](t ApplyQ2Tuning, info vk.Info, size BackSize, op product.Op) (shaders.OrmtrQ2TeamsSpec, error) {
	spec := shaders.OrmtrQ2TeamsSpec{
		LocalSize: uint32(wholeSubgroups(int(t.Threads), info)), B: uint32(size.B), G: t.Group, Chunk: t.Chunk, U: t.Batch,
		Transposed: specBool(bool(op)), Pipe: 1, Share: 1, Private: specBool(t.Private),
	}
	for !t.Flags && 2*spec.Pipe <= t.Pipe && size.M*int(spec.Pipe) < t.Lanes {
		spec.Pipe *= 2
	}
	for t.Rows > 0 && spec.B > t.Rows*spec.Share && (spec.B|spec.U|spec.LocalSize/spec.Pipe)%(2*spec.Share) == 0 {
		spec.Share *= 2
	}
	if spec.LocalSize%spec.Pipe != 0 || spec.U < 1 || spec.Chunk%spec.U != 0 || spec.Chunk < 1 || spec.G%spec.Chunk != 0 || spec.G < 1 {
		return spec, fmt.Errorf("stages: Q2 cannot be applied in groups of %d, chunks of %d, batches of %d by %d teams of %d threads in all",
			spec.G, spec.Chunk, spec.U, spec.Pipe, spec.LocalSize)
	}
	strips := vk.Tiles(size.M, spec.LocalSize/spec.Pipe/spec.Share)
	for t.Flags && spec.G%(2*spec.Chunk) == 0 && strips*vk.Tiles(size.N, spec.G) < t.Items {
		spec.G /= 2
	}
	for {
		need, err := q2Shared[T](spec, t.Flags)
		switch {
		case err != nil || need <= info.SharedBytes:
			return spec, err
		case spec.Pipe > 1:
			spec.Pipe /= 2
		case spec.G > spec.Chunk && spec.Private == spirv.False:
			spec.G -= spec.Chunk
		default:
			return spec, &vk.UnsupportedError{Device: info.Name, Feature: fmt.Sprintf("bytes of shared memory for reflectors of %d", size.B),
				Need: fmt.Sprint(need), Have: fmt.Sprint(info.SharedBytes)}
		}
	}
}

// q2Shared is the shared memory of the form that waits by flags, or of the other one.
func q2Shared[T spirv.Scalar](spec shaders.OrmtrQ2TeamsSpec, flags bool) (bytes int, err error) {
	if flags {
		return product.SharedBytes(shaders.OrmtrQ2Flags[T], flagsSpec(spec, false))
	}
	return product.SharedBytes(shaders.OrmtrQ2Teams[T], spec)
}

// flagsSpec is the shape of the form that waits by flags.
func flagsSpec(x shaders.OrmtrQ2TeamsSpec, wideFence bool) shaders.OrmtrQ2FlagsSpec {
	return shaders.OrmtrQ2FlagsSpec{
		LocalSize: x.LocalSize, B: x.B, G: x.G, Chunk: x.Chunk, U: x.U, Transposed: x.Transposed,
		Share: x.Share, Private: x.Private,
		WideFence: specBool(wideFence), FlagStride: q2FlagStride,
	}
}
