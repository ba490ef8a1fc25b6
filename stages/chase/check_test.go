package chase

import (
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// chased is the result of a bulge chasing: the band afterwards, the tridiagonal matrix, and the
// reflectors.
type chased struct{ band, d, e, v, tau []float64 }

func (c chased) same(o chased) bool {
	return stagetest.SameBits(c.d, o.d) && stagetest.SameBits(c.e, o.e) && stagetest.SameBits(c.v, o.v) && stagetest.SameBits(c.tau, o.tau) && stagetest.SameBits(c.band, o.band)
}

// chaseBench is a BulgeChasing stage with its memory on the device. The stage can run many times.
type chaseBench struct {
	t            testing.TB
	dev          *vk.Device
	stage        *BulgeChasing[float64]
	ws           *vk.Arena
	band         vk.Slice[float64]
	d, e, v, tau vk.Slice[float64]
}

func newChaseBench(t testing.TB, n, b int, vectors bool, tune ChaseTable) *chaseBench {
	t.Helper()
	dev := stagetest.Device(t)
	stage, err := NewBulgeChasing[float64](dev, Size{n, b, vectors}, tune.Waiting(t, dev), tune.Tuning)
	if err != nil {
		t.Fatal(err)
	}
	lv, lt := stages.ReflectorLen(n, b)
	real := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
	band, d, e, v, tau := real("band", 2*b*n), real("d", n), real("e", max(0, n-1)), real("v", lv), real("tau", lt)
	ws := stagetest.Arena(t, dev, vk.Together(stage.Work(), band, d, e, v, tau))
	return &chaseBench{t, dev, stage, ws, band.In(ws), d.In(ws), e.In(ws), v.In(ws), tau.In(ws)}
}

// run runs the bulge chasing in device memory filled with NaN. If the function `record` is not nil,
// `record` records the commands instead of the stage.
func (c *chaseBench) run(band []float64, record func(rec *vk.Recorder)) chased {
	c.t.Helper()
	rec := vk.NewRecorder(c.dev)
	c.ws.Poison(rec)
	stagetest.Run(c.t, c.dev, rec)
	stagetest.Put(c.t, c.dev, c.band, band)
	rec = vk.NewRecorder(c.dev)
	if record != nil {
		record(rec)
	} else {
		c.stage.Record(rec, c.ws, c.band, stages.Tridiagonal[float64]{D: c.d, E: c.e}, stages.Reflectors[float64]{V: c.v, Tau: c.tau})
	}
	stagetest.Run(c.t, c.dev, rec)
	if info := c.stage.Info(c.ws); info.Len() > 0 {
		if got := stagetest.Get(c.t, c.dev, info); got[0] != 0 {
			c.t.Fatalf("INFO = %d", got[0])
		}
	}
	return chased{stagetest.Get(c.t, c.dev, c.band), stagetest.Get(c.t, c.dev, c.d), stagetest.Get(c.t, c.dev, c.e), stagetest.Get(c.t, c.dev, c.v), stagetest.Get(c.t, c.dev, c.tau)}
}

func fullBand(n, b int, band []float64) []float64 {
	a := make([]float64, n*n)
	for c := range n {
		for i := range min(2*b, n-c) {
			a[c+i+c*n], a[c+(c+i)*n] = band[2*b*c+i], band[2*b*c+i]
		}
	}
	return a
}

// checkChased checks a result of the bulge chasing B = Q2·T·Q2ᵀ against the input band `before`. It
// returns the errors ‖B − Q2·T·Q2ᵀ‖ and ‖Q2ᵀ·Q2 − I‖ as ratios.
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
			if r >= n && tau != 0 || tau != 0 && !(tau >= 1 && tau <= 2+1e-15) {
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
	// The loop computes B·Q2 − Q2·T, column by column, for the band B, the tridiagonal matrix T and
	// the orthogonal factor Q2.
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
	if n > 0 && norm != 0 {
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
