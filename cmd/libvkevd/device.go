package main

// #include "entry.h"
import "C"

import (
	"unsafe"

	"github.com/vkevd/vkevd/internal/environ"
	"github.com/vkevd/vkevd/vk"
)

//export goDevices
func goDevices(list *C.vkevd_device_info, capacity C.int64_t, count *C.int64_t, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		switch {
		case count == nil:
			return errNull("count")
		case capacity < 0:
			return badArgument{"capacity: negative"}
		case list == nil && capacity > 0:
			return errNull("list")
		}
		*count = 0
		devices, err := vk.List()
		if err != nil {
			return err
		}
		*count = C.int64_t(len(devices))
		room := unsafe.Slice(list, int(capacity))
		for i := range min(len(devices), len(room)) {
			describe(&room[i], devices[i])
		}
		return nil
	})
}

func describe(to *C.vkevd_device_info, d vk.Info) {
	*to = C.vkevd_device_info{index: C.int32_t(d.Index), memory: C.uint64_t(d.Memory), free: C.uint64_t(d.Free)}
	if d.Problem == "" {
		to.usable = 1
	}
	putText(to._type[:], d.Type)
	putText(to.family[:], d.Family)
	putText(to.name[:], d.Name)
	putText(to.driver[:], d.Driver+" "+d.DriverVersion)
	putText(to.problem[:], d.Problem)
}

//export goOpen
func goOpen(name *C.char, h *C.vkevd_device, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		if h == nil {
			return errNull("device")
		}
		*h = 0
		which := C.GoString(name)
		if which == "" {
			which = environ.Get("VKEVD_DEVICE")
		}
		dev, err := vk.Open(vk.Options{Device: which, CacheDir: environ.CacheFolder()})
		if err != nil {
			return err
		}
		*h = keep[C.vkevd_device](dev)
		return nil
	})
}

//export goDescribe
func goDescribe(h C.vkevd_device, info *C.vkevd_device_info, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		dev, err := deviceOf(h)
		if err != nil {
			return err
		}
		if info == nil {
			return errNull("info")
		}
		d := dev.Info()
		d.Memory, d.Free = dev.Memory()
		describe(info, d)
		return nil
	})
}

//export goClose
func goClose(h C.vkevd_device, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		dev, err := deviceOf(h)
		if err != nil {
			return err
		}
		if err := within("device", func(t *turn) bool { return t.dev == dev }); err != nil {
			return err
		}
		if _, err := release[*vk.Device](h, "device"); err != nil {
			return err
		}
		return dev.Close()
	})
}
