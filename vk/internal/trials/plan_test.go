package trials

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// A fixture is a plan for a kind of work on devices with Options.Batch = oneCommand, and the result
// of a solve without faults. Each command of these devices is a batch.
type fixture struct {
	plan    solver
	a       evd.Sym[float64]
	want    *evd.Result[float64]
	objects int64
	report  func(evd.Progress) // the progress function of the solves, or nil
}

func newFixture(t *testing.T, w work) *fixture {
	t.Helper()
	f := &fixture{a: random(order, 1)}
	d, err := w.on(vk.Options{Batch: oneCommand})
	t.Cleanup(func() {
		for _, d := range d {
			d.Close()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	opt := options(false)
	opt.Progress = func(p evd.Progress) {
		if f.report != nil {
			f.report(p)
		}
	}
	if f.plan, err = w.make(d, opt); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.plan.Close)
	if f.want, err = f.plan.Solve(context.Background(), f.a); err != nil {
		t.Fatal(err)
	}
	f.objects = driver.Live()
	return f
}

// calls lists the driver calls of one solve.
func (f *fixture) calls(t *testing.T) []call {
	t.Helper()
	var all []call
	end := watch(t, func(c call) driver.Result {
		all = append(all, c)
		return driver.Success
	})
	defer end()
	if _, err := f.plan.Solve(context.Background(), f.a); err != nil {
		t.Fatal(err)
	}
	return all
}

// solvesStill checks that the plan can be used again: a further solve has the right bits, and
// afterwards no driver object is lost or left. `after` describes the previous use of the plan, for
// error messages.
func (f *fixture) solvesStill(t *testing.T, after string) {
	t.Helper()
	if got, err := f.plan.Solve(context.Background(), f.a); err != nil || !same(got, f.want) {
		t.Fatalf("the solve after %s: %v, or other bits", after, err)
	}
	if n := driver.Live(); n != f.objects {
		t.Fatalf("%d objects after %s, %d before", n, after, f.objects)
	}
}
