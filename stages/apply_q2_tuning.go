package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
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
	Items      int     // with Flags: groups, all strips of vectors together, that keep the device busy; groups are halved until there are so many
	Group      uint32  // sweeps of a group, at most
	Chunk      uint32  // reflectors in shared memory at a time; divides Group
	Batch      uint32  // reflectors between two moves of the registers; divides Chunk
	Rows       uint32  // of a reflector that a thread holds, at most: as many neighbours share a vector; 0: all
	Private    bool    // rows that wait for the next block in a thread's own memory, not in shared memory
	Dispatch   float64 // what one dispatch may cost, in flops
}

func applyQ2Tuning(family string) ApplyQ2Tuning {
	switch family {
	case "nvidia":
		// The driver gives the workgroups of a multiprocessor some 48 KiB of shared memory together.
		return ApplyQ2Tuning{Flags: true, Workgroups: 1 << 10, Polls: 1 << 24, Threads: 128, Pipe: 2, Lanes: 1 << 14,
			Items: 1 << 12, Group: 64, Chunk: 16, Batch: 16, Rows: 32, Private: true, Dispatch: 2.5e12}
	case "cpu":
		return ApplyQ2Tuning{Threads: 16, Pipe: 1, Group: 16, Chunk: 16, Batch: 1, Dispatch: 4e8}
	}
	return ApplyQ2Tuning{Threads: 64, Pipe: 2, Lanes: 1 << 13, Group: 16, Chunk: 8, Batch: 4, Rows: 32, Dispatch: 1e11}
}

// smallestApplyQ2 reaches every path with a few rows.
func smallestApplyQ2() ApplyQ2Tuning {
	return ApplyQ2Tuning{
		Flags: true, Workgroups: 3, Polls: 1 << 30,
		Threads: 4, Group: 4, Chunk: 4, Batch: 2, Dispatch: 1e4,
	}
}

// spec fits the kernel to n, b, m and the device. What an option takes of shared
// memory is given up before the device is.
func (t ApplyQ2Tuning) spec(info vk.Info, n, b, m int, op product.Op) (shaders.OrmtrQ2TeamsSpec, error) {
	spec := shaders.OrmtrQ2TeamsSpec{
		LocalSize: uint32(wholeSubgroups(int(t.Threads), info)), B: uint32(b), G: t.Group, Chunk: t.Chunk, U: t.Batch,
		Transposed: specBool(bool(op)), Pipe: 1, Share: 1, Private: specBool(t.Private),
	}
	for !t.Flags && 2*spec.Pipe <= t.Pipe && m*int(spec.Pipe) < t.Lanes {
		spec.Pipe *= 2
	}
	for t.Rows > 0 && spec.B > t.Rows*spec.Share && (spec.B|spec.U|spec.LocalSize/spec.Pipe)%(2*spec.Share) == 0 {
		spec.Share *= 2
	}
	if spec.LocalSize%spec.Pipe != 0 || spec.U < 1 || spec.Chunk%spec.U != 0 || spec.Chunk < 1 || spec.G%spec.Chunk != 0 || spec.G < 1 {
		return spec, fmt.Errorf("stages: Q2 cannot be applied in groups of %d, chunks of %d, batches of %d by %d teams of %d threads in all", spec.G, spec.Chunk, spec.U, spec.Pipe, spec.LocalSize)
	}
	strips := vk.Tiles(m, spec.LocalSize/spec.Pipe/spec.Share)
	for t.Flags && spec.G%(2*spec.Chunk) == 0 && strips*vk.Tiles(n, spec.G) < t.Items {
		spec.G /= 2
	}
	for need := q2SharedBytes(spec); need > info.SharedBytes; need = q2SharedBytes(spec) {
		switch {
		case spec.Pipe > 1:
			spec.Pipe /= 2
		case spec.G > spec.Chunk && spec.Private == 0:
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
	v := spec.B
	if spec.Share > 1 {
		v = spec.B + (2-spec.B/spec.Share%2)*spec.Share
	}
	slots := uint32(1)
	if spec.Private == 0 {
		slots = spec.G / spec.Share * spec.LocalSize
	}
	return 8 * int(spec.Pipe*spec.Chunk*(v+1)+slots+scalars)
}
