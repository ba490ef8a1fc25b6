// Package plancache, internal to vkevd, keeps the most recently used plans, with their device
// memory. It serves interfaces without plans, such as LAPACK's.
package plancache

import (
	"errors"
	"sync"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

type Plan interface {
	Bytes() uint64 // of the device memory
	Close()        // frees the device memory
}

// Plans is a cache of plans, most recently used first. The least recently used plan is closed
// first. The type Key identifies the problems that one plan can solve. The fields must not be
// changed after the first use.
type Plans[Key comparable] struct {
	Make func(Key) (Plan, error)

	Most int // largest number of plans

	// MostBytes limits the sum of the plans' device memory. The most recently used plan may be
	// larger. 0 means no limit.
	MostBytes uint64

	mu   sync.Mutex // held while a plan is in use: the device solves one matrix at a time anyway
	kept []entry[Key]
}

type entry[Key comparable] struct {
	Plan
	key Key
}

// With calls the function `use` with a plan for the key. The plan is a kept one or a new one. With
// returns the error of making the plan, and does not return the error of `use`. If `use` fails,
// With closes the plan, unless the error is a NonFiniteError. After the loss of a device, each call
// of With therefore tries to make a new plan, and returns the error of this attempt.
func (ps *Plans[Key]) With(key Key, use func(Plan) error) error {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p, err := ps.take(key)
	if err != nil {
		return err
	}
	var data *evd.NonFiniteError
	if err := use(p.Plan); err != nil && !errors.As(err, &data) {
		p.Close()
		return nil
	}
	ps.keep(p)
	return nil
}

// take removes a plan for the key from the list, or makes one. If the device has too little memory
// for it, `take` closes all kept plans and tries again.
func (ps *Plans[Key]) take(key Key) (entry[Key], error) {
	for i, p := range ps.kept {
		if p.key == key {
			ps.kept = append(ps.kept[:i], ps.kept[i+1:]...)
			return p, nil
		}
	}
	made, err := ps.Make(key)
	var full *vk.OutOfMemoryError
	if errors.As(err, &full) && len(ps.kept) > 0 {
		ps.shrink(0)
		made, err = ps.Make(key)
	}
	return entry[Key]{made, key}, err
}

func (ps *Plans[Key]) keep(p entry[Key]) {
	ps.kept = append([]entry[Key]{p}, ps.kept...)
	ps.shrink(ps.allowed())
}

// allowed returns how many of the plans, from the front, are within the limits Most and MostBytes.
func (ps *Plans[Key]) allowed() int {
	var sum uint64
	for i, p := range ps.kept {
		sum += p.Bytes()
		if i == ps.Most || i > 0 && ps.MostBytes > 0 && sum > ps.MostBytes {
			return i
		}
	}
	return len(ps.kept)
}

// shrink closes the least recently used plans until at most `to` plans are left.
func (ps *Plans[Key]) shrink(to int) {
	for len(ps.kept) > to {
		last := len(ps.kept) - 1
		ps.kept[last].Close()
		ps.kept = ps.kept[:last]
	}
}

func (ps *Plans[Key]) Count() int {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return len(ps.kept)
}

// Close closes all kept plans. The method With can still be called afterwards, and makes new plans.
func (ps *Plans[Key]) Close() {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.shrink(0)
}
