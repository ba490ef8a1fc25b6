package vk

import (
	"fmt"

	"github.com/vkevd/vkevd/vk/spirv"
)

// Touch declares which part of memory a dispatch inside Concurrently reads or
// writes. Whether it is a read or a write comes from the shader itself.
type Touch struct{ at span }

// Touches declares that the dispatch touches s and nothing else of s's region.
func Touches[T any](s Slice[T]) Touch { return Touch{s.span()} }

// access is one range that a command reads or writes.
type access struct {
	at    span
	write bool
}

type concurrent struct {
	seen []access
}

// Concurrently records commands with no barrier between them; one barrier
// follows the last. Commands that touch each other's writes are refused with a
// panic: validation layers cannot see accesses through device addresses, so this check is
// the only one there is.
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

func (c *concurrent) check(cmd command, acc []access) {
	for _, a := range acc {
		for _, b := range c.seen {
			if (a.write || b.write) && a.at.touches(b.at) {
				name := "copy or fill"
				if cmd.kernel != nil {
					name = cmd.kernel.name
				}
				panic(fmt.Sprintf("vk: %s touches [%#x, %#x), which a concurrent command touches too", name, a.at.from, a.at.to))
			}
		}
	}
	c.seen = append(c.seen, acc...)
}

// declared pairs the address members of the push block with the declared
// ranges: an address belongs to the Touch that holds it.
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
