package stages

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// teamsSpec fits the form with a team for each block of a step (shaders/glsl/chase/sb2st_teams.comp) to the band and
// the device, and tells whether the tuning wants it and it fits.
func (s *BulgeChasing) teamsSpec(info vk.Info) (spec shaders.Sb2stTeamsSpec, ok bool) {
	const blocks = 3
	own := int(s.tune.Own)
	if s.tune.Wavefront || s.tune.Team == 0 || s.b*s.b <= own*int(s.tune.Team) {
		return spec, false
	}
	subgroup := max(1, info.Subgroup)
	team := wholeSubgroups(int(s.tune.Team), info)
	size := blocks*team + subgroup + s.spare(info)
	if size > info.MaxLocal {
		return spec, false
	}
	spec = shaders.Sb2stTeamsSpec{
		LocalSize: uint32(size), B: uint32(s.b), Team: uint32(team), Head: uint32(subgroup),
		Lanes: uint32(lanesFor(s.b, 2*own, subgroup)), LanesA: uint32(lanesFor(s.b, own, subgroup)),
		Vectors: specBool(s.vectors), Lead: chaseLead,
		WideFence: specBool(s.tune.wideFence(info)), FlagStride: s.flagStride(),
	}
	return spec, teamsSharedBytes(spec) <= info.SharedBytes
}

// teamsSharedBytes is what sb2st_teams.comp declares as shared.
func teamsSharedBytes(spec shaders.Sb2stTeamsSpec) int {
	b := int(spec.B)
	const words = 4
	ld := vk.Tiles(b, 16)*16 + max(1, 16/int(spec.Lanes))
	return 8*(b*ld+3*b+2) + 4*words
}
