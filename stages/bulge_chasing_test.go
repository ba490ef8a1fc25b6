package stages

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/tests/ratio"
	"github.com/vkevd/vkevd/vk"
)

// chased is what a bulge chasing leaves behind.
type chased struct{ band, d, e, v, tau []float64 }

func (c chased) same(o chased) bool {
	return sameBits(c.d, o.d) && sameBits(c.e, o.e) && sameBits(c.v, o.v) && sameBits(c.tau, o.tau) && sameBits(c.band, o.band)
}

// TestBulgeChasingLong is for real GPUs, where a missing fence shows: VKEVD_CHASES
// runs of the device's own tuning at order 2048, with varied grids, against the waves.
func TestBulgeChasingLong(t *testing.T) {
	runs, _ := strconv.Atoi(os.Getenv("VKEVD_CHASES"))
	if runs == 0 {
		t.Skip("VKEVD_CHASES asks for no runs")
	}
	const n, b = 2048, 32
	band := randomBand(n, b)
	tune := chaseTuning(testDevice(t).Info().Family)
	waves := tune
	waves.Wavefront = true
	want := newChaseBench(t, n, b, true, waves).run(band, nil)
	grids := []int{1, 2, 7, 33, 132, 200, 264, 500}
	for _, groups := range grids {
		tune.Groups = groups
		bench := newChaseBench(t, n, b, true, tune)
		for range (runs + len(grids) - 1) / len(grids) {
			if !bench.run(band, nil).same(want) {
				t.Fatalf("%d workgroups give other bits than the waves", groups)
			}
		}
	}
}

func sameBits(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
}

// chaseBench is a stage with its memory, for many runs.
type chaseBench struct {
	t            testing.TB
	dev          *vk.Device
	stage        *BulgeChasing
	ws           *vk.Arena
	band         vk.Slice[float64]
	d, e, v, tau vk.Slice[float64]
}

func newChaseBench(t testing.TB, n, b int, vectors bool, tune ChaseTuning) *chaseBench {
	t.Helper()
	dev := testDevice(t)
	stage, err := NewBulgeChasing(dev, n, vectors, Tuning{Band: b, Chase: tune})
	if err != nil {
		t.Fatal(err)
	}
	lv, lt := ReflectorLen(n, b)
	real := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
	band, d, e, v, tau := real("band", 2*b*n), real("d", n), real("e", max(0, n-1)), real("v", lv), real("tau", lt)
	ws := arena(t, dev, vk.Together(stage.Work(), band, d, e, v, tau))
	return &chaseBench{t, dev, stage, ws, band.In(ws), d.In(ws), e.In(ws), v.In(ws), tau.In(ws)}
}

// run chases in a poisoned arena. record, if not nil, takes the place of the stage's own.
func (c *chaseBench) run(band []float64, record func(rec *vk.Recorder)) chased {
	c.t.Helper()
	rec := vk.NewRecorder(c.dev)
	c.ws.Poison(rec)
	run(c.t, c.dev, rec)
	put(c.t, c.dev, c.band, band)
	rec = vk.NewRecorder(c.dev)
	if record != nil {
		record(rec)
	} else {
		c.stage.Record(rec, c.ws, c.band, c.d, c.e, c.v, c.tau)
	}
	run(c.t, c.dev, rec)
	if info := c.stage.Info(c.ws); info.Len() > 0 {
		if got := get(c.t, c.dev, info); got[0] != 0 {
			c.t.Fatalf("INFO = %d", got[0])
		}
	}
	return chased{get(c.t, c.dev, c.band), get(c.t, c.dev, c.d), get(c.t, c.dev, c.e), get(c.t, c.dev, c.v), get(c.t, c.dev, c.tau)}
}

// randomBand is a compact band with normal entries, its room for the bulge zero.
func randomBand(n, b int) []float64 {
	r := rand.New(rand.NewPCG(uint64(n), uint64(b)))
	band := make([]float64, 2*b*n)
	for c := range n {
		for i := range min(b+1, n-c) {
			band[2*b*c+i] = r.NormFloat64()
		}
	}
	return band
}

// fullBand is the symmetric matrix of a compact band.
func fullBand(n, b int, band []float64) []float64 {
	a := make([]float64, n*n)
	for c := range n {
		for i := range min(2*b, n-c) {
			a[c+i+c*n], a[c+(c+i)*n] = band[2*b*c+i], band[2*b*c+i]
		}
	}
	return a
}

// checkChased holds a result against the band it came from.
func checkChased(t testing.TB, n, b int, before []float64, got chased) (similarity, orthogonality float64) {
	t.Helper()
	for c := range n {
		for i := range min(2*b, n-c) {
			want := 0.0
			switch i {
			case 0:
				want = got.d[c]
			case 1:
				want = got.e[c]
			}
			if x := got.band[2*b*c+i]; x != want {
				t.Fatalf("n=%d b=%d: (%d, %d) of the band is %g, not %g", n, b, c+i, c, x, want)
			}
		}
	}
	for s := range ref.Sweeps(n) {
		for j := range ref.Steps(n, b) {
			tau, r := got.tau[s*ref.Steps(n, b)+j], s+1+j*b
			if r >= n && tau != 0 || tau != 0 && (tau < 1 || tau > 2+1e-15) {
				t.Fatalf("n=%d b=%d: τ(%d, %d) = %g", n, b, s, j, tau)
			}
			if b > 1 && r < n && got.v[ref.VOffset(n, s)+j*b] != 1 {
				t.Fatalf("n=%d b=%d: v(%d, %d) begins with %g", n, b, s, j, got.v[ref.VOffset(n, s)+j*b])
			}
		}
	}
	q := identity(n)
	if b > 1 {
		ref.ApplyQ2(n, b, got.v, got.tau, n, q, n)
	}
	// B·Q2 − Q2·T, column by column
	a := fullBand(n, b, before)
	var norm, worst float64
	for j := range n {
		var sum, col float64
		for i := range n {
			col += math.Abs(a[i+j*n])
			r := -q[i+j*n] * got.d[j]
			if j > 0 {
				r -= q[i+(j-1)*n] * got.e[j-1]
			}
			if j < n-1 {
				r -= q[i+(j+1)*n] * got.e[j]
			}
			for k := range n {
				r += a[i+k*n] * q[k+j*n]
			}
			sum += math.Abs(r)
		}
		norm, worst = max(norm, col), max(worst, sum)
	}
	if n > 0 && norm > 0 {
		similarity = worst / (norm * float64(n) * ratio.Ulp)
	}
	return similarity, ratio.Orthogonality(n, n, q, n)
}

func identity(n int) []float64 {
	q := make([]float64, n*n)
	for i := range n {
		q[i+i*n] = 1
	}
	return q
}

const chaseThreshold = 5 // LAPACK's tests of its two-stage reduction allow 60

func TestBulgeChasing(t *testing.T) {
	var worst [2]float64
	for _, b := range []int{1, 2, 3, 4, 5, 8} {
		for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 16, 17, 23, 50} {
			band := randomBand(n, b)
			var first chased
			for i, form := range []struct {
				name           string
				oneTile, waves bool
			}{{"flags", false, false}, {"waves", false, true}, {"flags, one tile", true, false}, {"waves, one tile", true, true}} {
				if (form.oneTile && b != 3 && b != 4) || (b == 5 && form.waves) {
					continue // time
				}
				tune := smallestChase()
				tune.OneTile, tune.Wavefront = form.oneTile, form.waves
				got := newChaseBench(t, n, b, true, tune).run(band, nil)
				if i == 0 {
					first = got
					similar, orthogonal := checkChased(t, n, b, band, got)
					worst[0], worst[1] = max(worst[0], similar), max(worst[1], orthogonal)
					if !(similar < chaseThreshold && orthogonal < chaseThreshold) {
						t.Errorf("n=%d b=%d: B − Q2·T·Q2ᵀ %.3g, QᵀQ − I %.3g", n, b, similar, orthogonal)
					}
				} else if !got.same(first) {
					t.Errorf("n=%d b=%d: %s gives other bits", n, b, form.name)
				}
			}
		}
	}
	t.Logf("worst: B − Q2·T·Q2ᵀ %.3g, QᵀQ − I %.3g", worst[0], worst[1])
}

// TestBulgeChasingWide: bands as wide as on GPUs, the wider in one tile for lack of memory.
func TestBulgeChasingWide(t *testing.T) {
	for _, shape := range [][2]int{{100, 32}, {130, 48}, {40, 48}} {
		n, b := shape[0], shape[1]
		band := randomBand(n, b)
		tune := chaseTuning("nvidia")
		tune.Groups = 3
		got := newChaseBench(t, n, b, true, tune).run(band, nil)
		similar, orthogonal := checkChased(t, n, b, band, got)
		if !(similar < chaseThreshold && orthogonal < chaseThreshold) {
			t.Errorf("n=%d b=%d: B − Q2·T·Q2ᵀ %.3g, QᵀQ − I %.3g", n, b, similar, orthogonal)
		}
	}
}

// TestBulgeChasingTwin: the kernel and ref choose the same signs, so on a tame
// matrix T itself agrees.
func TestBulgeChasingTwin(t *testing.T) {
	n, b := 23, 4
	band := randomBand(n, b)
	for c := range n {
		band[2*b*c] += 20
	}
	got := newChaseBench(t, n, b, true, smallestChase()).run(band, nil)
	d, e, v, tau := ref.BulgeChasing(n, b, slices.Clone(band))
	for name, pair := range map[string][2][]float64{"d": {got.d, d}, "e": {got.e, e}, "v": {got.v, v}, "τ": {got.tau, tau}} {
		for i := range pair[1] {
			if diff := math.Abs(pair[0][i] - pair[1][i]); !(diff < 1e-10) {
				t.Fatalf("%s[%d] = %g, the twin says %g", name, i, pair[0][i], pair[1][i])
			}
		}
	}
}

// TestBulgeChasingManyTimes: whoever takes which sweep when, the bits are the same.
func TestBulgeChasingManyTimes(t *testing.T) {
	n, b := 24, 3
	band := randomBand(n, b)
	var first chased
	for groups := 1; groups <= 8; groups++ {
		tune := smallestChase()
		tune.Groups = groups
		tune.WideFence = groups%2 == 0
		bench := newChaseBench(t, n, b, true, tune)
		for range 25 {
			got := bench.run(band, nil)
			if first.d == nil {
				first = got
			}
			if !got.same(first) {
				t.Fatalf("%d workgroups give other bits", groups)
			}
		}
	}
}

// TestBulgeChasingRule: a sweep that is one step too early spoils the result.
// In the wave form the newest sweep of a wave goes first, which is the worst order.
func TestBulgeChasingRule(t *testing.T) {
	n, b := 40, 3
	band := randomBand(n, b)
	tune := smallestChase()
	tune.Wavefront = true
	bench := newChaseBench(t, n, b, true, tune)
	right := bench.run(band, nil)
	for _, stride := range []int{1 + chaseLead + 1, 1 + chaseLead, chaseLead} {
		got := bench.run(band, func(rec *vk.Recorder) {
			bench.stage.recordWaves(rec, bench.band, bench.v, bench.tau, stride)
		})
		if safe := stride > chaseLead; sameBits(got.band, right.band) != safe {
			t.Errorf("a sweep begins %d waves after the one before it: right is %v", stride, !safe)
		}
	}
}

// TestBulgeChasingScales: entries near the ends of the exponent range, and tails that are zero.
func TestBulgeChasingScales(t *testing.T) {
	n, b := 17, 4
	bench := newChaseBench(t, n, b, true, smallestChase())
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
		band := randomBand(n, b)
		for c := range n {
			for i := range b + 1 {
				band[2*b*c+i] = change(c, i, band[2*b*c+i])
			}
		}
		got := bench.run(band, nil)
		// checkChased divides by the norm, which must not vanish.
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

// TestBulgeChasingValues: without vectors d and e are the same, and V and Tau are left alone.
func TestBulgeChasingValues(t *testing.T) {
	n, b := 23, 4
	band := randomBand(n, b)
	want := newChaseBench(t, n, b, true, smallestChase()).run(band, nil)
	got := newChaseBench(t, n, b, false, smallestChase()).run(band, nil)
	if !sameBits(got.d, want.d) || !sameBits(got.e, want.e) {
		t.Error("other values without vectors")
	}
	for _, x := range slices.Concat(got.v, got.tau) {
		if !math.IsNaN(x) {
			t.Fatal("V or Tau was written without vectors")
		}
	}
}

// claimed prepares a dispatch in which sweep 1 is claimed and sweep 0 never will be.
func (c *chaseBench) claimed(polls uint32) *vk.Recorder {
	rec := vk.NewRecorder(c.dev)
	words := c.stage.words.In(c.ws)
	vk.Fill(rec, words, 0)
	vk.Fill(rec, words.Sub(1, 1), 1)
	c.stage.chase.Dispatch(rec, vk.Grid(2), shaders.Sb2stChasePush{
		Band: c.band.Addr(), V: c.v.Addr(), Tau: c.tau.Addr(), N: uint32(c.stage.n), First: 0, Last: uint32(c.stage.sweeps()), Polls: polls,
		Info: words.Addr(), Ticket: words.From(1).Addr(), Flags: words.From(1 + len(c.stage.parts)).Addr(), AbortWord: c.stage.abort,
	})
	return rec
}

// TestBulgeChasingGivesUp: a wait in vain ends, and says so.
func TestBulgeChasingGivesUp(t *testing.T) {
	bench := newChaseBench(t, 24, 3, true, smallestChase())
	run(t, bench.dev, bench.claimed(1000))
	if got := get(t, bench.dev, bench.stage.Info(bench.ws)); got[0] != 1 && got[0] != 2 {
		t.Errorf("INFO = %d, want 1 or 2: sweeps 0 and 1 were waited for", got[0])
	}
}

// TestBulgeChasingAborts: a wait ends when the context does.
func TestBulgeChasingAborts(t *testing.T) {
	bench := newChaseBench(t, 24, 3, true, smallestChase())
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := bench.dev.Run(ctx, bench.claimed(math.MaxUint32), nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if spent := time.Since(began); spent > 5*time.Second {
		t.Errorf("it took %v", spent)
	}
	if got := get(t, bench.dev, bench.stage.Info(bench.ws)); got[0] != 0 {
		t.Errorf("INFO = %d after an abort", got[0])
	}
}

// TestBulgeChasingRefuses: a band that does not fit the shared memory is an
// error, and the widest that must fit does.
func TestBulgeChasingRefuses(t *testing.T) {
	for _, c := range []struct {
		family           string
		shared, b, tiles int
	}{{"nvidia", 48 << 10, 32, 2}, {"nvidia", 48 << 10, 64, 1}, {"cpu", 32 << 10, 32, 2}, {"cpu", 32 << 10, 56, 1}, {"other", 32 << 10, 56, 1}, {"other", 32 << 10, 64, 0}, {"other", 16 << 10, 32, 1}} {
		info := vk.Info{Name: c.family, Family: c.family, SharedBytes: c.shared, MaxLocal: 1024}
		chase := chaseTuning(c.family)
		chase.Wavefront = false
		s, err := NewBulgeChasing(vk.Dry(info), 1000, true, Tuning{Band: c.b, Chase: chase})
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

// TestBulgeChasingDispatches: each sweep belongs to one dispatch, and none is much too long.
func TestBulgeChasingDispatches(t *testing.T) {
	for _, n := range []int{3, 4, 100, 5000, 65536} {
		s, err := NewBulgeChasing(vk.Dry(vk.Info{SharedBytes: 48 << 10, MaxLocal: 1024}), n, true, Tuning{Band: 32, Chase: chaseTuning("nvidia")})
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		for _, p := range s.parts {
			if p.first != next || p.last <= p.first || p.cost > 1.01*s.tune.Dispatch {
				t.Errorf("n=%d: %+v after %d", n, p, next)
			}
			next = p.last
		}
		if next != s.sweeps() {
			t.Errorf("n=%d: %d of %d sweeps", n, next, s.sweeps())
		}
	}
}

func ExampleReflectorLen() {
	fmt.Println(ReflectorLen(5, 2))
	// Output: 9 6
}
