package vk

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
)

// facts are what was found out about a device by trying.
type facts struct {
	lock  sync.Mutex
	known map[string]string
}

// Fact is what is known of this device and driver under a name: found out earlier
// by this process, or by another one that used the same Options.CacheDir, or else by
// find, whose answer is kept. An error is not. Of a Dry device nothing is known.
func (d *Device) Fact(name string, find func() (string, error)) (string, error) {
	if d.dry {
		return "", nil
	}
	f := &d.facts
	f.lock.Lock()
	defer f.lock.Unlock()
	path := d.factsPath()
	if f.known == nil {
		f.known = map[string]string{}
		// A file that is missing or torn is a miss.
		if data := readCache(path); json.Unmarshal(data, &f.known) != nil {
			f.known = map[string]string{}
		}
	}
	if v, ok := f.known[name]; ok {
		return v, nil
	}
	v, err := find()
	if err != nil {
		return "", err
	}
	f.known[name] = v
	if path != "" {
		data, err := json.Marshal(f.known)
		if err == nil {
			err = writeCache(path, data)
		}
		if err != nil {
			d.opt.Logger.Warn("facts about the device not written", "error", err)
		}
	}
	return v, nil
}

// factsPath names the device, and by its pipeline cache's identity the driver.
func (d *Device) factsPath() string {
	if d.opt.CacheDir == "" {
		return ""
	}
	id := d.from.props
	return filepath.Join(d.opt.CacheDir, fmt.Sprintf("facts-%04x-%04x-%s.bin", id.Vendor, id.ID, hex.EncodeToString(id.PipelineUUID[:])))
}
