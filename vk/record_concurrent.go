package vk

import (
	"fmt"

	"github.com/vkevd/vkevd/vk/spirv"
)

// Touch declares that a dispatch reads or writes a range of device memory. Recorder.Concurrently
// and Recorder.Beside need these declarations. The code of the shader says whether the dispatch
// reads or writes the range.
type Touch struct{ at span }

// Touches declares that the dispatch accesses the slice `s`. The dispatch must not access any other
// part of the region that contains `s`.
func Touches[T any](s Slice[T]) Touch { return Touch{s.span()} }

type access struct {
	at    span
	write bool
}

// concurrent is the state of a call of Recorder.Concurrently or Recorder.Beside: the accesses of
// its commands so far.
type concurrent struct {
	dev  *Device
	seen []access
}

// Concurrently calls the function `record`, and records its commands without barriers between them.
// A barrier follows the last command. Concurrently panics if a command accesses memory that another
// one of these commands writes. No other check exists, because validation layers do not see
// accesses through device addresses.
func (r *Recorder) Concurrently(record func()) {
	if r.concurrent != nil {
		panic("vk: Concurrently inside Concurrently or Beside")
	}
	before := len(r.cmds)
	r.concurrent = r.takeBeside()
	defer func() { r.concurrent = nil }()
	record()
	if len(r.cmds) > before {
		r.cmds = append(r.cmds, command{op: opBarrier})
	}
}

// Beside calls `first`, and then `then`. The commands of `first` run concurrently with the first
// command of `then`, or with its first call of Concurrently. All these commands must declare what
// they access, as in Concurrently.
func (r *Recorder) Beside(first, then func()) {
	if r.concurrent != nil || r.beside != nil {
		panic("vk: Beside inside Concurrently or Beside")
	}
	before := len(r.cmds)
	r.concurrent = &concurrent{dev: r.dev}
	func() {
		defer func() { r.concurrent = nil }()
		first()
		r.beside = r.concurrent
	}()
	if len(r.cmds) == before {
		r.beside = nil
	}
	defer func() { r.beside = nil }()
	then()
	if r.beside != nil { // `then` has recorded no command
		r.cmds = append(r.cmds, command{op: opBarrier})
	}
}

// takeBeside returns the state of the commands of Beside that have no barrier yet, or a new state.
// It sets r.beside to nil.
func (r *Recorder) takeBeside() *concurrent {
	c := r.beside
	if r.beside = nil; c == nil {
		c = &concurrent{dev: r.dev}
	}
	return c
}

// check panics if `cmd` and an earlier command of the same call of Concurrently or Beside access
// the same memory, and at least one of the two writes it. `acc` lists the accesses of `cmd`.
func (c *concurrent) check(cmd command, acc []access) {
	for i, a := range acc {
		a.at = c.dev.memory(a.at)
		acc[i] = a
		for _, b := range c.seen {
			if (a.write || b.write) && a.at.touches(b.at) {
				name := "copy or fill"
				if cmd.kernel != nil {
					name = cmd.kernel.name
				}
				const message = "vk: %s touches [%#x, %#x), which a concurrent command touches too"
				panic(fmt.Sprintf(message, name, a.at.from, a.at.to))
			}
		}
	}
	c.seen = append(c.seen, acc...)
}

// declared returns the accesses that a dispatch may make: one for each address in its push block,
// with the range of the Touch in which the address lies. An address of 0 is left out. declared
// panics if an address lies in no Touch, because accesses through this address could not be
// checked.
func declared(k *kernel, push []byte, touch []Touch) []access {
	var acc []access
	for _, f := range k.addrs {
		at := addrAt(push, f)
		if at == 0 {
			continue
		}
		acc = append(acc, access{covering(k, f, at, touch), f.Writable})
	}
	return acc
}

func covering(k *kernel, f spirv.PushField, at uint64, touch []Touch) span {
	for _, t := range touch {
		if t.at.from <= at && at < t.at.to {
			return t.at
		}
	}
	panic(fmt.Sprintf("vk: %s runs concurrently and does not declare what %s touches", k.name, f.Name))
}
