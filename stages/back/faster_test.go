package back

import "testing"

func TestSquaresWhereTheyAreFaster(t *testing.T) {
	flops, measured := Q2SquareTuning{Sweeps: 512, Gain: 2.5}, Q2SquareTuning{Sweeps: 768, Gain: 1.8, From: 10240}
	for _, c := range []struct {
		t    Q2SquareTuning
		m    int
		gain float64
		want bool
	}{
		{Q2SquareTuning{}, 1 << 20, 100, false},
		{Q2SquareTuning{Sweeps: 7}, 1, 0, true},
		{flops, 1 << 20, 2.4, false}, {flops, 1 << 20, 2.5, true},
		{flops, 1024, 4, false}, {flops, 1025, 4, true}, // 1024·(1 − 2/4) = 512
		{measured, 10239, 4, false}, {measured, 10240, 1.8, true}, {measured, 10240, 1.7, false}, {measured, 10240, 0, false},
	} {
		if got := c.t.Faster(c.m, c.gain); got != c.want {
			t.Errorf("%+v: squares are faster for %d vectors and a gain of %g: %t", c.t, c.m, c.gain, got)
		}
	}
}
