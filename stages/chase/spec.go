package chase

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk/spirv"
)

// chaseSpec returns the specialization constants of the kernel in which one team of invocations
// processes all blocks of a step. Only B and Lanes influence the bits of the result.
func chaseSpec[T spirv.Scalar](c chaseShape) (shaders.Sb2stChaseSpec, error) {
	c.tune.PerThread = stages.InRegisters[T](c.tune.PerThread)
	return fitChase(c, shaders.Sb2stChase[T], func(f chaseFit) shaders.Sb2stChaseSpec {
		return shaders.Sb2stChaseSpec{
			LocalSize: f.size, Work: f.work, Lanes: f.lanes, B: uint32(c.b), Tiles: f.tiles,
			// Retain keeps the diagonal blocks of two steps in registers. If only one block fits
			// into shared memory, two blocks are also too large for registers.
			Retain:  spirv.BoolOf(f.tiles > 1),
			Vectors: spirv.BoolOf(c.vectors), Lead: chaseLead,
			WideFence: spirv.BoolOf(c.wait.WideFence), FlagStride: c.tune.flagStride(),
		}
	})
}

type chaseFit struct {
	size  uint32 // invocations of a workgroup
	work  uint32 // invocations that compute; after them come those that wait and publish
	lanes uint32 // neighbouring invocations that share a row
	tiles uint32 // blocks in shared memory, 2 or 1
}

// fitChase chooses the sizes of a bulge chasing kernel for the band and the device, and `spec`
// makes the specialization constants from them. The kernel has two tiles (blocks of the band) in
// shared memory if they fit, and otherwise one. If the device allows too few invocations in a
// workgroup, each invocation processes more elements. The error is a *vk.UnsupportedError if one
// tile does not fit, or if the device does not allow one invocation for each row of a block,
// together with the invocations that wait.
func fitChase[S, P any](c chaseShape, kernel func() spirv.Module[S, P], spec func(chaseFit) S) (s S, err error) {
	var f chaseFit
	for lanes := lanesFor(c.b, int(c.tune.PerThread), c.subgroup()); lanes >= 1; lanes /= 2 {
		work := uint32(stages.WholeSubgroups(c.b*lanes, c.info))
		f = chaseFit{size: work, work: work, lanes: uint32(lanes), tiles: 2}
		if c.wait.Allowed {
			f.size += uint32(c.waiters())
		}
		need, err := product.SharedBytes(kernel, spec(f))
		if err != nil {
			return s, err
		}
		if c.tune.OneTile || need > c.info.SharedBytes {
			f.tiles = 1
		}
		s = spec(f)
		if need, err = product.SharedBytes(kernel, s); err != nil {
			return s, err
		}
		if need > c.info.SharedBytes {
			return s, c.refuse("bytes of shared memory", need, c.info.SharedBytes)
		}
		if int(f.size) <= c.info.MaxLocal {
			return s, nil
		}
	}
	return s, c.refuse("invocations in a workgroup", int(f.size), c.info.MaxLocal)
}

// teamsSpec chooses the sizes of the kernel sb2st_teams.comp, in which each of the three blocks of
// a step has its own team of invocations. `ok` is false if workgroups may not wait for each other,
// the tuning does not want this kernel, the device cannot run it, or there is no such kernel for T;
// chaseSpec may still find sizes for one team.
func teamsSpec[T spirv.Scalar](c chaseShape) (spec shaders.Sb2stTeamsSpec, ok bool) {
	const blocks = 3 // number of blocks of a step; each has a team
	perThread := int(c.tune.PerThread)
	if !shaders.Has[T]("sb2st_teams") || !c.wait.Allowed || c.tune.Team == 0 || c.b*c.b <= perThread*int(c.tune.Team) {
		return spec, false
	}
	// A workgroup consists of three teams, one for each block of a step; one subgroup that computes
	// the reflector; and the invocations that wait for other workgroups.
	team := stages.WholeSubgroups(int(c.tune.Team), c.info)
	size := blocks*team + c.subgroup() + c.waiters()
	if size > c.info.MaxLocal { // one team for all blocks may still fit
		return spec, false
	}
	// An invocation of the teams for the blocks C and D has at most 2·PerThread elements of a row,
	// and an invocation of the team for block A has at most PerThread elements of a column.
	spec = shaders.Sb2stTeamsSpec{
		LocalSize: uint32(size), B: uint32(c.b), Team: uint32(team), Head: uint32(c.subgroup()),
		Lanes:   uint32(lanesFor(c.b, 2*perThread, c.subgroup())),
		LanesA:  uint32(lanesFor(c.b, perThread, c.subgroup())),
		Vectors: spirv.BoolOf(c.vectors), Lead: chaseLead,
		WideFence: spirv.BoolOf(c.wait.WideFence), FlagStride: c.tune.flagStride(),
	}
	need, err := product.SharedBytes(shaders.Sb2stTeams[T], spec)
	return spec, err == nil && need <= c.info.SharedBytes
}
