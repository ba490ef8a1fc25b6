package stages

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk/spirv"
)

// chaseSpec fits the kernel with one team to the band and the device: with two tiles in shared
// memory if they fit, and with fewer invocations, each holding more elements, if a workgroup cannot
// have as many. The error is a *vk.UnsupportedError that names what the band needs. The bits of the
// result depend on B and Lanes.
func chaseSpec[T spirv.Scalar](c chaseShape) (spec shaders.Sb2stChaseSpec, err error) {
	// With half as many lanes, each invocation holds twice as many elements.
	for lanes := lanesFor(c.b, int(c.tune.PerThread), c.subgroup()); lanes >= 1; lanes /= 2 {
		work := wholeSubgroups(c.b*lanes, c.info)
		spec = shaders.Sb2stChaseSpec{
			LocalSize: uint32(work), Work: uint32(work), Lanes: uint32(lanes), B: uint32(c.b), Tiles: 2,
			Vectors: specBool(c.vectors), Lead: chaseLead,
			WideFence: specBool(c.wait.WideFence), FlagStride: c.flagStride(),
		}
		// Invocations that only wait and publish come after those that compute.
		if c.wait.Allowed {
			spec.LocalSize += uint32(c.waiters())
		}
		// Two tiles, or one.
		need, err := product.SharedBytes(shaders.Sb2stChase[T], spec)
		if err != nil {
			return spec, err
		}
		if c.tune.OneTile || need > c.info.SharedBytes {
			spec.Tiles = 1
		}
		// Blocks too large for two tiles are too large for registers, too.
		spec.Retain = specBool(spec.Tiles > 1)
		if need, err = product.SharedBytes(shaders.Sb2stChase[T], spec); err != nil {
			return spec, err
		}
		if need > c.info.SharedBytes {
			return spec, c.refuse("bytes of shared memory", need, c.info.SharedBytes)
		}
		if int(spec.LocalSize) <= c.info.MaxLocal {
			return spec, nil
		}
	}
	// Even one lane for each row is too much.
	return spec, c.refuse("invocations in a workgroup", int(spec.LocalSize), c.info.MaxLocal)
}

// teamsSpec fits the kernel with a team for each block of a step (sb2st_teams.comp) to the band and
// the device. ok tells whether the tuning asks for teams and they fit. If they do not, chaseSpec
// may still fit.
func teamsSpec[T spirv.Scalar](c chaseShape) (spec shaders.Sb2stTeamsSpec, ok bool) {
	const blocks = 3 // of a step, with a team each
	perThread := int(c.tune.PerThread)
	if !c.wait.Allowed || c.tune.Team == 0 || c.b*c.b <= perThread*int(c.tune.Team) {
		return spec, false
	}
	// Three teams, a subgroup that makes the reflector, and those that wait.
	team := wholeSubgroups(int(c.tune.Team), c.info)
	size := blocks*team + c.subgroup() + c.waiters()
	if size > c.info.MaxLocal { // one team for all blocks may still fit
		return spec, false
	}
	// Invocations of the teams for C and D hold twice as many elements as those for A.
	spec = shaders.Sb2stTeamsSpec{
		LocalSize: uint32(size), B: uint32(c.b), Team: uint32(team), Head: uint32(c.subgroup()),
		Lanes:   uint32(lanesFor(c.b, 2*perThread, c.subgroup())),
		LanesA:  uint32(lanesFor(c.b, perThread, c.subgroup())),
		Vectors: specBool(c.vectors), Lead: chaseLead,
		WideFence: specBool(c.wait.WideFence), FlagStride: c.flagStride(),
	}
	need, err := product.SharedBytes(shaders.Sb2stTeams[T], spec)
	return spec, err == nil && need <= c.info.SharedBytes
}
