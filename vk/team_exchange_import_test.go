package vk

import (
	"context"
	"errors"
	"testing"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// refuse lets one call of a Vulkan function fail: the call number `at`, counted from 0, or none if
// `at` is −1. It returns the number of calls so far, and a function that removes this fault.
func refuse(name string, at int) (calls *int, end func()) {
	calls = new(int)
	driver.Fault = func(call string) driver.Result {
		if call != name {
			return driver.Success
		}
		if *calls++; *calls == at+1 {
			return driver.OutOfHostMemory
		}
		return driver.Success
	}
	return calls, func() { driver.Fault = nil }
}

// imports are the Vulkan functions that an import of host memory calls.
var imports = []string{"vkCreateBuffer", "vkGetMemoryHostPointerPropertiesEXT", "vkAllocateMemory", "vkBindBufferMemory"}

// TestExchangeOfARefusedImport makes an exchange between three devices, one of which refuses to
// import the host's memory. Each device must then get memory of its own, words must arrive, and
// Close must leave nothing.
func TestExchangeOfARefusedImport(t *testing.T) {
	g := openExchange(t, 3, false, 0)
	if !g.dev[0].importsHost() {
		t.Skip("the devices cannot import host memory")
	}
	words := make([][1]uint32, len(g.dev))
	for _, err := range g.run(context.Background(), func(k int, rec *Recorder) { Receive(rec, words[k][:], g.mem[k]) }) {
		if err != nil { // from now on the devices have their staging buffers
			t.Fatal(err)
		}
	}
	live := driver.Live()
	for _, name := range imports {
		for device := range g.dev {
			_, end := refuse(name, device)
			x, err := NewExchange(g.dev, 64)
			end()
			if err != nil {
				t.Fatalf("%s of device %d fails: %v", name, device, err)
			}
			if x.Imported() || len(x.views) != len(g.dev) {
				t.Errorf("%s of device %d fails: imported %v, %d views", name, device, x.Imported(), len(x.views))
			}
			sent, got := NewEvent(), make([][]uint32, len(g.dev))
			for k, err := range g.run(context.Background(), func(k int, rec *Recorder) {
				got[k] = make([]uint32, 4)
				if to := g.mem[k].Sub(0, 4); k == 0 {
					Fill(rec, to, 77)
					Post(rec, x, 16, to)
					rec.Signal(sent)
				} else {
					rec.Wait(sent)
					Take(rec, to, x, 16)
				}
				Receive(rec, got[k], g.mem[k].Sub(0, 4))
			}) {
				if err != nil || got[k][0] != 77 || got[k][3] != 77 {
					t.Errorf("%s of device %d fails: device %d got %v, %v", name, device, k, got[k], err)
				}
			}
			x.Close()
			if n := driver.Live(); n != live {
				t.Errorf("%s of device %d fails: %d objects are left over", name, device, n-live)
			}
		}
	}
}

// TestLinkOfARefusedImport makes a link to a device that refuses to import the host's memory, as
// TestExchangeOfARefusedImport does for an exchange.
func TestLinkOfARefusedImport(t *testing.T) {
	p, err := openPair(1000, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if !p.dev[0].importsHost() {
		t.Skip("the devices cannot import host memory")
	}
	live := driver.Live()
	for _, name := range imports {
		for end := range p.dev {
			_, stop := refuse(name, end)
			l, err := newLink(p.dev[0], p.dev[1], 1000)
			stop()
			if err != nil || l.Imported() {
				t.Fatalf("%s of end %d fails: %v", name, end, err)
			}
			l.Close()
			if n := driver.Live(); n != live {
				t.Errorf("%s of end %d fails: %d objects are left over", name, end, n-live)
			}
		}
	}
}

// TestExchangeOfFailedMemory checks that NewExchange leaves nothing if a device can neither import
// host memory nor allocate its own.
func TestExchangeOfFailedMemory(t *testing.T) {
	for _, apart := range []bool{false, true} {
		g := openExchange(t, 2, apart, 0)
		live := driver.Live()
		calls, end := refuse("vkCreateBuffer", -1)
		x, err := NewExchange(g.dev, 64)
		end()
		if err != nil {
			t.Fatal(err)
		}
		x.Close()
		made := *calls
		driver.Fault = func(call string) driver.Result {
			if call == "vkCreateBuffer" {
				if made--; made < 1 { // from the second device on
					return driver.OutOfHostMemory
				}
			}
			return driver.Success
		}
		failed := (*DeviceError)(nil)
		_, err = NewExchange(g.dev, 64)
		driver.Fault = nil
		if !errors.As(err, &failed) {
			t.Errorf("apart %v: %v", apart, err)
		}
		if n := driver.Live(); n != live {
			t.Errorf("apart %v: %d objects are left over", apart, n-live)
		}
	}
}

// TestExchangeOfNoBytes makes exchanges of 0 bytes, with memory of the host and with memory of each
// device.
func TestExchangeOfNoBytes(t *testing.T) {
	for _, apart := range []bool{false, true} {
		g := openExchange(t, 2, apart, 0)
		live := driver.Live()
		x, err := NewExchange(g.dev, 0)
		if err != nil {
			t.Fatalf("apart %v: %v", apart, err)
		}
		if x.Bytes() != 0 || x.Imported() != g.x.Imported() {
			t.Errorf("apart %v: %d bytes, imported %v", apart, x.Bytes(), x.Imported())
		}
		for k, err := range g.run(context.Background(), func(k int, rec *Recorder) { Post(rec, x, 0, g.mem[k].Sub(0, 0)) }) {
			if err != nil {
				t.Errorf("apart %v: device %d: %v", apart, k, err)
			}
		}
		x.Close()
		if n := driver.Live(); n != live {
			t.Errorf("apart %v: %d objects are left over", apart, n-live)
		}
	}
}
