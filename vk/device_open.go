package vk

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// List describes the devices of this machine, including devices that cannot be used. If a Vulkan
// loader is installed but no driver, the list is empty. Each Info has the index that Options.Device
// accepts. The error wraps ErrNoDevice, unless the environment variable VKEVD_WITHOUT has an
// unknown name.
func List() ([]Info, error) {
	in, all, err := examineAll(false, hiddenByEnvironment())
	if errors.Is(err, errNoDriver) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer in.Destroy()
	var list []Info
	for _, c := range all {
		list = append(list, c.info)
	}
	return list, nil
}

// Preload loads the Vulkan drivers, so that the next Open or List is faster. A program that will
// need a device may call it in a goroutine while it does other work. If there are no drivers, Open
// returns the error.
func Preload() { driver.Preload(application) }

const application = "vkevd" // for Vulkan's drivers

// examineAll makes an instance, which the caller destroys, and examines its devices as if they
// lacked the features named in `without`. The candidates must not be used after the instance is
// destroyed. The error wraps ErrNoDevice, unless it is about `without`.
func examineAll(validate bool, without []string) (*driver.Instance, []*candidate, error) {
	hide, err := hidden(without)
	if err != nil {
		return nil, nil, err
	}
	in, err := driver.NewInstance(application, validate)
	if d := (*driver.Error)(nil); errors.As(err, &d) && d.Result == driver.NoDriver {
		err = errNoDriver
	}
	if err != nil {
		return nil, nil, noDevice(err)
	}
	physicals, err := in.Physicals()
	if err != nil {
		in.Destroy()
		return nil, nil, noDevice(err)
	}
	var all []*candidate
	for i, p := range physicals {
		all = append(all, examine(i, p, hide))
	}
	return in, all, nil
}

var errNoDriver = errors.New("the Vulkan loader found no driver")

func noDevice(err error) error {
	var failed *driver.Error
	layers := errors.As(err, &failed) && failed.Result == driver.LayerMissing
	return fmt.Errorf("%w: %w; %s", ErrNoDevice, err, vulkanSource(runtime.GOOS, layers))
}

// vulkanSource says how to install Vulkan, or only its layers, on a system named as in
// runtime.GOOS.
func vulkanSource(system string, layers bool) string {
	if layers && system == "linux" {
		return "on Debian and Ubuntu: apt install vulkan-validationlayers"
	}
	if layers {
		return "the validation layer comes with the Vulkan SDK"
	}
	switch system {
	case "windows":
		return "Vulkan comes with the graphics driver of the GPU's maker"
	case "darwin":
		return "macOS has none of its own, and MoltenVK no 64-bit floating point"
	}
	return "on Debian and Ubuntu: apt install libvulkan1 mesa-vulkan-drivers"
}

// Open opens a device. The caller closes the device. If no device can be used, the error wraps
// ErrNoDevice and says why the last device was refused.
func Open(opt Options) (*Device, error) {
	d, err := newDevice(opt.withDefaults(), false)
	if err != nil {
		return nil, err
	}
	d.info.MaxBuffer = lesser(d.info.MaxBuffer, opt.MaxBuffer)
	if err := d.open(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// choose returns the first device of the highest rank among the usable ones that the word names. An
// empty word names all devices. The error wraps ErrNoDevice and, if the word names a device, the
// reason why the last of these devices was refused.
func choose(all []*candidate, word string, single bool) (*candidate, error) {
	var best *candidate
	var refused error
	for _, c := range all {
		if word != "" && !c.matches(word) {
			continue
		}
		if c.problem != nil {
			refused = c.problem
			continue
		}
		if best == nil || c.rank(single) > best.rank(single) {
			best = c
		}
	}
	switch {
	case best != nil:
		return best, nil
	case refused != nil:
		return nil, fmt.Errorf("%w: %w", ErrNoDevice, refused)
	case word != "" && len(all) > 0:
		return nil, fmt.Errorf("%w: none matches %q; vkevd devices lists them", ErrNoDevice, word)
	}
	return nil, noDevice(errNoDriver)
}

// newDevice chooses a device, whose Vulkan objects are not made yet. If `dry` is true, it also
// accepts a driver without a device. Device.Close releases the Vulkan instance.
func newDevice(opt Options, dry bool) (*Device, error) {
	in, all, err := examineAll(opt.Validate, opt.Without)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if dry && c.onlyCompiles {
			c.problem, c.info.Problem = nil, ""
		}
	}
	best, err := choose(all, opt.Device, opt.Single)
	if err != nil {
		in.Destroy()
		return nil, err
	}
	d := &Device{info: best.info, opt: opt, dry: dry, compiles: true, in: in, from: best}
	d.usage.init()
	return d, nil
}

func (d *Device) open() error {
	if err := d.openPipelines(); err != nil {
		return err
	}
	if err := d.queue.open(d); err != nil {
		return wrap("opening the queue", "", "", err)
	}
	if err := d.openControl(); err != nil {
		return wrap("allocating the abort word", "", "", err)
	}
	return d.openBounds()
}

// openPipelines makes what compilation needs: the pipeline cache, and the logical device with the
// features in `required` and with those in `wanted` that the physical device has.
func (d *Device) openPipelines() (err error) {
	use := driver.Features{}
	for _, f := range slices.Concat(required, wanted) {
		use[f] = d.from.features[f]
	}
	stored := make(chan storedCache, 1)
	go func() { stored <- readCache(d.cachePath("pipelines")) }() // while the driver makes the device
	if d.dev, err = d.from.physical.NewDevice(d.from.family, use, d.extensions()); err != nil {
		return wrap("opening the device", "", "", err)
	}
	if err = d.pipes.open(d, <-stored); err != nil {
		return wrap("opening the pipeline cache", "", "", err)
	}
	return nil
}

// extensions lists the extensions to use. Those that are part of Vulkan 1.3 are for older devices.
func (d *Device) extensions() []string {
	older := d.from.props.API < driver.Vulkan13
	var list []string
	for _, e := range []struct {
		name string
		use  bool
	}{
		{driver.MemoryBudgetExtension, true},
		{driver.StatisticsExtension, d.opt.Statistics},
		{driver.SubgroupSizeExtension, older},
		{driver.Maintenance4Extension, older},
		{driver.IntegerDotExtension, older},
		{driver.MatrixExtension, true},
		{driver.HostMemoryExtension, true},
	} {
		if e.use && slices.Contains(d.from.extensions, e.name) {
			list = append(list, e.name)
		}
	}
	return list
}

// openControl allocates the abort word, in the device's own memory if the host can access this
// memory. Vulkan does not guarantee that a running kernel sees later writes of the host. On
// NVIDIA's GPUs a running kernel does not see changes of a word in host memory. The memory is
// coherent, so neither host nor device must flush it.
func (d *Device) openControl() (err error) {
	const controlBytes = 256
	if d.control, err = d.newControl(controlBytes); err != nil {
		return err
	}
	d.abort = d.control.Address
	atomic.StoreUint32(word(d.control.Host), d.aborted)
	return nil
}
