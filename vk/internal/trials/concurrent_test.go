package trials

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

func oneSolve(ctx context.Context, d *vk.Device, n int, opt evd.Options) (*evd.Result[float64], error) {
	p, err := evd.NewPlan[float64](d, n, opt)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Solve(ctx, random(n, 1))
}

// Several goroutines use one device, each with its own plans. At the same time, other plans are
// made and closed, and solves are cancelled. The result of each solve has the bits of a solve that
// runs alone.
func TestManyGoroutinesOneDevice(t *testing.T) {
	when.Pick(t, when.Race)
	const goroutines, rounds = 4, 2
	d := device(t, vk.Options{})
	want := make([]*evd.Result[float64], goroutines)
	order := func(g int) int { return 5 + 4*g }
	for g := range want {
		var err error
		if want[g], err = oneSolve(context.Background(), d, order(g), options(g%2 == 0)); err != nil {
			t.Fatal(err)
		}
	}
	objects := driver.Live()
	atOnce(goroutines, func(g int) {
		kept, err := evd.NewPlan[float64](d, order(g), options(g%2 == 0))
		if err != nil {
			t.Error(err)
			return
		}
		defer kept.Close()
		for range rounds {
			if res, err := kept.Solve(context.Background(), random(order(g), 1)); err != nil || !same(res, want[g]) {
				t.Errorf("goroutine %d, its plan: %v, or other bits", g, err)
			}
			if res, err := oneSolve(context.Background(), d, order(g), options(g%2 == 0)); err != nil || !same(res, want[g]) {
				t.Errorf("goroutine %d, another plan: %v, or other bits", g, err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			go cancel()
			if res, err := kept.Solve(ctx, random(order(g), 1)); !errors.Is(err, context.Canceled) && (err != nil || !same(res, want[g])) {
				t.Errorf("goroutine %d, cancelled: %v, or other bits", g, err)
			}
		}
	})
	if n := driver.Live(); n != objects {
		t.Errorf("%d objects, %d before", n, objects)
	}
}

// Several goroutines use one plan at the same time. The plan solves their matrices one after
// another, and each result is right.
func TestManyGoroutinesOnePlan(t *testing.T) {
	when.Pick(t, when.Race)
	d := device(t, vk.Options{})
	p, err := evd.NewPlan[float64](d, order, options(true))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	const goroutines = 4
	var want [goroutines]*evd.Result[float64]
	for g := range want {
		if want[g], err = p.Solve(context.Background(), random(order, uint64(g))); err != nil {
			t.Fatal(err)
		}
	}
	atOnce(goroutines, func(g int) {
		for range 5 {
			a := random(order, uint64(g))
			res, err := p.Solve(context.Background(), a)
			if err != nil || !same(res, want[g]) {
				t.Errorf("matrix %d: %v, or other bits", g, err)
				return
			}
			if r, err := p.Check(context.Background(), a, res); err != nil || !r.Passed() {
				t.Errorf("check of matrix %d: %+v, %v", g, r, err)
			}
		}
	})
}

// Several goroutines open, use and close devices of their own at the same time. Each result is
// right, and no object is left.
func TestManyDevicesAtOnce(t *testing.T) {
	want := session{work: ofVectors}.must(t)
	atOnce(3, func(int) {
		for range 2 {
			if res, err := (session{work: ofVectors}).run(context.Background()); err != nil || !same(res, want) {
				t.Errorf("%v, or other bits", err)
			}
		}
	})
	nothingLeft(t, "many at once")
}

func atOnce(n int, f func(int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Add(1)
		go func() {
			defer all.Done()
			f(i)
		}()
	}
	all.Wait()
}

// One goroutine closes a device while others make and close plans on it. Each NewPlan succeeds or
// fails with ErrClosed, and no object is left.
func TestPlansRaceWithClose(t *testing.T) {
	for round := range 6 {
		d, err := open(vk.Options{})
		if err != nil {
			t.Fatal(err)
		}
		atOnce(4, func(g int) {
			if g == 0 {
				time.Sleep(time.Duration(round) * 5 * time.Millisecond)
				d.Close()
				return
			}
			for {
				p, err := evd.NewPlan[float64](d, order+g, options(g%2 == 0))
				if errors.Is(err, vk.ErrClosed) {
					return
				} else if err != nil {
					t.Error(err)
					return
				}
				p.Close()
			}
		})
		nothingLeft(t, "a closed device")
	}
}

// A progress function makes a plan on the same device, solves with it and closes it. Both solves
// have the bits of a solve that runs alone.
func TestProgressSolves(t *testing.T) {
	when.Pick(t, when.Race)
	d := device(t, vk.Options{Batch: oneCommand})
	ctx := context.Background()
	want, err := oneSolve(ctx, d, order, options(true))
	if err != nil {
		t.Fatal(err)
	}
	opt, inside := options(true), 0
	opt.Progress = func(evd.Progress) {
		if inside++; inside%40 != 1 {
			return
		}
		if res, err := oneSolve(ctx, d, order, options(true)); err != nil || !same(res, want) {
			t.Errorf("inside: %v, or other bits", err)
		}
	}
	if res, err := oneSolve(ctx, d, order, opt); err != nil || !same(res, want) {
		t.Errorf("outside: %v, or other bits", err)
	}
	if inside < 40 {
		t.Errorf("%d reports", inside)
	}
}
