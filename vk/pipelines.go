package vk

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// pipelines makes each pipeline once. A pipeline is identified by the name of its kernel and the
// values of its constants. The driver's compiled form is stored in a file, because NVIDIA's driver
// takes seconds to compile some kernels.
//
// Each pipeline is compiled in its own goroutine. Build waits for its pipeline. Inside of Compile
// all pipelines are requested before any is waited for.
type pipelines struct {
	cache   *driver.Cache
	path    string         // of the file; "" keeps nothing
	workers chan struct{}  // one place for each compilation at a time
	pending sync.WaitGroup // compilations

	lock    sync.Mutex // guards what follows
	fresh   bool       // something was compiled that the file lacks
	layouts map[int]uint64
	made    map[string]*pipeline
	asked   []*pipeline // pipelines that Build requested while collect > 0, in order
	collect int         // number of collectors
}

// pipeline is a pipeline that is made, or is being made. It belongs to the device, which destroys
// it. After an error the next request for the same recipe makes a new one.
type pipeline struct {
	// about has the statistics that are known without the driver. It is set only with
	// Options.Statistics.
	about KernelStatistics

	layout uint64

	// done is closed when handle and err are valid.
	done   chan struct{}
	handle uint64
	err    error
}

// wait returns when the pipeline is made. Its error says why the pipeline could not be made. Any
// goroutine may call it any number of times.
func (p *pipeline) wait() error {
	<-p.done
	return p.err
}

// failed tells whether the pipeline is already known to have failed.
func (p *pipeline) failed() bool {
	select {
	case <-p.done:
		return p.err != nil
	default:
		return false
	}
}

// open reads the cache file. A cache that the driver refuses counts as empty. open makes no
// pipelines. Nothing else may use p before open has returned.
func (p *pipelines) open(d *Device) error {
	p.layouts, p.made = map[int]uint64{}, map[string]*pipeline{}
	p.workers = make(chan struct{}, runtime.GOMAXPROCS(0))
	p.path = d.cachePath("pipelines")
	data := readCache(p.path)
	var err error
	if p.cache, err = d.dev.NewCache(data); err != nil && data != nil {
		p.cache, err = d.dev.NewCache(nil)
	}
	return err
}

// cachePath is the name of a file about the device and its driver, or "" if there is no folder. The
// name contains the identity of the pipeline cache, which changes with the driver's version. So a
// driver never reads the file of another one.
func (d *Device) cachePath(kind string) string {
	if d.opt.CacheDir == "" {
		return ""
	}
	id := d.from.props
	name := fmt.Sprintf("%s-%04x-%04x-%s.bin", kind, id.Vendor, id.ID, hex.EncodeToString(id.PipelineUUID[:]))
	return filepath.Join(d.opt.CacheDir, name)
}

// close waits for the compilations, destroys everything and writes the file. If the file cannot be
// written, it logs a warning. No other call may be in progress. p may be open only in part.
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
		if data, err := d.dev.CacheData(p.cache); err == nil {
			if err := writeCache(p.path, data); err != nil {
				d.opt.Logger.Warn("pipeline cache not written", "error", err)
			}
		}
	}
	d.dev.DestroyCache(p.cache)
}

// pipeline returns the pipeline of a recipe. The pipeline is finished, unless a call of collect is
// in progress. The error is an *Error with the kernel's name.
func (d *Device) pipeline(r recipe) (*pipeline, error) {
	v, collected, err := d.request(r)
	if err != nil || collected {
		return v, err
	}
	return v, v.wait()
}

// request returns the pipeline of a recipe, which may still be compiling, and whether a call of
// collect is in progress. A pipeline that could not be made is tried again. Two recipes are the
// same if the kernel's name and the values of all constants are the same. Names must therefore be
// unique among modules.
func (d *Device) request(r recipe) (v *pipeline, collected bool, err error) {
	if err := d.usage.enter(); err != nil {
		return nil, false, err
	}
	defer d.usage.leave()
	p := &d.pipes
	p.lock.Lock()
	defer p.lock.Unlock()
	collected = p.collect > 0
	key := r.name + "\x00" + string(r.data)
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

// start begins to make a pipeline, in its own goroutine. The caller must have the lock. At most
// GOMAXPROCS pipelines are compiled at the same time. r.data is copied.
func (d *Device) start(r recipe) (*pipeline, error) {
	p := &d.pipes
	layout, ok := p.layouts[r.pushSize]
	if !ok {
		var err error
		if layout, err = d.dev.NewLayout(r.pushSize); err != nil {
			return nil, wrap("making the pipeline layout", r.name, "", err)
		}
		p.layouts[r.pushSize] = layout
	}
	v := &pipeline{layout: layout, done: make(chan struct{})}
	if d.opt.Statistics {
		var err error
		if v.about, err = describe(r); err != nil {
			return nil, wrap("looking into", r.name, "", err)
		}
	}
	code, err := d.code(r)
	if err != nil {
		return nil, err
	}
	req := driver.PipelineRequest{Code: words(code), Layout: layout, Data: slices.Clone(r.data), FullSubgroups: r.full}
	if r.full {
		req.SubgroupSize = d.from.requiredSubgroup()
	}
	for _, s := range r.spec {
		req.Entries = append(req.Entries, driver.SpecEntry{ID: s.ID, Offset: uint32(s.Offset), Size: uint32(s.Size)})
	}
	p.pending.Add(1)
	go func() {
		defer p.pending.Done()
		p.workers <- struct{}{}
		handle, err := d.dev.NewPipeline(p.cache, req)
		<-p.workers
		v.handle, v.err = handle, wrap("compiling", r.name, "", err)
		if err == nil {
			p.lock.Lock()
			p.fresh = true
			p.lock.Unlock()
		}
		close(v.done)
	}()
	return v, nil
}

// code returns the SPIR-V that the driver compiles: the code of the module, with checks of accesses
// if these are on, and with declarations of the arithmetic. r.code itself stays as it is.
func (d *Device) code(r recipe) ([]byte, error) {
	code, err := d.bounds.guard(r)
	if err != nil {
		return nil, wrap("guarding", r.name, "", err)
	}
	if code, err = spirv.ControlFloats(code, floatModes(&d.from.props)); err != nil {
		return nil, wrap("declaring the arithmetic", r.name, "", err)
	}
	return code, nil
}

// words converts bytes of SPIR-V to words. The number of bytes should be a multiple of four; extra
// bytes are dropped.
func words(code []byte) []uint32 {
	w := make([]uint32, len(code)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	return w
}
