package vk

import "slices"

// Compile runs build, which may call Build any number of times, and lets the driver compile all of
// these kernels at the same time. It returns build's error, or that of the first kernel that could
// not be compiled, in the order of the calls.
//
// Kernels that other goroutines build at the same time may be among them. Those goroutines get the
// error from Run at the latest.
func (d *Device) Compile(build func() error) error {
	asked, err := d.collect(build)
	for _, p := range asked {
		if failed := p.wait(); err == nil {
			err = failed
		}
	}
	return err
}

// collect runs build and returns the kernels that it asked for. Some may still be compiling. They
// are in the order of the calls. Calls of collect may overlap; each returns at least its own
// kernels.
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
