package vk

import (
	"encoding/json"
	"sync"
)

// probes are answers about a device that were found by trying, by name. The file is shared by all
// processes with the same folder, device and driver; what the last one writes stays.
type probes struct {
	trying sync.Mutex // held while a trial runs: one at a time
	lock   sync.Mutex
	known  map[string]string // nil before the file was read
}

// ProbeOnce returns the answer to a question about this device and driver. An earlier answer of
// this process counts, or of another one with the same Options.CacheDir; otherwise probe finds the
// answer, which is then kept. An error is not kept. A Dry device has no answers: "".
//
// A trial that the device or the process may not survive calls SetProbe with the answer "no" before
// it begins: that answer then stays.
func (d *Device) ProbeOnce(name string, probe func() (string, error)) (string, error) {
	if d.dry {
		return "", nil
	}
	d.probes.trying.Lock()
	defer d.probes.trying.Unlock()
	if v, ok := d.answer(name); ok {
		return v, nil
	}
	v, err := probe()
	if err != nil {
		return "", err
	}
	d.SetProbe(name, v)
	return v, nil
}

// SetProbe replaces the answer to a question: a later ProbeOnce returns it. On a Dry device it does
// nothing.
func (d *Device) SetProbe(name, answer string) {
	if d.dry {
		return
	}
	d.probes.lock.Lock()
	defer d.probes.lock.Unlock()
	d.readProbes()
	d.keepProbe(name, answer)
}

// answer is the kept answer to a question, if there is one.
func (d *Device) answer(name string) (string, bool) {
	d.probes.lock.Lock()
	defer d.probes.lock.Unlock()
	d.readProbes()
	v, ok := d.probes.known[name]
	return v, ok
}

// readProbes reads the file once. A file that is missing or torn counts as empty. The caller has
// the lock.
func (d *Device) readProbes() {
	if d.probes.known != nil {
		return
	}
	if data := readCache(d.cachePath("facts")); json.Unmarshal(data, &d.probes.known) != nil || d.probes.known == nil {
		d.probes.known = map[string]string{}
	}
}

// keepProbe adds an answer and writes the file. The caller has the lock. A file that cannot be
// written is a warning: the answer is kept for this process.
func (d *Device) keepProbe(name, answer string) {
	d.probes.known[name] = answer
	path := d.cachePath("facts")
	if path == "" {
		return
	}
	data, err := json.Marshal(d.probes.known)
	if err == nil {
		err = writeCache(path, data)
	}
	if err != nil {
		d.opt.Logger.Warn("answers about the device not written", "error", err)
	}
}
