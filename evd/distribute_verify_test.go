package evd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestVerifySolvesDividedMatricesAgain makes the first result of a matrix that three devices divide
// wrong. Verify must detect the error and return the result of the safe path.
func TestVerifySolvesDividedMatricesAgain(t *testing.T) {
	d := [3]*vk.Device{verifyDevice(t), verifyDevice(t), verifyDevice(t)}
	const n = 29
	a := Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n)}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range a.Data {
		a.Data[i] = rng.NormFloat64()
	}
	for _, opt := range []Options{{Vectors: true}, {}, {Vectors: true, Select: Index(4, 11), Solver: MRRR}} {
		opt.Distribute, opt.Devices = true, d[1:]
		good, err := verifying(t, d[0], n, opt).Solve(context.Background(), a)
		if err != nil || good.Certificate == nil || good.Certificate.Safe {
			t.Fatalf("%+v: %v, %+v", opt, err, good)
		}
		for _, s := range spoils {
			if s.vectors && !opt.Vectors {
				continue
			}
			t.Run(fmt.Sprintf("%s/vectors=%v,%v", s.name, opt.Vectors, opt.Solver), func(t *testing.T) {
				p := verifying(t, d[0], n, opt)
				p.path.spoil(s.spoil)
				res, err := p.Solve(context.Background(), a)
				mended := s.values && p.path.steps.spectrum.Settles() // Solve corrects the values before the certificate
				if err != nil || res.Certificate.Safe == mended || !res.Certificate.Passed() {
					t.Fatalf("%v, %+v", err, res)
				}
				for k, v := range res.Values {
					if math.Abs(v-good.Values[k]) > 1e-13*n {
						t.Errorf("value %d is %g, not %g", k, v, good.Values[k])
					}
				}
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
