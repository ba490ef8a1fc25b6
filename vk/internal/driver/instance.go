package driver

//go:generate go run gen_binding.go

// #cgo !windows LDFLAGS: -ldl
// #cgo windows LDFLAGS: -Wl,-Bstatic -lwinpthread -Wl,-Bdynamic
// #cgo CFLAGS: -std=gnu11 -O2
// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// LoaderError says that no Vulkan loader could be opened. Reason says why.
type LoaderError struct{ Reason string }

func (e *LoaderError) Error() string { return "no Vulkan loader: " + e.Reason }

// load opens the loader once in a process. The Go binding stores the loader's functions in global
// variables, so the loader is never closed.
var load = sync.OnceValue(func() error {
	var reason *C.char
	entry := C.vke_open_loader(&reason)
	if entry == nil {
		return &LoaderError{C.GoString(reason)}
	}
	C.vke_load_global(entry)
	bSetGetInstanceProcAddr(entry)
	return bInit()
})

// Instance is a Vulkan instance.
type Instance struct {
	handle bInstance

	messages *C.vke_messages // of the validation layer; nil if it is off
}

// instanceLock guards the global variable `parked`, and the global variables that the bindings'
// function InitInstance writes.
var instanceLock sync.Mutex

// parked is an instance that Destroy has stored for the next NewInstance, or nil. While an instance
// exists, the loader keeps the drivers loaded. NVIDIA's driver can be loaded only about thirty
// times in a process, because each load takes static thread-local storage that is never released.
var parked bInstance

const (
	apiVersion     = 1<<22 | 3<<12 // 1.3
	debugExtension = "VK_EXT_debug_utils\x00"

	// Loaders list some drivers only if a program asks for this extension: MoltenVK, and other
	// drivers that lack parts of Vulkan. If such a driver is listed, an error message can say which
	// feature its device lacks. Otherwise the message would say that there is no device.
	portabilityExtension = "VK_KHR_portability_enumeration\x00"
	portabilityFlag      = 1

	validationLayer = "VK_LAYER_KHRONOS_validation\x00"
)

// NewInstance makes an instance. `app` is the name of the application. If `validate` is true,
// NewInstance turns on Khronos' validation layer; the method Messages returns the messages of this
// layer. The caller destroys the instance. The error is a *LoaderError, or an *Error such as
// NoDriver or LayerMissing.
func NewInstance(app string, validate bool) (*Instance, error) {
	instanceLock.Lock()
	defer instanceLock.Unlock()
	return newInstance(app, validate)
}

// held is the number of instances that exist beside `parked`. instanceLock guards it.
var held int

// Preload loads the drivers, unless an instance has loaded them already, so that the next
// NewInstance without validation is fast. Meanwhile NewInstance waits. Preload returns no error: if
// it fails, the next NewInstance fails in the same way.
func Preload(app string) {
	instanceLock.Lock()
	defer instanceLock.Unlock()
	if parked != nil || held > 0 {
		return
	}
	if in, err := newInstance(app, false); err == nil {
		in.release()
	}
}

func newInstance(app string, validate bool) (*Instance, error) {
	if err := load(); err != nil {
		return nil, err
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	name := append([]byte(app), 0)
	pin.Pin(&name[0])
	appInfo := bApplicationInfo{
		SType: bStructureTypeApplicationInfo, PApplicationName: unsafe.String(&name[0], len(name)), ApiVersion: apiVersion,
	}
	info := bInstanceCreateInfo{SType: bStructureTypeInstanceCreateInfo, PApplicationInfo: &appInfo}
	var extensions []string
	if C.vke_has_portability() != 0 {
		extensions, info.Flags = append(extensions, portabilityExtension), portabilityFlag
	}
	if validate {
		info.EnabledLayerCount, info.PpEnabledLayerNames = 1, []string{validationLayer}
		extensions = append(extensions, debugExtension)
	}
	info.EnabledExtensionCount, info.PpEnabledExtensionNames = uint32(len(extensions)), extensions
	in := &Instance{}
	err := created(try("vkCreateInstance", func() Result {
		if !validate && parked != nil {
			in.handle, parked = parked, nil
			return Success
		}
		return Result(bCreateInstance(&info, nil, &in.handle))
	}))
	info.Free()
	appInfo.Free()
	if err != nil {
		return nil, err
	}
	held++
	if err := bInitInstance(in.handle); err != nil {
		in.release()
		return nil, err
	}
	C.vke_load_instance(in.c())
	if validate {
		if err := in.listen(); err != nil {
			in.release()
			return nil, err
		}
	}
	return in, nil
}

// listen makes Vulkan store the messages of the validation layer for the method Messages.
func (in *Instance) listen() error {
	return created(try("vkCreateDebugUtilsMessengerEXT", func() Result {
		var r C.VkResult
		in.messages = C.vke_listen(in.c(), &r)
		return Result(r)
	}))
}

func (in *Instance) c() C.VkInstance { return *(*C.VkInstance)(unsafe.Pointer(&in.handle)) }

// Destroy destroys the instance, after its devices, or stores it in the variable `parked`.
func (in *Instance) Destroy() {
	instanceLock.Lock()
	defer instanceLock.Unlock()
	in.release()
}

// release is Destroy for a caller that holds instanceLock.
func (in *Instance) release() {
	held--
	if in.messages != nil {
		C.vke_unlisten(in.c(), in.messages)
		in.messages = nil
		destroyed()
		bDestroyInstance(in.handle, nil)
	} else if parked == nil {
		parked = in.handle
	} else {
		bDestroyInstance(in.handle, nil)
	}
	destroyed()
}

type Message struct {
	Error bool // otherwise it is a warning
	Text  string
}

// Messages returns the messages of the validation layer since the last call, in their order.
func (in *Instance) Messages() []Message {
	if in.messages == nil {
		return nil
	}
	var all []Message
	buf := (*C.char)(C.malloc(4096))
	defer C.free(unsafe.Pointer(buf))
	for {
		severity := C.vke_next_message(in.messages, buf, 4096)
		if severity == 0 {
			return all
		}
		all = append(all, Message{Error: severity&0x1000 != 0, Text: C.GoString(buf)})
	}
}

// Physicals lists the physical devices in the loader's order. The devices refer to the instance and
// must not be used after the instance was destroyed. An empty list is not an error.
func (in *Instance) Physicals() ([]Physical, error) {
	instanceLock.Lock()
	defer instanceLock.Unlock()
	var n uint32
	count := func() Result { return Result(bEnumeratePhysicalDevices(in.handle, &n, nil)) }
	if err := try("vkEnumeratePhysicalDevices", count); err != nil {
		return nil, fmt.Errorf("%w (no Vulkan driver is installed, or none works)", err)
	}
	if n == 0 {
		return nil, nil
	}
	handles := make([]bPhysicalDevice, n)
	list := func() Result { return Result(bEnumeratePhysicalDevices(in.handle, &n, handles)) }
	if err := try("vkEnumeratePhysicalDevices", list); err != nil {
		return nil, err
	}
	all := make([]Physical, n)
	for i := range all {
		all[i] = Physical{in: in, handle: handles[i]}
	}
	return all, nil
}

// cstrings copies strings to an array in C memory, which Go's garbage collector does not move. The
// caller must call `free` exactly once, after C has read the strings.
func cstrings(list []string) (array **C.char, free func()) {
	if len(list) == 0 {
		return nil, func() {}
	}
	mem := C.malloc(C.size_t(len(list)) * C.size_t(unsafe.Sizeof(uintptr(0))))
	view := unsafe.Slice((**C.char)(mem), len(list))
	for i, s := range list {
		view[i] = C.CString(s)
	}
	return (**C.char)(mem), func() {
		for _, s := range view {
			C.free(unsafe.Pointer(s))
		}
		C.free(mem)
	}
}
