package bench

import (
	"context"
	"errors"
	"fmt"
)

// turns runs the measurements of one order in rounds. In each round every measurement runs once. A
// measurement that has failed does not run in later rounds.
type turns struct {
	bench *Bench

	// ctx is the context of the measurements. If ctx ends, no further run begins.
	ctx context.Context

	// loads are the measurements that have not failed. `errs` are the errors of the measurements
	// that have failed.
	loads []*load
	errs  []error
}

// newTurns makes the measurements of order n, and compiles their kernels in parallel.
func (b *Bench) newTurns(ctx context.Context, n int) *turns {
	t := &turns{bench: b, ctx: ctx}
	b.dev.Compile(func() error { // a kernel that does not compile is an error of the run that needs it
		t.loads, t.errs = b.loads(n)
		return nil
	})
	return t
}

// always returns true. It is an argument for the method `round`, which then does not end a round
// early.
func always() bool { return true }

// uncounted ignores the result of a run. It is an argument for the method `round`, for rounds that
// do not count.
func uncounted(*load, sample) {}

// round runs each measurement once and passes its result to the function `take`. Before each run it
// calls the function `more`. If `more` returns false, or if the context has ended, the round ends.
// Measurements that have failed are removed; the others stay for the next round.
func (t *turns) round(more func() bool, take func(*load, sample)) {
	var sound []*load
	for i, l := range t.loads {
		if t.ctx.Err() != nil || !more() {
			sound = append(sound, t.loads[i:]...)
			break
		}
		if t.bench.opt.Progress != nil {
			t.bench.opt.Progress(l.String())
		}
		s, err := l.once(t.ctx)
		if err != nil {
			t.errs = append(t.errs, fmt.Errorf("%v: %w", l, err))
			continue
		}
		sound = append(sound, l)
		take(l, s)
	}
	t.loads = sound
}

// String returns the stage and the sizes of the measurement as text, for errors and progress
// reports.
func (l *load) String() string {
	many := ""
	if l.row.Count > 0 {
		many = fmt.Sprintf(", count = %d", l.row.Count)
	}
	return fmt.Sprintf("%s, n = %d%s%s", l.row.Stage, l.row.N, many, Variant{Name: l.row.Tuning}.label())
}

func (t *turns) err() error { return errors.Join(t.errs...) }
