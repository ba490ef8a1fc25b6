package plancache_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/plancache"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// fake is a plan for tests that needs no device. The size of its memory is its order.
type fake struct {
	order int
	open  *[]int
}

func (f *fake) Bytes() uint64 { return uint64(f.order) }

func (f *fake) Close() {
	at := slices.Index(*f.open, f.order)
	if at < 0 {
		panic("closed twice")
	}
	*f.open = slices.Delete(*f.open, at, at+1)
}

// keeping returns a Plans that makes fake plans. The fake device has memory for plans whose orders
// add up to at most `memory`; a further plan cannot be made. The second result lists the orders of
// the open plans.
func keeping(memory int) (ps *plancache.Plans[int], open *[]int) {
	open = new([]int)
	return &plancache.Plans[int]{Most: 3, Make: func(order int) (plancache.Plan, error) {
		sum := order
		for _, other := range *open {
			sum += other
		}
		if sum > memory {
			return nil, &vk.OutOfMemoryError{What: "plan", Need: uint64(order)}
		}
		*open = append(*open, order)
		return &fake{order, open}, nil
	}}, open
}

func TestLimits(t *testing.T) {
	fine := func(plancache.Plan) error { return nil }
	for _, c := range []struct {
		name      string
		memory    int
		mostBytes uint64
		orders    []int
		want      []int // the plans that are open afterwards, by age
	}{
		{"most", 1000, 0, []int{1, 2, 3, 4}, []int{2, 3, 4}},
		{"most, with one used again", 1000, 0, []int{1, 2, 3, 1, 4}, []int{1, 3, 4}},
		{"bytes", 1000, 10, []int{6, 3, 2}, []int{3, 2}},
		{"bytes of one plan", 1000, 10, []int{3, 60}, []int{60}},
		{"full device", 10, 0, []int{4, 5, 6}, []int{6}},
	} {
		ps, open := keeping(c.memory)
		ps.MostBytes = c.mostBytes
		for _, order := range c.orders {
			if err := ps.With(order, fine); err != nil {
				t.Errorf("%s: order %d: %v", c.name, order, err)
			}
		}
		if !slices.Equal(*open, c.want) || ps.Count() != len(c.want) {
			t.Errorf("%s: open are %v, want %v", c.name, *open, c.want)
		}
		if ps.Close(); len(*open) != 0 {
			t.Errorf("%s: %v stay open", c.name, *open)
		}
	}
}

func TestErrors(t *testing.T) {
	ps, open := keeping(5)
	var full *vk.OutOfMemoryError
	if err := ps.With(6, func(plancache.Plan) error { t.Error("used"); return nil }); !errors.As(err, &full) {
		t.Errorf("too large a plan: %v", err)
	}
	if err := ps.With(2, func(plancache.Plan) error { return &evd.NonFiniteError{} }); err != nil || len(*open) != 1 {
		t.Errorf("not finite: %v, %v open", err, *open)
	}
	if err := ps.With(2, func(plancache.Plan) error { return errors.New("device lost") }); err != nil || len(*open) != 0 {
		t.Errorf("device lost: %v, %v open", err, *open)
	}
}

// TestManyGoroutines uses plans of several orders in many goroutines. The fake plans have no locks
// of their own, so the race detector finds a plan that is made, used or closed without the lock of
// Plans.
func TestManyGoroutines(t *testing.T) {
	when.Pick(t, when.Race)
	const goroutines, orders, most = 8, 6, 3
	ps, open := keeping(1000)
	var wg sync.WaitGroup
	uses := 0
	for g := range goroutines {
		wg.Go(func() {
			for i := range orders {
				order := 1 + (i+g)%orders
				if err := ps.With(order, func(p plancache.Plan) error {
					if uses++; p.Bytes() != uint64(order) {
						t.Errorf("order %d: a plan of order %d", order, p.Bytes())
					}
					return nil
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if uses != goroutines*orders || ps.Count() != most || len(*open) != most {
		t.Errorf("%d uses, %d plans are kept, %d are open", uses, ps.Count(), len(*open))
	}
}
