package evd

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// TestVerifySolvesDividedMatricesAgain makes the first result of a matrix that three devices divide
// wrong. Verify must detect the error and return the result of the safe path.
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
				p := verifying(t, d[0], n, opt)
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

// TestPanelsOfACheckReportErrors cancels a check by two devices after the vectors are on the devices.
// The sums of the next panel must be refused, for A and for the vectors.
func TestPanelsOfACheckReportErrors(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	const n = 12
	p := verifying(t, verifyDevice(t), n, Options{Vectors: true, Distribute: true, Devices: []*vk.Device{verifyDevice(t)}})
	a := normal(n, 3)
	res, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	p.base.Lock()
	defer p.base.Unlock()
	g := p.together(&solve[float64]{p.path.Now, p.base.Begin(context.Background(), nil)})
	defer g.end()
	c := vectorsOnDevices[float64]{together: g, z: make([]product.Matrix[float64], len(g.all)), m: n}
	if err := g.each(func(k int, s *solve[float64]) (err error) {
		from, to := p.split.of(k, n)
		c.z[k], err = s.uploadVectors(res.Vectors.part(from, to), res.Values[from:to])
		return err
	}); err != nil {
		t.Fatal(err)
	}
	g.cancel()
	for _, residual := range []bool{true, false} {
		if err := c.add(res.Vectors.Data[:n], 0, make([]float64, n), residual); !errors.Is(err, context.Canceled) {
			t.Errorf("residual %v: %v", residual, err)
		}
	}
}
