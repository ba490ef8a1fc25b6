package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// ApplyQ2Tuning is what is measured for ApplyQ2.
type ApplyQ2Tuning struct {
	Flags      bool    // groups of sweeps follow each other in different workgroups, not in teams of one
	Workgroups int     // with Flags: that run at the same time
	Polls      uint32  // with Flags: looks at a flag before waiting is given up
	Threads    uint32  // a workgroup
	Pipe       uint32  // without Flags: teams, at most; a power of two that divides Threads
	Lanes      int     // without Flags: threads that keep the device busy; there are more teams until there are so many
	Group      uint32  // sweeps of a group
	Chunk      uint32  // reflectors in shared memory at a time; divides Group
	Batch      uint32  // reflectors between two moves of the registers; divides Chunk
	Overlap    bool    // a reflector's dot product is summed while the one before it is applied
	Ahead      bool    // the next block's rows are brought while a block is worked on; one team at a time
	Stride     uint32  // with Flags: blocks between two looks at a flag; 0 is 1
	Dispatch   float64 // what one dispatch may cost, in flops
}

func applyQ2Tuning(family string) ApplyQ2Tuning {
	switch family {
	case "nvidia":
		return ApplyQ2Tuning{Flags: true, Workgroups: 1 << 10, Polls: 1 << 24, Threads: 64, Pipe: 2, Lanes: 1 << 14, Group: 16, Chunk: 8, Batch: 8, Dispatch: 2.5e12}
	case "cpu":
		return ApplyQ2Tuning{Threads: 16, Pipe: 1, Group: 16, Chunk: 16, Batch: 1, Dispatch: 4e8}
	}
	return ApplyQ2Tuning{Threads: 64, Pipe: 2, Lanes: 1 << 13, Group: 16, Chunk: 8, Batch: 4, Dispatch: 1e11}
}

// smallestApplyQ2 reaches every path with a few rows.
func smallestApplyQ2() ApplyQ2Tuning {
	return ApplyQ2Tuning{
		Flags: true, Workgroups: 3, Polls: 1 << 30,
		Threads: 4, Group: 4, Chunk: 4, Batch: 2, Dispatch: 1e4,
	}
}

// spec fits the kernel to b, m and the device. What an option takes of shared
// memory is given up before the device is.
func (t ApplyQ2Tuning) spec(info vk.Info, b, m int, op Op) (shaders.OrmtrQ2TeamsSpec, error) {
	spec := shaders.OrmtrQ2TeamsSpec{
		LocalSize: t.Threads, B: uint32(b), G: t.Group, Chunk: t.Chunk, U: t.Batch,
		Transposed: specBool(bool(op)), Pipe: 1, Overlap: specBool(t.Overlap),
	}
	for !t.Flags && 2*spec.Pipe <= t.Pipe && m*int(spec.Pipe) < t.Lanes {
		spec.Pipe *= 2
	}
	if spec.LocalSize%spec.Pipe != 0 || spec.U < 1 || spec.Chunk%spec.U != 0 || spec.Chunk < 1 || spec.G%spec.Chunk != 0 || spec.G < 1 {
		return spec, fmt.Errorf("stages: Q2 cannot be applied in groups of %d, chunks of %d, batches of %d by %d teams of %d threads in all", spec.G, spec.Chunk, spec.U, spec.Pipe, spec.LocalSize)
	}
	spec.Ahead = specBool(t.Ahead && spec.Pipe == 1)
	for need := q2SharedBytes(spec); need > info.SharedBytes; need = q2SharedBytes(spec) {
		switch {
		case spec.Pipe > 1:
			spec.Pipe /= 2
		case spec.Ahead != 0:
			spec.Ahead = 0
		case spec.G > spec.Chunk:
			spec.G -= spec.Chunk
		default:
			return spec, &vk.UnsupportedError{Device: info.Name, Feature: fmt.Sprintf("bytes of shared memory for reflectors of %d", b),
				Need: fmt.Sprint(need), Have: fmt.Sprint(info.SharedBytes)}
		}
	}
	return spec, nil
}

// q2SharedBytes is what ormtr_q2.comp declares as shared.
func q2SharedBytes(spec shaders.OrmtrQ2TeamsSpec) int {
	const scalars = 1
	ahead := uint32(1)
	if spec.Ahead != 0 {
		ahead = spec.B * spec.LocalSize
	}
	return 8 * int(spec.Pipe*spec.Chunk*(spec.B+1)+spec.G*spec.LocalSize+ahead+scalars)
}
