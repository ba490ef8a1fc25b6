package vk

import (
	"cmp"
	"slices"
)

// Compile calls the function `build`, which may call Build any number of times. These calls do not
// wait for the driver. The driver compiles up to GOMAXPROCS kernels at the same time, and Compile
// waits for all of them. It returns the error of `build`, or otherwise the error of the first kernel
// that could not be compiled, in the order of the calls.
//
// If other goroutines call Build while Compile runs, Compile may also wait for their kernels and
// return their error, which Build or Run then returns in these goroutines, too.
func (d *Device) Compile(build func() error) error {
	asked, err := d.collect(build)
	for _, p := range asked {
		if failed := p.wait(); err == nil {
			err = failed
		}
	}
	return err
}

// collect calls the function `build` and returns the kernels that it requested, in order, and its
// error. Some kernels may still be compiling. If two calls overlap in time, each may also return
// kernels that the other requested.
func (d *Device) collect(build func() error) ([]*pipeline, error) {
	p := &d.pipes
	p.lock.Lock()
	p.collect++
	from := len(p.asked)
	p.lock.Unlock()
	defer func() { // also if build panics
		p.lock.Lock()
		defer p.lock.Unlock()
		if p.collect--; p.collect == 0 {
			p.asked = nil
		}
	}()
	err := build()
	p.lock.Lock()
	defer p.lock.Unlock()
	return slices.Clone(p.asked[from:]), err
}

// CompileTimes lists the kernels that the driver has compiled so far, or taken from the cache, with
// the time that each of them took. The longest time comes first. Count is the number of variants
// with different constants. Kernels are compiled concurrently, so the sum may exceed the time that
// passed.
func (d *Device) CompileTimes() []Timing {
	p := &d.pipes
	p.lock.Lock()
	defer p.lock.Unlock()
	times := slices.Clone(p.times)
	slices.SortStableFunc(times, func(a, b Timing) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return times
}
