package stedc

import (
	"context"
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// BenchmarkBidiagonalConquer measures solves of bidiagonal matrices for all singular values and
// vectors. In some matrices few values deflate, and in others many do. To run it: go test -bench
// BidiagonalConquer ./stages/tridiag/stedc. The orders are 1024 to 16384 on a GPU. ms/device is the
// time on the device.
func BenchmarkBidiagonalConquer(b *testing.B) {
	dev := stagetest.Device(b)
	orders := []int{1024, 4096, 8192, 16384}
	if dev.Info().Type == "cpu" {
		orders = []int{256}
	}
	for _, n := range orders {
		c := newConquered(b, n, TuningFor(dev.Info()))
		st, wt := stages.NewMatrix(c.st.In(c.ws), n, n, n), stages.NewMatrix(c.wt.In(c.ws), n, n, n)
		for _, f := range suite.BidiagonalFamilies {
			switch f.Name {
			case "Gaussian", "ones", "graded down", "graded up", "Kimura", "glued 1e-8":
			default:
				continue
			}
			b.Run(fmt.Sprintf("%s/n=%d", f.Name, n), func(b *testing.B) {
				d, e := f.Make(n)
				device := 0.0
				for b.Loop() {
					_, profile, err := c.s.Solve(context.Background(), c.ws, d, e, st, wt)
					if err != nil {
						b.Fatal(err)
					}
					for _, t := range profile.Phases {
						if t.Name == stages.PhaseBidiagonal {
							device += t.Seconds
						}
					}
				}
				b.ReportMetric(1e3*device/float64(b.N), "ms/device")
			})
		}
	}
}
