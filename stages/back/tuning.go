package back

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// ApplyQ2Tuning is the set of sizes of ApplyQ2. A group is a set of neighbouring sweeps whose
// reflectors are applied in one pass over the vectors. A strip is a set of neighbouring vectors. An
// item of work is one group on one strip.
type ApplyQ2Tuning struct {
	// With Flags, successive groups are processed by different workgroups, which wait for each
	// other by flags. Without Flags, they are processed by the teams of a workgroup.
	Flags bool

	// Workgroups is the largest number of workgroups of a dispatch with Flags.
	Workgroups int

	// Polls is the number of times that a waiting workgroup reads a flag before the wait fails. It
	// is used only with Flags.
	Polls uint32

	// Threads is the number of invocations of a workgroup. It is rounded up to whole subgroups.
	Threads uint32

	// Pipe is the largest number of teams in a workgroup without Flags, a power of two dividing
	// Threads.
	Pipe uint32

	// Lanes is the number of invocations that keep the device busy. Without Flags, the number of
	// teams in a workgroup is doubled until all workgroups together have `Lanes` invocations.
	Lanes int

	// Items is the number of items that keep the device busy. With Flags, the size of groups is
	// halved until there are `Items` items.
	Items int

	// Group is the largest number of sweeps in a group.
	Group uint32

	// Chunk is the number of reflectors that are in shared memory at a time. It divides Group.
	Chunk uint32

	// Batch is the number of reflectors that an invocation applies before it moves the elements of
	// its vectors to other registers. It divides Chunk.
	Batch uint32

	// Rows is the largest number of rows of a reflector that one invocation keeps in registers. For
	// a larger half-bandwidth, neighbouring invocations share a vector. 0 means no limit.
	Rows uint32

	// Private selects the memory for those rows of the vectors that two successive blocks of
	// reflectors both change: an invocation's private memory if Private is true, shared memory
	// otherwise.
	Private bool

	// Dispatch is the approximate cost of the largest dispatch of ApplyQ2, in flops.
	Dispatch float64

	Squares Q2SquareTuning
}

type Q2SquareTuning struct {
	// Sweeps is the number of sweeps in a square, rounded up to whole groups. The products have an
	// inner dimension of about 2·Sweeps. If Sweeps is 0, ApplyQ2Squares is never used.
	Sweeps int

	// Gain is the smallest ratio of the rates of emulated and native products for which
	// ApplyQ2Squares is used. If Gain is 0, ApplyQ2Squares is used with all emulated products, even
	// if their rates were not measured.
	Gain float64

	// From is the smallest number of vectors for which ApplyQ2Squares was measured to be faster, if
	// the ratio of the rates is at least Gain. If From is 0, the numbers of flops decide.
	From int `json:",omitempty"`
}

// Faster estimates whether ApplyQ2Squares is faster than ApplyQ2 for m vectors. `gain` is the ratio
// of the rates of emulated and native products, or 0 if it is not known. ApplyQ2 needs 2·n²·m
// flops. ApplyQ2Squares needs 2·n²·Sweeps flops, and 4·n²·m flops in products.
func (t Q2SquareTuning) Faster(m int, gain float64) bool {
	if t.Sweeps == 0 || t.Gain == 0 {
		return t.Sweeps > 0
	}
	if t.From > 0 {
		return gain >= t.Gain && m >= t.From
	}
	return gain >= t.Gain && float64(m)*(1-2/gain) > float64(t.Sweeps)
}

// Fits returns nil if Q2 of half-bandwidth b can be applied to doubles with these sizes on the
// device. Otherwise the error is a *vk.UnsupportedError, or names the sizes that contradict each
// other.
func (t ApplyQ2Tuning) Fits(info vk.Info, b int) error { return FitsQ2[float64](t, info, b) }

// FitsQ2 is Fits for numbers of type T.
func FitsQ2[T spirv.Scalar](t ApplyQ2Tuning, info vk.Info, b int) error {
	const large = 1 << 14
	// On devices where workgroups may not wait for each other, ApplyQ2 divides each workgroup into
	// teams instead. So the sizes must fit this form, too.
	for _, flags := range []bool{t.Flags, false} {
		t.Flags = flags
		spec, err := q2Spec[T](t, info, Size{N: large, B: b, M: large}, product.NoTrans)
		if err != nil {
			return err
		}
		if int(spec.LocalSize) > info.MaxLocal {
			return &vk.UnsupportedError{Device: info.Name, Feature: "invocations in a workgroup",
				Need: fmt.Sprint(spec.LocalSize), Have: fmt.Sprint(info.MaxLocal)}
		}
	}
	return nil
}

// q2Spec returns the specialization constants for the sizes t. It reduces sizes that need more
// shared memory than the device has. If even the smallest sizes do not fit, it returns a
// *vk.UnsupportedError.
func q2Spec[T spirv.Scalar](
	t ApplyQ2Tuning, info vk.Info, size Size, op product.Op,
) (shaders.OrmtrQ2TeamsSpec, error) {
	spec := shaders.OrmtrQ2TeamsSpec{
		LocalSize: uint32(stages.WholeSubgroups(int(t.Threads), info)), B: uint32(size.B), G: t.Group, Chunk: t.Chunk, U: t.Batch,
		Transposed: spirv.BoolOf(op == product.Adjoint), Pipe: 1, Share: 1, Private: spirv.BoolOf(t.Private),
	}
	for !t.Flags && 2*spec.Pipe <= t.Pipe && size.M*int(spec.Pipe) < t.Lanes {
		spec.Pipe *= 2
	}
	rows := stages.InRegisters[T](t.Rows)
	for rows > 0 && spec.B > rows*spec.Share && (spec.B|spec.U|spec.LocalSize/spec.Pipe)%(2*spec.Share) == 0 {
		spec.Share *= 2
	}
	if spec.LocalSize%spec.Pipe != 0 || spec.LocalSize < spec.Pipe*spec.Share || spec.U < 1 || spec.Chunk%spec.U != 0 || spec.Chunk < 1 ||
		spec.G%spec.Chunk != 0 || spec.G < 1 {
		return spec, fmt.Errorf("stages: Q2 cannot be applied in groups of %d, chunks of %d, batches of %d "+
			"by %d teams of %d threads in all", spec.G, spec.Chunk, spec.U, spec.Pipe, spec.LocalSize)
	}
	strips := vk.Tiles(size.M, spec.LocalSize/spec.Pipe/spec.Share)
	for t.Flags && spec.G%(2*spec.Chunk) == 0 && strips*vk.Tiles(size.N, spec.G) < t.Items {
		spec.G /= 2
	}
	// Reduce the shared memory: first by fewer teams in a workgroup, then by fewer sweeps in a
	// group. Shared memory holds the rows of the vectors that two successive blocks of reflectors
	// have in common, and smaller groups have fewer of these rows.
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
			feature := fmt.Sprintf("bytes of shared memory for reflectors of %d", size.B)
			return spec, &vk.UnsupportedError{Device: info.Name, Feature: feature,
				Need: fmt.Sprint(need), Have: fmt.Sprint(info.SharedBytes)}
		}
	}
}

// q2Shared returns the bytes of shared memory that the kernel ormtr_q2 needs, in the form with
// flags or in the form with teams.
func q2Shared[T spirv.Scalar](spec shaders.OrmtrQ2TeamsSpec, flags bool) (bytes int, err error) {
	if flags {
		return product.SharedBytes(shaders.OrmtrQ2Flags[T], flagsSpec(spec, false))
	}
	return product.SharedBytes(shaders.OrmtrQ2Teams[T], spec)
}

func flagsSpec(x shaders.OrmtrQ2TeamsSpec, wideFence bool) shaders.OrmtrQ2FlagsSpec {
	return shaders.OrmtrQ2FlagsSpec{
		LocalSize: x.LocalSize, B: x.B, G: x.G, Chunk: x.Chunk, U: x.U, Transposed: x.Transposed,
		Share: x.Share, Private: x.Private,
		WideFence: spirv.BoolOf(wideFence), FlagStride: q2FlagStride,
	}
}
