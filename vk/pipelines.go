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

// pipelines makes each pipeline once and keeps the driver's compiled form on disk.
type pipelines struct {
	lock    sync.Mutex
	cache   *driver.Cache
	path    string // "" keeps nothing
	fresh   bool   // something was compiled that the file lacks
	layouts map[int]uint64
	made    map[string]*pipeline
	asked   []*pipeline // what Build was asked for, in order, while someone collects
	collect int         // how many do
	workers chan struct{}
	pending sync.WaitGroup
}

// pipeline is one that is made, or is being made.
type pipeline struct {
	about  KernelStatistics // but for what the driver says; only with Options.Statistics
	layout uint64
	done   chan struct{} // closed when the rest is known
	handle uint64
	err    error
}

// recipe is all that a pipeline is made of.
type recipe struct {
	name     string
	code     []byte            // SPIR-V
	spec     []spirv.SpecField // the specialisation constants
	data     []byte            // and their values
	pushSize int
	full     bool // its subgroups must be full: invocations speak with neighbours by number
}

// wait returns when the pipeline is there, or why it is not.
func (p *pipeline) wait() error {
	<-p.done
	return p.err
}

// failed tells whether it is known to be of no use.
func (p *pipeline) failed() bool {
	select {
	case <-p.done:
		return p.err != nil
	default:
		return false
	}
}

func (p *pipelines) open(d *Device) error {
	p.layouts, p.made = map[int]uint64{}, map[string]*pipeline{}
	p.workers = make(chan struct{}, runtime.GOMAXPROCS(0))
	var data []byte
	if d.opt.CacheDir != "" {
		id := d.from.props
		p.path = filepath.Join(d.opt.CacheDir, fmt.Sprintf("pipelines-%04x-%04x-%s.bin", id.Vendor, id.ID, hex.EncodeToString(id.PipelineUUID[:])))
		data = readCache(p.path)
	}
	var err error
	if p.cache, err = d.dev.NewCache(data); err != nil && data != nil {
		p.cache, err = d.dev.NewCache(nil) // a cache that the driver refuses is a miss
	}
	return err
}

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

// Compile runs build, which may call Build any number of times, and lets the driver
// compile all of these kernels at the same time. It returns build's error, or the first that a
// kernel failed with, in the order of the calls. (If other goroutines build kernels meanwhile,
// theirs may be among them; they hear of a failure from Run at the latest.)
func (d *Device) Compile(build func() error) error {
	asked, err := d.collect(build)
	for _, p := range asked {
		if failed := p.wait(); err == nil {
			err = failed
		}
	}
	return err
}

// collect runs build and returns the kernels that it asked for, of which some may
// still be compiling.
func (d *Device) collect(build func() error) ([]*pipeline, error) {
	p := &d.pipes
	p.lock.Lock()
	p.collect++
	from := len(p.asked)
	p.lock.Unlock()
	var all []*pipeline
	defer func() { // also if build panics
		p.lock.Lock()
		defer p.lock.Unlock()
		if p.collect--; p.collect == 0 {
			p.asked = nil
		}
	}()
	err := build()
	p.lock.Lock()
	all = slices.Clone(p.asked[from:])
	p.lock.Unlock()
	return all, err
}

// pipeline returns the pipeline of a recipe: a finished one, or for those who collect
// one that is under way.
func (d *Device) pipeline(r recipe) (*pipeline, error) {
	v, collected, err := d.request(r)
	if err != nil || collected {
		return v, err
	}
	return v, v.wait()
}

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

// start begins to make a pipeline. The caller has the lock.
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

// code is the SPIR-V that the driver compiles.
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

func words(code []byte) []uint32 {
	w := make([]uint32, len(code)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	return w
}
