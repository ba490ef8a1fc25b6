package vk

import (
	"fmt"

	"github.com/vkevd/vkevd/vk/spirv"
)

// Touch declares a range of memory that a dispatch inside of Concurrently reads or writes. The
// shader itself tells whether it reads or writes.
type Touch struct{ at span }

// Touches declares that the dispatch accesses s, and nothing else of the region of s.
func Touches[T any](s Slice[T]) Touch { return Touch{s.span()} }

// access is a range that a command reads or writes.
type access struct {
	at    span
	write bool
}

// concurrent is the state of a call of Concurrently in progress.
type concurrent struct {
	seen []access
}

// Concurrently records the commands of record without barriers between them. A barrier follows the
// last one. Concurrently panics if a command accesses memory that another one writes. No other
// check exists, because validation layers do not see accesses through device addresses.
func (r *Recorder) Concurrently(record func()) {
	if r.concurrent != nil {
		panic("vk: Concurrently inside Concurrently")
	}
	before := len(r.cmds)
	r.concurrent = &concurrent{}
	defer func() { r.concurrent = nil }()
	record()
	if len(r.cmds) > before {
		r.cmds = append(r.cmds, command{op: opBarrier})
	}
}

// check panics if the accesses of a command conflict with those of the commands before it.
func (c *concurrent) check(cmd command, acc []access) {
	for _, a := range acc {
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

// declared pairs the address members of a push block with the declared ranges. An address belongs
// to the Touch that contains it. The address 0 is ignored. If an address has no Touch, declared
// panics, because the overlap could not be checked.
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

// covering returns the range of the Touch that contains an address. It panics if there is none.
func covering(k *kernel, f spirv.PushField, at uint64, touch []Touch) span {
	for _, t := range touch {
		if t.at.from <= at && at < t.at.to {
			return t.at
		}
	}
	panic(fmt.Sprintf("vk: %s runs concurrently and does not declare what %s touches", k.name, f.Name))
}
