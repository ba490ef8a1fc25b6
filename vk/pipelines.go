package vk

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"
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
	made    map[string]pipeline
	asked   map[string]bool // what Build was asked for; nil while nobody wants to know
}

// pipeline is one that was made.
type pipeline struct {
	handle uint64
	about  KernelStatistics // but for what the driver says; only with Options.Statistics
}

func (p *pipelines) open(d *Device) error {
	p.layouts, p.made = map[int]uint64{}, map[string]pipeline{}
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
	for _, v := range p.made {
		d.dev.DestroyPipeline(v.handle)
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

// pipeline returns the pipeline of a module under these constants.
func (d *Device) pipeline(name string, code []byte, spec []spirv.SpecField, data []byte, pushSize int) (uint64, error) {
	p := &d.pipes
	p.lock.Lock()
	defer p.lock.Unlock()
	key := name + "\x00" + string(data)
	if p.asked != nil {
		p.asked[key] = true
	}
	if d.dev == nil {
		return 0, ErrClosed
	}
	if v, ok := p.made[key]; ok {
		return v.handle, nil
	}
	layout, ok := p.layouts[pushSize]
	if !ok {
		var err error
		if layout, err = d.dev.NewLayout(pushSize); err != nil {
			return 0, wrap("making the pipeline layout", name, "", err)
		}
		p.layouts[pushSize] = layout
	}
	req := driver.PipelineRequest{Code: words(code), Layout: layout, Data: data}
	for _, s := range spec {
		req.Entries = append(req.Entries, driver.SpecEntry{ID: s.ID, Offset: uint32(s.Offset), Size: uint32(s.Size)})
	}
	v := pipeline{}
	var err error
	if d.opt.Statistics {
		if v.about, err = describe(name, code, spec, data); err != nil {
			return 0, wrap("looking into", name, "", err)
		}
	}
	if v.handle, err = d.dev.NewPipeline(p.cache, req); err != nil {
		return 0, wrap("compiling", name, "", err)
	}
	p.made[key], p.fresh = v, true
	return v.handle, nil
}

func words(code []byte) []uint32 {
	w := make([]uint32, len(code)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	return w
}
