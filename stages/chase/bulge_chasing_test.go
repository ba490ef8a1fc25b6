package chase

import (
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// A chaseForm is a test case of the bulge chasing: a name, and a change of the smallest tuning.
type chaseForm struct {
	name   string
	change func(*ChaseTable)
}

// Each element of these lists changes a tuning for tests of the bulge chasing. All tunings of
// oneTeam give the same bits, and so do all tunings of inTeams. The bits of the two lists differ,
// because sums have another order if each block of a step has its own team.
var (
	oneTeam = []chaseForm{
		{"flags", func(*ChaseTable) {}},
		{"waves", func(c *ChaseTable) { c.Wavefront = true }},
		{"flags, one tile", func(c *ChaseTable) { c.OneTile = true }},
		{"waves, one tile", func(c *ChaseTable) { c.OneTile, c.Wavefront = true, true }},
	}
	inTeams = []chaseForm{
		{"teams", smallTeams},
		{"teams, one workgroup", func(c *ChaseTable) { smallTeams(c); c.Groups = 1 }},
		{"larger teams", func(c *ChaseTable) { c.PerThread, c.Team = 1, 9 }},
	}
)

// smallTeams changes a tuning of the bulge chasing so that for every half-bandwidth above 1 each
// block of a step has its own team of invocations, and each team is one subgroup.
func smallTeams(c *ChaseTable) { c.PerThread, c.Team = 1, 1 }

// bothChases runs a test of the bulge chasing twice: with one team of invocations for all blocks of
// a step, and with a team for each block.
func bothChases(t *testing.T, test func(t *testing.T, tune ChaseTable)) {
	t.Run("one team", func(t *testing.T) { test(t, SmallestTuning().Chase) })
	teams := SmallestTuning().Chase
	smallTeams(&teams)
	t.Run("teams", func(t *testing.T) { test(t, teams) })
}

func TestBulgeChasing(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	var worst [2]float64
	check := func(n, b int, band []float64, forms []chaseForm) {
		var first chased
		for i, form := range forms {
			tune := SmallestTuning().Chase
			form.change(&tune)
			if tune.OneTile && b != 3 && b != 4 || b == 5 && tune.Wavefront || b*b <= int(tune.Team) {
				continue // saves time, or the band is too narrow for teams
			}
			bench := newChaseBench(t, n, b, true, tune)
			if (bench.stage.teams != nil) != (tune.Team > 0 && n > 2) {
				t.Errorf("n=%d b=%d, %s: %+v", n, b, form.name, bench.stage)
			}
			got := bench.run(band, nil)
			if i > 0 {
				if !got.same(first) {
					t.Errorf("n=%d b=%d: %s gives other bits", n, b, form.name)
				}
				continue
			}
			first = got
			similar, orthogonal := checkChased(t, n, b, band, got)
			worst[0], worst[1] = max(worst[0], similar), max(worst[1], orthogonal)
			if !(similar < chaseThreshold && orthogonal < chaseThreshold) {
				t.Errorf("n=%d b=%d, %s: B − Q2·T·Q2ᵀ %.3g, QᵀQ − I %.3g", n, b, form.name, similar, orthogonal)
			}
		}
	}
	for _, b := range []int{1, 2, 3, 4, 5, 8} {
		for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 16, 17, 23, 50} {
			band := stagetest.RandomBand(n, b)
			check(n, b, band, oneTeam)
			check(n, b, band, inTeams)
		}
	}
	t.Logf("worst: B − Q2·T·Q2ᵀ %.3g, QᵀQ − I %.3g", worst[0], worst[1])
}

// TestBulgeChasingWide checks the bulge chasing for bands as wide as the solver uses on GPUs. For
// the widest bands, each block of a step has its own team of invocations, or only one block is in
// shared memory.
func TestBulgeChasingWide(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	for _, shape := range []struct {
		name       string
		n, b, team int
	}{{"one team", 100, 32, 128}, {"teams", 130, 48, 128}, {"other", 130, 48, 0}, {"other", 120, 56, 128}} {
		t.Run(shape.name, func(t *testing.T) {
			if shape.name == "other" {
				when.Long(t, "other bands of the same kernels")
			}
			testBulgeChasingWide(t, shape.n, shape.b, shape.team)
		})
	}
}

func testBulgeChasingWide(t *testing.T, n, b, team int) {
	band := stagetest.RandomBand(n, b)
	tune := tuningFor("nvidia").Chase
	tune.Groups, tune.Team = 3, uint32(team)
	bench := newChaseBench(t, n, b, true, tune)
	if (bench.stage.teams != nil) != (b > 32 && team > 0) {
		t.Errorf("n=%d b=%d, teams of %d: %+v", n, b, team, bench.stage)
	}
	got := bench.run(band, nil)
	similar, orthogonal := checkChased(t, n, b, band, got)
	if !(similar < chaseThreshold && orthogonal < chaseThreshold) {
		t.Errorf("n=%d b=%d, teams of %d: B − Q2·T·Q2ᵀ %.3g, QᵀQ − I %.3g", n, b, team, similar, orthogonal)
	}
}

// TestBulgeChasingTwin compares the tridiagonal matrix T and the reflectors, element by element,
// with those of package ref. For a well-conditioned matrix the two agree, because the kernel and
// ref choose the same signs.
func TestBulgeChasingTwin(t *testing.T) { bothChases(t, testBulgeChasingTwin) }

func testBulgeChasingTwin(t *testing.T, smallest ChaseTable) {
	n, b := 23, 4
	band := stagetest.RandomBand(n, b)
	for c := range n {
		band[2*b*c] += 20
	}
	got := newChaseBench(t, n, b, true, smallest).run(band, nil)
	d, e, v, tau := ref.BulgeChasing(n, b, slices.Clone(band))
	for name, pair := range map[string][2][]float64{"d": {got.d, d}, "e": {got.e, e}, "v": {got.v, v}, "τ": {got.tau, tau}} {
		for i := range pair[1] {
			if diff := math.Abs(pair[0][i] - pair[1][i]); !(diff < 1e-10) {
				t.Fatalf("%s[%d] = %g, the twin says %g", name, i, pair[0][i], pair[1][i])
			}
		}
	}
}

// TestBulgeChasingScales checks the bulge chasing of bands with elements near the ends of the
// exponent range, and with columns whose elements after the first are all zero.
func TestBulgeChasingScales(t *testing.T) { bothChases(t, testBulgeChasingScales) }

func testBulgeChasingScales(t *testing.T, smallest ChaseTable) {
	n, b := 17, 4
	bench := newChaseBench(t, n, b, true, smallest)
	for name, change := range map[string]func(c, i int, x float64) float64{
		"1e300":    func(_, _ int, x float64) float64 { return x * 1e300 },
		"1e-300":   func(_, _ int, x float64) float64 { return x * 1e-300 },
		"denormal": func(_, _ int, x float64) float64 { return x * 0x1p-1060 },
		"zero":     func(_, _ int, _ float64) float64 { return 0 },
		"diagonal": func(_, i int, x float64) float64 {
			if i > 0 {
				return 0
			}
			return x
		},
		"tridiagonal": func(_, i int, x float64) float64 {
			if i > 1 {
				return 0
			}
			return x
		},
		"light tails": func(_, i int, x float64) float64 {
			if i > 1 {
				return x * 1e-300
			}
			return x * 1e300
		},
		"graded": func(c, _ int, x float64) float64 { return x * math.Pow(10, float64(-30*c)) },
		"blocks": func(c, i int, x float64) float64 {
			if c%5+i >= 5 {
				return 0
			}
			return x
		},
	} {
		band := stagetest.RandomBand(n, b)
		for c := range n {
			for i := range b + 1 {
				band[2*b*c+i] = change(c, i, band[2*b*c+i])
			}
		}
		got := bench.run(band, nil)
		// The matrix is scaled because the function checkChased divides by the norm of the matrix,
		// which must not underflow.
		power := 0
		if top := slices.Max(band); top > 0 {
			_, power = math.Frexp(top)
		}
		scale := func(x []float64) []float64 {
			y := make([]float64, len(x))
			for i := range x {
				y[i] = math.Ldexp(x[i], -power)
			}
			return y
		}
		d, e, room := scale(got.d), scale(got.e), scale(got.band)
		similar, orthogonal := checkChased(t, n, b, scale(band), chased{room, d, e, got.v, got.tau})
		if !(similar < chaseThreshold && orthogonal < chaseThreshold) {
			if name != "denormal" || !(similar < 1e20) {
				t.Errorf("%s: B − Q2·T·Q2ᵀ %.3g, QᵀQ − I %.3g", name, similar, orthogonal)
			}
		}
	}
}

// TestBulgeChasingValues checks a bulge chasing that stores no reflectors: d and e must be the same
// as with reflectors, and V and Tau must not be written.
func TestBulgeChasingValues(t *testing.T) { bothChases(t, testBulgeChasingValues) }

func testBulgeChasingValues(t *testing.T, smallest ChaseTable) {
	n, b := 23, 4
	band := stagetest.RandomBand(n, b)
	want := newChaseBench(t, n, b, true, smallest).run(band, nil)
	got := newChaseBench(t, n, b, false, smallest).run(band, nil)
	if !stagetest.SameBits(got.d, want.d) || !stagetest.SameBits(got.e, want.e) {
		t.Error("other values without vectors")
	}
	for _, x := range slices.Concat(got.v, got.tau) {
		if !math.IsNaN(x) {
			t.Fatal("V or Tau was written without vectors")
		}
	}
}
