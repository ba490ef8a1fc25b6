package plan

import (
	"sync"

	"github.com/vkevd/vkevd/vk"
)

// Replaceable holds the stages of a plan's solves, of type P. A call that has the plan's lock may
// replace them while other calls read them.
type Replaceable[P any] struct {
	// The field Now holds the stages for the next solve. Only a call that has the plan's lock may
	// read this field.
	Now P

	lock sync.Mutex
}

// Current returns the stages at this moment. The caller need not have the plan's lock.
func (r *Replaceable[P]) Current() P {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.Now
}

// Compiled returns the stages that the function `construct` makes. The kernels of all stages are
// compiled in parallel.
func Compiled[P any](dev *vk.Device, construct func() (P, error)) (made P, err error) {
	err = dev.Compile(func() error {
		made, err = construct()
		return err
	})
	return made, err
}

// Take makes `next` the stages of the plan's solves. The caller must have the plan's lock.
func (r *Replaceable[P]) Take(next P) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.Now = next
}
