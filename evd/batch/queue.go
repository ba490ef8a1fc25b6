package batch

import (
	"context"
	"sync"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// A batch of many matrices is divided into parts, so that the host prepares one part while the
// device solves another one. Each part costs some milliseconds. So the size of a part is half of
// the batch, but at least leastPortion, if the plan has memory for it.
const (
	portions     = 2
	leastPortion = 1 << 14
)

// portionSize returns the largest number of matrices of a part, for a batch of `count` matrices and
// a plan with memory for `most`.
func portionSize(count, most int) int {
	return min(most, max(leastPortion, (count+portions-1)/portions))
}

// queue gives out the matrices of a batch in parts. Each device takes a part, solves it, and takes
// the next one, so a faster device solves more parts.
type queue[T Number, R evd.Float] struct {
	a       matrices[T, R]
	out     []Spectrum[T]
	most    int // largest number of matrices of a part
	devices int // number of devices that take parts
	vectors bool
	report  func(evd.Progress) // may be nil

	lock        sync.Mutex
	next        int // the first matrix of the next part
	count       int // number of matrices that are solved
	done, total float64
}

// take returns the next part of the batch, the matrices `from` ≤ k < `to`, or `from` = `to` at the
// end. For one device, parts are as large as possible. For several, a part is at most 1/(2·devices)
// of the remaining matrices, rounded up, so that all devices end at about the same time.
func (q *queue[T, R]) take() (from, to int) {
	q.lock.Lock()
	defer q.lock.Unlock()
	from = q.next
	most := q.most
	if q.devices > 1 {
		halves := 2 * q.devices
		most = min(most, (q.a.count()-from+halves-1)/halves)
	}
	q.next = min(from+most, q.a.count())
	return from, q.next
}

// solved records that the matrices `from` ≤ k < `to` are solved, and reports the progress.
func (q *queue[T, R]) solved(from, to int) {
	q.lock.Lock()
	defer q.lock.Unlock()
	for k := from; k < to; k++ {
		q.done += q.a.flops(q.a.order(k), q.vectors)
	}
	if q.count += to - from; q.count == q.a.count() {
		q.done = q.total // the order of the sum, and so its rounding, differs between runs
	}
	if q.report != nil {
		q.report(evd.Progress{Stage: stages.PhaseBatch, Done: q.done, Total: q.total})
	}
}

// solveAll solves all matrices of the batch on the devices of the plan. After the first error no
// device begins another part. The caller must have the plan's lock.
func (p *solver[T, R]) solveAll(ctx context.Context, q *queue[T, R]) (*vk.Profile, error) {
	plans := append([]*solver[T, R]{p}, p.others...)
	calls := make([]*plan.Call, len(plans))
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	for k, plan := range plans {
		if err := plan.base.Open(); err != nil {
			return nil, p.of(plan, err)
		}
		calls[k] = plan.base.Begin(inner, nil)
	}
	k, err := plan.First(plan.Parallel(len(plans), cancel, func(k int) error { return plans[k].solveSome(calls[k], q) }))
	if err != nil {
		return nil, p.of(plans[k], err)
	}
	for _, c := range calls[1:] {
		calls[0].Join(c, plan.Suffix(c.Dev))
	}
	return calls[0].Profile, ctx.Err()
}

// solveSome solves parts of the batch on one device, until the queue is empty. If it is the only
// device, the host prepares the next part while the device solves the current one. If there are
// several, it does not: another device could solve a part that waits.
func (p *solver[T, R]) solveSome(c *plan.Call, q *queue[T, R]) error {
	next := func() *portion[T, R] {
		if from, to := q.take(); from < to {
			return p.portionOf(q.a, q.out, from, to)
		}
		return nil
	}
	for r := next(); r != nil; {
		ahead := next
		if q.devices == 1 {
			ahead = started(next)
		}
		err := p.execute(c, r, q.a, q.out)
		following := ahead() // after an error, too, because portionOf writes to q.out
		if err != nil {
			return err
		}
		q.solved(r.first, r.last)
		r = following
	}
	return nil
}

// started calls f in a goroutine, and returns a function that waits for its result, and that panics
// if f has panicked.
func started[T any](f func() T) func() T {
	var result T
	var failure any
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { failure = recover() }()
		result = f()
	}()
	return func() T {
		<-ended
		if failure != nil {
			panic(failure)
		}
		return result
	}
}

// If the plan uses several devices, of adds the device of `part` to an error. The error of a
// context that has ended is returned unchanged.
func (p *solver[T, R]) of(part *solver[T, R], err error) error {
	if len(p.others) == 0 {
		return err
	}
	return plan.OnDevice(part.base.Dev, err)
}
