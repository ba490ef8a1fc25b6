package bench

import (
	"context"
	"errors"
	"fmt"
)

// turns runs the measurements of one order in rounds. A round has one run of each measurement. A
// measurement that fails is left out of later rounds.
type turns struct {
	bench *Bench

	// ctx is the context whose end ends the rounds.
	ctx context.Context

	// loads are the measurements that have not failed. errs are the errors of the others.
	loads []*load
	errs  []error
}

// newTurns makes the measurements of order n, and compiles their kernels at the same time.
func (b *Bench) newTurns(ctx context.Context, n int) *turns {
	t := &turns{bench: b, ctx: ctx}
	b.dev.Compile(func() error { // a kernel that does not compile is an error of the run that needs it
		t.loads, t.errs = b.loads(n)
		return nil
	})
	return t
}

// always returns true. It is a condition with which a round runs all loads.
func always() bool { return true }

// uncounted does nothing with a sample. It is for runs that are not counted.
func uncounted(*load, sample) {}

// round runs each load once, as long as more returns true and the context has not ended, and passes
// the samples to take. Loads that are not run stay in the rounds.
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
		s, err := t.bench.once(t.ctx, l)
		if err != nil {
			t.errs = append(t.errs, fmt.Errorf("%v: %w", l, err))
			continue
		}
		sound = append(sound, l)
		take(l, s)
	}
	t.loads = sound
}

// String is the measurement's name in errors and progress.
func (l *load) String() string {
	return fmt.Sprintf("%s, n = %d%s", l.row.Stage, l.row.N, Variant{Name: l.row.Tuning}.label())
}

// err joins the errors of the measurements that failed, or is nil.
func (t *turns) err() error { return errors.Join(t.errs...) }
