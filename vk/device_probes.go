package vk

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"sync"
)

// probes holds the results of experiments on a device, by the name of the experiment. All processes
// with the same folder, device and driver share one file. If several processes store a result under
// the same name, the last one wins. A process locks the folder while it adds its results to the
// file (see locked). On Windows there is no lock: if two processes write the file at the same
// moment, a result of one may be lost, and a later process repeats the experiment.
type probes struct {
	trying  sync.Mutex // held while an experiment runs: one at a time
	lock    sync.Mutex
	known   map[string]string // nil before the file was read
	unsaved map[string]string // results of this process that are not in the file, for example on a full disk
}

// ProbeOnce returns the result of an experiment on this device and driver. The result may be known
// already: this process has stored it, or the file in Options.CacheDir had it when this device
// first read the file. Otherwise ProbeOnce calls `probe` and stores its result. An error is not
// stored. On a Dry device `probe` is not called: the result is that of SetProbe, or "" before
// SetProbe.
//
// A probe may crash the process or hang the device. Such a probe should first call SetProbe with
// the result "no". If the process does not survive the probe, later calls then return "no".
func (d *Device) ProbeOnce(name string, probe func() (string, error)) (string, error) {
	if d.dry {
		v, _ := d.answer(name)
		return v, nil
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

// SetProbe replaces the stored result of an experiment. It writes all results to the file, with
// those that other processes have written in the meantime. If the file cannot be written, SetProbe
// logs a warning, and the result remains known in this process. On a Dry device, also one of
// OpenCompiler, there is no file.
func (d *Device) SetProbe(name, answer string) {
	d.probes.lock.Lock()
	defer d.probes.lock.Unlock()
	d.readProbes()
	known, unsaved := d.probes.known, d.probes.unsaved
	unsaved[name] = answer
	maps.Copy(known, unsaved)
	path := d.factsPath()
	if path == "" {
		return
	}
	err := locked(filepath.Dir(path), func() error {
		maps.Copy(known, d.storedProbes())
		maps.Copy(known, unsaved)
		data, err := json.Marshal(known)
		if err != nil {
			return err
		}
		return writeCache(path, data)
	})
	if err != nil {
		d.opt.Logger.Warn("answers about the device not written", "error", err)
		return
	}
	clear(unsaved)
}

func (d *Device) answer(name string) (string, bool) {
	d.probes.lock.Lock()
	defer d.probes.lock.Unlock()
	d.readProbes()
	v, ok := d.probes.known[name]
	return v, ok
}

func (d *Device) readProbes() {
	if d.probes.known == nil {
		d.probes.known, d.probes.unsaved = d.storedProbes(), map[string]string{}
	}
}

// factsPath returns the path of the file with the results of experiments. It is "" on a Dry device,
// which must not change what is known about the real device.
func (d *Device) factsPath() string {
	if d.dry {
		return ""
	}
	return d.cachePath("facts")
}

// storedProbes reads the file with the results. A file that is missing or damaged counts as empty.
func (d *Device) storedProbes() map[string]string {
	stored := map[string]string{}
	if file := readCache(d.factsPath()); json.Unmarshal(file.data, &stored) != nil || stored == nil {
		return map[string]string{}
	}
	return stored
}
