package evd

import (
	"context"
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// TestVerifySolvesDividedMatricesAgain solves a matrix that is divided among three devices, and
// spoils the first result. Verify must detect the error and return the result of the safe path,
// unless Solve has corrected the values itself.
func TestVerifySolvesDividedMatricesAgain(t *testing.T) {
	when.Skip(t, when.Quick, "Verify")
	when.Pick(t, when.Race)
	d := [3]*vk.Device{verifyDevice(t), verifyDevice(t), verifyDevice(t)}
	const n = 29
	a := normal(n, 3)
	for _, opt := range []Options{{Vectors: true}, {}, {Vectors: true, Select: Index(4, 11), Solver: MRRR}} {
		opt.Distribute, opt.Devices = true, d[1:]
		good := firstResult(t, d[0], a, opt)
		for _, s := range spoils {
			if s.vectors && !opt.Vectors {
				continue
			}
			t.Run(fmt.Sprintf("%s/vectors=%v,%v", s.name, opt.Vectors, opt.Solver), func(t *testing.T) {
				p := verifying[float64](t, d[0], n, opt)
				res, _ := solvesAgain(t, p, s, a, good)
				if !opt.Vectors {
					return
				}
				if r, err := p.Check(context.Background(), a, res); err != nil || !r.Passed() {
					t.Errorf("%+v, %v", r, err)
				}
			})
		}
	}
}
