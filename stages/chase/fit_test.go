package chase

import (
	"errors"
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TestBulgeChasingRefuses checks how many blocks of a band (tiles) the kernel keeps in shared
// memory, and that NewBulgeChasing returns an error if not even one block fits.
func TestBulgeChasingRefuses(t *testing.T) {
	for _, c := range []struct {
		family           string
		shared, b, tiles int
	}{{"nvidia", 48 << 10, 32, 2}, {"nvidia", 48 << 10, 64, 1}, {"cpu", 32 << 10, 32, 2}, {"cpu", 32 << 10, 56, 1}, {"other", 32 << 10, 56, 1}, {"other", 32 << 10, 64, 0}, {"other", 16 << 10, 32, 1}} {
		info := vk.Info{Name: c.family, Family: c.family, SharedBytes: c.shared, MaxLocal: 1024}
		chase := tuningFor(c.family).Chase
		chase.Wavefront, chase.Team = false, 0
		s, err := NewBulgeChasing[float64](vk.Dry(info), Size{1000, c.b, true}, chase.Waiting(t, vk.Dry(info)), chase.Tuning)
		var refused *vk.UnsupportedError
		if c.tiles == 0 {
			if !errors.As(err, &refused) {
				t.Errorf("%s, b=%d in %d bytes: error %v", c.family, c.b, c.shared, err)
			}
		} else if err != nil {
			t.Error(err)
		} else if got := int(s.chase.Spec.Tiles); got != c.tiles {
			t.Errorf("%s, b=%d in %d bytes: %d tiles, want %d", c.family, c.b, c.shared, got, c.tiles)
		}
	}
}

// TestBulgeChasingTeams checks for which half-bandwidths NVIDIA's tuning table gives each of the
// three blocks of a step its own team of invocations, and the sizes of the teams. If the device is
// too small for three teams, one team for all blocks may still fit.
func TestBulgeChasingTeams(t *testing.T) {
	asMeasured := shaders.Sb2stTeamsSpec{LocalSize: 480, B: 64, Team: 128, Vectors: spirv.True, Lead: chaseLead, Lanes: 4, LanesA: 8, Head: 32, FlagStride: 8}
	for _, c := range []struct {
		b, most, team, waves int
	}{{64, 1024, 128, 0}, {64, 480, 128, 0}, {64, 479, 0, 0}, {64, 1024, 0, 1}, {33, 1024, 128, 0}, {32, 1024, 0, 0}, {73, 1024, 0, 0}} {
		tune := tuningFor("nvidia").Chase
		tune.Wavefront = c.waves > 0
		info := vk.Info{Subgroup: 32, SharedBytes: 48 << 10, MaxLocal: c.most}
		s, err := NewBulgeChasing[float64](vk.Dry(info), Size{1000, c.b, true}, tune.Waiting(t, vk.Dry(info)), tune.Tuning)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if (s.teams != nil) != (c.team > 0) || (s.wave != nil) != tune.Wavefront || (s.chase != nil) == (s.teams != nil || s.wave != nil) {
			t.Errorf("%+v: %+v", c, s)
		} else if s.teams != nil && int(s.teams.Spec.Team) != c.team {
			t.Errorf("%+v: %+v", c, s.teams.Spec)
		}
		if c.b == 64 && c.team > 0 {
			asMeasured.WideFence = s.teams.Spec.WideFence // WideFence depends on the driver, and not on the table
			if s.teams.Spec != asMeasured {
				t.Errorf("%+v, measured was %+v", s.teams.Spec, asMeasured)
			}
		}
	}
}

// TestBulgeChasingDispatches checks that each sweep of the bulge chasing belongs to exactly one
// dispatch, and that no dispatch costs much more than the tuning allows.
func TestBulgeChasingDispatches(t *testing.T) {
	for _, n := range []int{3, 4, 100, 5000, 65536} {
		dev := vk.Dry(vk.Info{SharedBytes: 48 << 10, MaxLocal: 1024})
		s, err := NewBulgeChasing[float64](dev, Size{n, 32, true}, stages.Waiting{Allowed: true}, tuningFor("nvidia").Chase.Tuning)
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		for _, p := range s.parts {
			if p.First != next || p.Last <= p.First || !(p.Cost <= 1.01*s.tune.Dispatch) {
				t.Errorf("n=%d: %+v after %d", n, p, next)
			}
			next = p.Last
		}
		if next != s.Sweeps() {
			t.Errorf("n=%d: %d of %d sweeps", n, next, s.Sweeps())
		}
	}
}

func ExampleReflectorLen() {
	fmt.Println(stages.ReflectorLen(5, 2))
	// Output: 9 6
}
