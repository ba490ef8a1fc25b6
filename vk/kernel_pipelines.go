package vk

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// pipelines makes each pipeline once. A pipeline is identified by the name of its kernel, the
// values of its constants, and whether it translates addresses. A file stores the compiled
// pipelines, because NVIDIA's driver takes seconds to compile some kernels.
//
// Each pipeline is compiled in its own goroutine. Build waits until its pipeline is compiled.
// Inside of Compile, Build does not wait: Compile waits after all pipelines were requested.
type pipelines struct {
	cache   *driver.Cache
	path    string            // of the file; "" keeps nothing
	stored  [sha256.Size]byte // hash of the file's data; 0 without a file
	workers chan struct{}     // one place for each compilation at a time
	pending sync.WaitGroup    // compilations

	lock    sync.Mutex // guards what follows
	fresh   bool       // something was compiled, or taken from the cache
	layouts map[int]uint64
	made    map[string]*pipeline
	asked   []*pipeline // pipelines that Build requested while collect > 0, in order
	times   []Timing    // seconds of the driver's compiler, by kernel
	collect int         // number of collectors
}

// pipeline is a pipeline that is compiled or being compiled. The device owns the pipeline and
// destroys it. If the compilation has failed, the next request for the same kernel and constants
// makes a new pipeline.
type pipeline struct {
	// `about` describes the pipeline, without the numbers of the driver. `recipe` is what the
	// pipeline is made from. Both are set only with Options.Statistics.
	about  KernelStatistics
	recipe recipe

	layout uint64
	done   chan struct{} // closed when the compilation has ended; handle and err are valid then
	handle uint64
	err    error
}

func (p *pipeline) wait() error {
	<-p.done
	return p.err
}

func (p *pipeline) failed() bool {
	select {
	case <-p.done:
		return p.err != nil
	default:
		return false
	}
}

// open makes the cache from the data of the cache file, or an empty one if the driver refuses them.
// open must be called before all other methods.
func (p *pipelines) open(d *Device, stored storedCache) error {
	p.layouts, p.made = map[int]uint64{}, map[string]*pipeline{}
	p.workers = make(chan struct{}, runtime.GOMAXPROCS(0))
	p.path = d.cachePath("pipelines")
	p.stored = stored.sum
	var err error
	if p.cache, err = d.dev.NewCache(stored.data); err != nil && stored.data != nil {
		p.cache, err = d.dev.NewCache(nil)
	}
	return err
}

// cachePath returns the path of a cache file with data of some kind, or "" if Options.CacheDir is
// "". The path contains the driver's UUID of the pipeline cache, which changes with the driver's
// version, so that a driver never reads the file of another driver.
func (d *Device) cachePath(kind string) string {
	if d.opt.CacheDir == "" {
		return ""
	}
	id := d.from.props
	name := fmt.Sprintf("%s-%04x-%04x-%s.bin", kind, id.Vendor, id.ID, hex.EncodeToString(id.PipelineUUID[:]))
	return filepath.Join(d.opt.CacheDir, name)
}

// close waits for the compilations, destroys all pipelines and writes the cache file if its data
// have changed. No other call may be in progress. It also works if the method `open` has failed.
func (p *pipelines) close(d *Device) {
	p.pending.Wait()
	for _, v := range p.made {
		if v.err == nil {
			d.dev.DestroyPipeline(v.handle)
		}
	}
	for _, l := range p.layouts {
		d.dev.DestroyLayout(l)
	}
	if p.cache == nil {
		return
	}
	if p.fresh && p.path != "" {
		if data, err := d.dev.CacheData(p.cache); err == nil && sha256.Sum256(data) != p.stored {
			if err := writeCache(p.path, data); err != nil {
				d.opt.Logger.Warn("pipeline cache not written", "error", err)
			}
		}
	}
	d.dev.DestroyCache(p.cache)
}

// pipeline returns the pipeline of the recipe r, and waits until it is compiled, except during a
// call of `collect`.
func (d *Device) pipeline(r recipe) (*pipeline, error) {
	v, collected, err := d.request(r)
	if err != nil || collected {
		return v, err
	}
	return v, v.wait()
}

// request returns the pipeline that is made from the recipe r, and starts its compilation if
// needed, also if an earlier compilation has failed. `collected` tells whether a call of `collect`
// is in progress. Two recipes give the same pipeline if the kernel's name and the values of all
// constants are the same, and if both or none of them translate addresses. Kernels must therefore
// have different names.
func (d *Device) request(r recipe) (v *pipeline, collected bool, err error) {
	if err := d.usage.enter(); err != nil {
		return nil, false, err
	}
	defer d.usage.leave()
	p := &d.pipes
	p.lock.Lock()
	defer p.lock.Unlock()
	collected = p.collect > 0
	key := r.title() + "\x00" + string(r.data)
	v = p.made[key]
	if v == nil || v.failed() {
		if v, err = d.start(r); err != nil {
			return nil, false, err
		}
		p.made[key] = v
	}
	if collected {
		p.asked = append(p.asked, v)
	}
	return v, collected, nil
}

// start starts the compilation of the recipe's pipeline in a goroutine of its own. At most
// GOMAXPROCS pipelines are compiled at the same time. The caller holds p.lock. The bytes r.data are
// copied.
func (d *Device) start(r recipe) (*pipeline, error) {
	p := &d.pipes
	layout, ok := p.layouts[r.pushSize]
	if !ok {
		var err error
		if layout, err = d.dev.NewLayout(r.pushSize); err != nil {
			return nil, wrap("making the pipeline layout", r.title(), "", err)
		}
		p.layouts[r.pushSize] = layout
	}
	v := &pipeline{layout: layout, done: make(chan struct{})}
	if d.opt.Statistics {
		var err error
		if v.about, err = describe(r); err != nil {
			return nil, wrap("looking into", r.title(), "", err)
		}
		v.recipe = r
	}
	guarded, err := d.bounds.guard(r)
	if err != nil {
		return nil, wrap("guarding", r.title(), "", err)
	}
	req := driver.PipelineRequest{Layout: layout, Data: slices.Clone(r.data), FullSubgroups: r.full}
	if r.exchanges {
		req.SubgroupSize = d.from.requiredSubgroup()
	}
	for _, s := range r.spec {
		req.Entries = append(req.Entries, driver.SpecEntry{ID: s.ID, Offset: uint32(s.Offset), Size: uint32(s.Size)})
	}
	p.pending.Add(1)
	go func() {
		defer p.pending.Done()
		p.workers <- struct{}{}
		defer func() { <-p.workers }()
		defer close(v.done)
		code, err := r.translate(guarded)
		if err == nil {
			code, err = d.controlled(r.title(), code)
		}
		if err != nil {
			v.err = err
			return
		}
		req.Code = words(code)
		began := time.Now()
		handle, err := d.dev.NewPipeline(p.cache, req)
		seconds := time.Since(began).Seconds()
		v.handle, v.err = handle, wrap("compiling", r.title(), "", err)
		if err == nil {
			p.lock.Lock()
			p.fresh = true
			tally(&p.times, r.title(), seconds, 1)
			p.lock.Unlock()
		}
	}()
	return v, nil
}

func (r recipe) translate(code []byte) ([]byte, error) {
	if r.pages == nil {
		return code, nil
	}
	code, err := spirv.TranslateAddresses(code, r.spec, r.data, *r.pages)
	return code, wrap("translating the addresses", r.title(), "", err)
}

// controlled returns a kernel's code with requests for the device's modes of floating-point
// arithmetic. This takes about as long as the driver needs for a pipeline from its cache, because
// the module is parsed. It is therefore done in the goroutine of the pipeline.
func (d *Device) controlled(name string, code []byte) (_ []byte, err error) {
	if driver.Rewrite != nil {
		if code, err = driver.Rewrite(code); err != nil {
			return nil, wrap("rewriting", name, "", err)
		}
	}
	if code, err = spirv.ControlFloats(code, floatModes(&d.from.props)); err != nil {
		return nil, wrap("declaring the arithmetic", name, "", err)
	}
	return code, nil
}

func words(code []byte) []uint32 {
	w := make([]uint32, len(code)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	return w
}

// floatModes returns the modes of floating-point arithmetic that kernels request: doubles keep
// their subnormals, signs of zeros, infinities and NaN, and are rounded to the nearest. The same
// holds for half-precision numbers, which kernels only store. If a device does not offer a mode,
// kernels do not request this mode, and Vulkan then guarantees nothing about this property.
//
// Some devices have one behaviour for all widths. On these devices a mode of doubles can only be
// requested together with the same mode of floats. A mode of half-precision numbers is then
// requested only together with both.
func floatModes(p *driver.Properties) []spirv.FloatControl {
	var list []spirv.FloatControl
	for _, m := range []struct {
		mode          spirv.FloatMode
		f64, f32, f16 bool
		together      bool
	}{
		{spirv.SignedZeroInfNanPreserve, p.Float64.Preserve, p.Float32.Preserve, p.Float16.Preserve, false},
		{spirv.DenormPreserve, p.Float64.Subnormals, p.Float32.Subnormals, p.Float16.Subnormals, p.SubnormalsTogether},
		{spirv.RoundingModeRTE, p.Float64.Nearest, p.Float32.Nearest, p.Float16.Nearest, p.RoundingTogether},
	} {
		both := m.f64 && m.f32
		if m.f64 && (both || !m.together) {
			list = append(list, spirv.FloatControl{Mode: m.mode, Bits: 64})
		}
		if both && m.together {
			list = append(list, spirv.FloatControl{Mode: m.mode, Bits: 32})
		}
		if m.f16 && (both || !m.together) {
			list = append(list, spirv.FloatControl{Mode: m.mode, Bits: 16})
		}
	}
	return list
}
