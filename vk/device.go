package vk

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Options say which device to open and how.
type Options struct {
	Device     string       // index, or part of the name or type; "" takes the best
	Validate   bool         // Khronos' validation layer, its messages go to Logger
	Logger     *slog.Logger // nil discards
	CacheDir   string       // where compiled pipelines are kept; "" keeps none
	Kernels    bool         // time every kernel, not only phases (a timestamp after each command)
	Statistics bool         // keep what the driver's compiler says of each kernel, for Device.Statistics

	// DebugShaders checks every memory access of the kernels, which takes many times as long. A Run whose
	// kernels touch what is in no region of an open arena ends with an *OutOfRangeError, and those accesses
	// come to nothing. Regions then never share memory, not those that are alive InTurn either, and lie
	// apart. Compiled kernels and answers of ProbeOnce are neither read from CacheDir nor kept there.
	DebugShaders bool

	// Batch is how long the device should be busy at one go, as far as that can be estimated; 0 takes
	// 100 ms. Cancelling waits for one batch. A nanosecond makes each command a batch, for tests.
	Batch time.Duration

	// MaxBuffer limits the size of one buffer of an Arena, in bytes, below the device's own limit; 0
	// leaves that as it is. It is for tests: a small matrix then has its memory in many buffers.
	MaxBuffer uint64
}

// Device is an open device. Its methods may be called from many goroutines;
// work is done one Run at a time.
type Device struct {
	info    Info
	opt     Options
	dry     bool
	in      *driver.Instance
	dev     *driver.Device
	from    *candidate
	pipes   pipelines
	probes  probes
	usage   usage
	closing sync.Once
	queue   queue
	control *driver.Buffer // the abort word, in memory that host and device see
	abort   uint64         // its device address
	aborted uint32         // what it holds
	staging *driver.Buffer
	bounds  *bounds // nil unless Options.DebugShaders

	arenasLock sync.Mutex
	arenas     []*Arena
	chunks     []*chunk      // of all arenas, by address
	dryChunks  atomic.Uint64 // number of chunks that a Dry device has given addresses
}

// List describes the devices of this machine, usable or not. Where there is a Vulkan loader
// and no driver, the list is empty.
func List() ([]Info, error) {
	in, all, err := examineAll(false)
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

func examineAll(validate bool) (*driver.Instance, []*candidate, error) {
	in, err := driver.NewInstance("vkevd", validate)
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
		all = append(all, examine(i, p))
	}
	return in, all, nil
}

var errNoDriver = errors.New("the Vulkan loader found no driver")

func noDevice(err error) error {
	return fmt.Errorf("%w: %w; %s", ErrNoDevice, err, whence(runtime.GOOS))
}

// whence says where an operating system gets Vulkan from.
func whence(system string) string {
	switch system {
	case "windows":
		return "Vulkan comes with the graphics driver of the GPU's maker"
	case "darwin":
		return "macOS has none of its own, and MoltenVK no 64-bit floating point"
	}
	return "on Debian and Ubuntu: apt install libvulkan1 mesa-vulkan-drivers"
}

// Open opens a device. When nothing fits, the error says why each one was refused.
func Open(opt Options) (*Device, error) {
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	if opt.Batch <= 0 {
		opt.Batch = batchTarget
	}
	if opt.DebugShaders {
		opt.CacheDir = "" // kernels that look alike and are not; facts found at another speed
	}
	in, all, err := examineAll(opt.Validate)
	if err != nil {
		return nil, err
	}
	best, err := choose(all, opt.Device)
	if err != nil {
		in.Destroy()
		return nil, err
	}
	d := &Device{info: best.info, opt: opt, in: in, from: best}
	d.usage.init()
	d.info.MaxBuffer = lesser(d.info.MaxBuffer, opt.MaxBuffer)
	if err := d.open(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func choose(all []*candidate, word string) (*candidate, error) {
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
		if best == nil || c.rank() > best.rank() {
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

func (d *Device) open() error {
	use := driver.Features{}
	for _, f := range slices.Concat(required, wanted) {
		use[f] = d.from.features[f]
	}
	var extensions []string
	for name, use := range map[string]bool{
		driver.MemoryBudgetExtension: true,
		driver.StatisticsExtension:   d.opt.Statistics,
		driver.SubgroupSizeExtension: d.from.props.API < driver.Vulkan13,
		driver.Maintenance4Extension: d.from.props.API < driver.Vulkan13,
	} {
		if use && slices.Contains(d.from.extensions, name) {
			extensions = append(extensions, name)
		}
	}
	var err error
	if d.dev, err = d.from.physical.NewDevice(d.from.family, use, extensions); err != nil {
		return wrap("opening the device", "", "", err)
	}
	if err = d.pipes.open(d); err != nil {
		return wrap("opening the pipeline cache", "", "", err)
	}
	if err = d.queue.open(d); err != nil {
		return wrap("opening the queue", "", "", err)
	}
	// The abort word belongs into the device's own memory: Vulkan promises a running kernel nothing
	// about later host writes, and NVIDIA's keeps seeing the old value of a word in host memory.
	const controlBytes = 256
	if d.control, err = d.newBuffer(controlBytes, driver.HostVisible|driver.HostCoherent, driver.DeviceLocal, true); err != nil {
		return wrap("allocating the abort word", "", "", err)
	}
	d.abort = d.control.Address
	atomic.StoreUint32(word(d.control.Host), d.aborted)
	return d.openBounds()
}

// Close waits for the calls in progress and releases everything, open arenas among it. Calls that
// begin later fail with ErrClosed. To close a device again does nothing.
func (d *Device) Close() error {
	if !d.dry {
		d.usage.close()
		d.closing.Do(d.release)
	}
	return nil
}

// release frees everything that was made. Nobody uses the device any more.
func (d *Device) release() {
	if d.dev != nil {
		if d.queue.value > 0 {
			d.dev.Idle()
		}
		for _, a := range d.openArenas() {
			a.free()
		}
		d.dev.FreeBuffer(d.staging)
		d.dev.FreeBuffer(d.control)
		if d.bounds != nil {
			d.dev.FreeBuffer(d.bounds.buffer)
		}
		d.queue.close(d)
		d.pipes.close(d)
		d.dev.Destroy()
	}
	d.drain()
	d.in.Destroy()
	d.in, d.dev = nil, nil
}

// Dry makes a device without a driver: layouts, arenas, kernels and
// recordings work, Run and transfers do not.
func Dry(info Info) *Device {
	return &Device{info: info, dry: true, opt: Options{Logger: slog.New(slog.DiscardHandler)}}
}

// Info describes the device.
func (d *Device) Info() Info { return d.info }

// Abort is the address of a word that Run sets to 1 when its context ends:
// kernels that wait or run long poll it.
func (d *Device) Abort() spirv.Addr[uint32] {
	if d.dry {
		return 0
	}
	return spirv.Addr[uint32](d.abort)
}

// setAbort changes the abort word, if need be: across a bus a store that all see at once takes 0.2 ms.
func (d *Device) setAbort(v uint32) {
	if d.aborted != v {
		d.aborted = v
		atomic.StoreUint32(word(d.control.Host), v)
	}
}

// drain passes the validation layers' messages on.
func (d *Device) drain() {
	for _, m := range d.in.Messages() {
		if m.Error {
			d.opt.Logger.Error(m.Text, "from", "validation")
		} else {
			d.opt.Logger.Warn(m.Text, "from", "validation")
		}
	}
}

// word views the first bytes of host memory as one word.
func word(b []byte) *uint32 { return (*uint32)(unsafe.Pointer(&b[0])) }
