package vk

import (
	"context"
	"sync"
)

// gathered holds the devices that callers of Gather have reserved. `changed` is closed when some of
// them become free.
var gathered = struct {
	sync.Mutex
	devices map[*Device]bool
	changed chan struct{}
}{devices: map[*Device]bool{}, changed: make(chan struct{})}

// Gather reserves the devices for recordings that wait for each other (Event). It waits until no
// other caller of Gather has any of the devices, or returns the error of the context. Other Runs on
// these devices, which wait for no other device, need no reservation. The caller must call
// `release` when its recordings have ended.
func Gather(ctx context.Context, devices []*Device) (release func(), err error) {
	for {
		changed := gather(devices)
		if changed == nil {
			return func() { scatter(devices) }, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// gather reserves all devices and returns nil. If one of them is not free, gather reserves none,
// and returns a channel that is closed when some devices have become free.
func gather(devices []*Device) chan struct{} {
	gathered.Lock()
	defer gathered.Unlock()
	for _, d := range devices {
		if gathered.devices[d] {
			return gathered.changed
		}
	}
	for _, d := range devices {
		gathered.devices[d] = true
	}
	return nil
}

func scatter(devices []*Device) {
	gathered.Lock()
	defer gathered.Unlock()
	for _, d := range devices {
		delete(gathered.devices, d)
	}
	close(gathered.changed)
	gathered.changed = make(chan struct{})
}
