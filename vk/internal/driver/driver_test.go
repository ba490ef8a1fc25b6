package driver

import (
	"errors"
	"slices"
	"testing"
	"unsafe"
)

func sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}

// Go passes a list of commands to C unchanged. Therefore the Go type Command and the C type
// vke_command must have the same size.
func TestCommandHasTheShimsSize(t *testing.T) {
	if got := unsafe.Sizeof(Command{}); got != commandSize {
		t.Errorf("Command has %d bytes, vke_command %d", got, commandSize)
	}
}

// open makes one Vulkan instance and one device, and leaves no other object.
func open() (*Instance, *Device, error) {
	in, err := NewInstance("driver test", false)
	if err != nil {
		return nil, nil, err
	}
	all, err := in.Physicals()
	if err == nil && len(all) == 0 {
		err = errors.New("no device")
	}
	if err != nil {
		in.Destroy()
		return nil, nil, err
	}
	p := all[0]
	var use Features
	for _, f := range []Feature{BufferDeviceAddress, TimelineSemaphore} {
		use[f] = p.Features()[f]
	}
	d, err := p.NewDevice(0, use, nil)
	if err != nil {
		in.Destroy()
		return nil, nil, err
	}
	return in, d, nil
}

// everything makes an object of most kinds of package driver, and releases all of them. It makes no
// pipeline, and imports no host memory.
func everything() error {
	in, d, err := open()
	if err != nil {
		return err
	}
	defer in.Destroy()
	defer d.Destroy()
	b, err := d.NewBuffer(4096, []int{0, 1, 2, 3, 4}, false)
	if err != nil {
		return err
	}
	defer d.FreeBuffer(b)
	cache, err := d.NewCache(nil)
	if err != nil {
		return err
	}
	defer d.DestroyCache(cache)
	if _, err := d.CacheData(cache); err != nil {
		return err
	}
	l, err := d.NewLayout(16)
	if err != nil {
		return err
	}
	defer d.DestroyLayout(l)
	line, err := d.NewTimeline()
	if err != nil {
		return err
	}
	defer d.DestroyTimeline(line)
	batch, err := d.NewBatch(0, 4)
	if err != nil {
		return err
	}
	defer d.DestroyBatch(batch)
	commands := []Command{{Op: OpTimestamp}, {Op: OpFill, A: b.Raw(), Size: 64}, {Op: OpBarrier}, {Op: OpTimestamp, Word: 1}}
	if err := d.Record(batch, commands, nil, 2); err != nil {
		return err
	}
	if err := d.Submit(batch, line, 1); err != nil {
		return err
	}
	if err := d.Wait(line, 1, 1e10); err != nil {
		d.Idle()
		return err
	}
	if _, err := d.Timestamps(batch, 2); err != nil {
		return err
	}
	_, err = d.Value(line)
	return err
}

// TestEveryCallMayFail runs the function `everything`. In each run another driver call fails, with
// each of four errors of Vulkan. The function must return an error, and no object may be left. Only
// a full memory type need not be an error: a device may have a second type for the buffer.
func TestEveryCallMayFail(t *testing.T) {
	if err := everything(); err != nil {
		t.Fatal(err)
	}
	defer func() { Fault = nil }()
	for _, result := range []Result{OutOfHostMemory, OutOfMemory, DeviceLost, InitFailed} {
		for k, ended := 0, false; !ended; k++ {
			calls, name := 0, ""
			Fault = func(call string) Result {
				calls++
				if calls == k+1 {
					name = call
					return result
				}
				return Success
			}
			err := everything()
			ended = calls <= k
			var failed *Error
			another := err == nil && name == "vkAllocateMemory" && result == OutOfMemory
			if !ended && !another && !errors.As(err, &failed) {
				t.Errorf("call %d, %s, failing with %v gave %v", k, name, result, err)
			}
			if n := Live(); n != 0 {
				t.Fatalf("call %d failing with %v leaves %d objects", k, result, n)
			}
		}
	}
}

// NewInstance starts to collect the messages of the validation layer. If this fails, no instance
// may be left, and the lock instanceLock must be free.
func TestListenerMayFail(t *testing.T) {
	defer func() { Fault = nil }()
	Fault = func(call string) Result {
		if call == "vkCreateDebugUtilsMessengerEXT" {
			return OutOfHostMemory
		}
		return Success
	}
	if in, err := NewInstance("driver test", true); err == nil {
		in.Destroy()
		t.Error("no error")
	}
	if n := Live(); n != 0 {
		t.Errorf("%d objects left", n)
	}
}

// If a memory type is full, NewBuffer tries the next type. After any other failure it tries no
// other type.
func TestMemoryTypesAreTriedWhileFull(t *testing.T) {
	in, d, err := open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Destroy()
	defer d.Destroy()
	defer func() { Fault = nil }()
	for result, want := range map[Result]int{OutOfMemory: 3, OutOfHostMemory: 1, DeviceLost: 1, -10: 1} {
		tried := 0
		Fault = func(call string) Result {
			if call == "vkAllocateMemory" {
				tried++
				return result
			}
			return Success
		}
		var failed *Error
		if _, err := d.NewBuffer(4096, []int{0, 0, 0}, false); !errors.As(err, &failed) || failed.Result != result || tried != want {
			t.Errorf("%v: tried %d types, %v", result, tried, err)
		}
	}
}

// Preload loads the drivers, and the next NewInstance takes the instance that loaded them. If no
// instance can be made, NewInstance returns the error.
func TestPreload(t *testing.T) {
	before := parked
	parked = nil
	defer func() {
		if before != nil {
			bDestroyInstance(before, nil)
		}
	}()
	live := Live()
	Fault = func(string) Result { return OutOfHostMemory }
	Preload("driver test")
	Fault = nil
	if parked != nil {
		t.Error("an instance that could not be made was kept")
	}
	Preload("driver test")
	first := parked
	Preload("driver test")
	if first == nil || parked != first || Live() != live {
		t.Errorf("%v, then %v, %d objects", first, parked, Live()-live)
	}
	in, err := NewInstance("driver test", false)
	if err != nil {
		t.Fatal(err)
	}
	if in.handle != first || parked != nil {
		t.Error("the preloaded instance was not used")
	}
	Preload("driver test")
	if parked != nil {
		t.Error("the drivers were loaded again, although an instance exists")
	}
	in.Destroy()
}
