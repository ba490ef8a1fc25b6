package vk

import (
	"encoding/json"
	"sync"
)

// probes holds answers about a device that were found by experiment, by name. All processes with
// the same folder, device and driver share the file. It keeps what the last of them has written.
type probes struct {
	trying sync.Mutex // held while a trial runs: one at a time
	lock   sync.Mutex
	known  map[string]string // nil before the file was read
}

// ProbeOnce returns the answer to a question about this device and driver. It returns an earlier
// answer of this process, or of another process with the same Options.CacheDir, if there is one.
// Otherwise the function probe finds the answer, which is then stored. An error is not stored. On a
// Dry device the answer is "".
//
// If the device or the process may not survive the probe, the probe should call SetProbe with the
// answer "no" before it begins. That answer is then what later calls find.
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

// SetProbe replaces the stored answer to a question, which a later ProbeOnce returns. On a Dry
// device it does nothing.
func (d *Device) SetProbe(name, answer string) {
	if d.dry {
		return
	}
	d.probes.lock.Lock()
	defer d.probes.lock.Unlock()
	d.readProbes()
	d.keepProbe(name, answer)
}

// answer returns the stored answer to a question, if there is one.
func (d *Device) answer(name string) (string, bool) {
	d.probes.lock.Lock()
	defer d.probes.lock.Unlock()
	d.readProbes()
	v, ok := d.probes.known[name]
	return v, ok
}

// readProbes reads the file once. A file that is missing or damaged counts as empty. The caller
// must have the lock.
func (d *Device) readProbes() {
	if d.probes.known != nil {
		return
	}
	if data := readCache(d.cachePath("facts")); json.Unmarshal(data, &d.probes.known) != nil || d.probes.known == nil {
		d.probes.known = map[string]string{}
	}
}

// keepProbe adds an answer and writes the file. The caller must have the lock. If the file cannot
// be written, keepProbe logs a warning, and this process still has the answer.
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
