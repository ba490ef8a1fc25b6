package move

import (
	"math"
	"testing"

	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestConversion converts more numbers than a workgroup has invocations, and numbers at the ends of
// the range. A float32 must become an equal double. A double that is slightly larger than a float32
// must become this float32 or one of its two neighbours. Elements after the last one must not be
// written.
func TestConversion(t *testing.T) {
	const n, spare = 1000, 8
	dev := stagetest.Device(t)
	c, err := NewConversion(dev)
	if err != nil {
		t.Fatal(err)
	}
	single := stagetest.Normals(n, 7, func(i int) float64 { return math.Ldexp(1, i%200-100) })
	double := make([]float64, n)
	for i, x := range single {
		double[i] = float64(x) * (1 + 0x1p-26) // between two numbers of float32
	}
	single[0], single[1], single[2] = 0, math.MaxFloat32, -0x1p-126
	double[0], double[1], double[2] = 0, 1e300, 1e-300
	x, y := vk.Reserve[float32]("x", n+spare), vk.Reserve[float64]("y", n+spare)
	z, w := vk.Reserve[float64]("z", n), vk.Reserve[float32]("w", n+spare)
	ws := stagetest.Arena(t, dev, vk.Together(x, y, z, w))
	stagetest.Put(t, dev, x.In(ws).Sub(0, n), single)
	stagetest.Put(t, dev, z.In(ws), double)
	rec := vk.NewRecorder(dev)
	vk.Fill(rec, y.In(ws), 0)
	vk.Fill(rec, w.In(ws), 0)
	c.RecordWiden(rec, x.In(ws).Sub(0, n), y.In(ws))
	c.RecordNarrow(rec, z.In(ws), w.In(ws))
	stagetest.Run(t, dev, rec)
	wide, narrow := stagetest.Get(t, dev, y.In(ws)), stagetest.Get(t, dev, w.In(ws))
	for i := range n {
		if wide[i] != float64(single[i]) {
			t.Fatalf("number %d: %g widened to %g", i, single[i], wide[i])
		}
		down, up := math.Nextafter32(single[i], -math.MaxFloat32), math.Nextafter32(single[i], math.MaxFloat32)
		if have := narrow[i]; i > 2 && !(have >= down && have <= up) {
			t.Fatalf("number %d: %g narrowed to %g", i, double[i], have)
		}
	}
	if narrow[0] != 0 || narrow[2] != 0 {
		t.Errorf("0 and %g narrowed to %g and %g", double[2], narrow[0], narrow[2])
	}
	// If the device rounds towards zero, the result is the largest finite number instead of
	// infinity.
	if !(narrow[1] >= math.MaxFloat32) {
		t.Errorf("%g narrowed to %g", double[1], narrow[1])
	}
	for i := n; i < n+spare; i++ {
		if wide[i] != 0 || narrow[i] != 0 {
			t.Fatalf("number %d beyond the end was written: %g, %g", i, wide[i], narrow[i])
		}
	}
}
