package vk

import "slices"

// Compile runs build, which may call Build any number of times, and lets the driver compile all of
// these kernels at the same time. It returns the error of build, or that of the first kernel that
// could not be compiled, in the order of the calls.
//
// If other goroutines build kernels at the same time, these may be among them. Such a goroutine
// gets the error of its kernel from Run at the latest.
func (d *Device) Compile(build func() error) error {
	asked, err := d.collect(build)
	for _, p := range asked {
		if failed := p.wait(); err == nil {
			err = failed
		}
	}
	return err
}

// collect runs build and returns the kernels that build asked for, in the order of the calls. Some
// may still be compiling. If calls of collect overlap, each returns its own kernels and perhaps
// others.
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
