package vk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// ProbeOnce runs an experiment (a probe) once, and stores its result in a file. This process, and
// later processes with the same folder, use the stored result. After an error, or if the file is
// damaged, the probe runs again. If a probe calls SetProbe before it fails, the result of SetProbe
// stays.
func TestProbeOnce(t *testing.T) {
	dir := t.TempDir()
	open := func() *Device {
		d, err := Open(Options{Device: os.Getenv("VKEVD_DEVICE"), CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	found := 0
	find := func() (string, error) { found++; return "yes", nil }
	ask := func(d *Device, want string, wantFound int) {
		t.Helper()
		if got, err := d.ProbeOnce("it works", find); got != want || err != nil || found != wantFound {
			t.Errorf("%q, %v after %d times; want %q after %d", got, err, found, want, wantFound)
		}
	}
	d := open()
	failed := errors.New("no luck")
	if _, err := d.ProbeOnce("it works", func() (string, error) { return "", failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	ask(d, "yes", 1)
	ask(d, "yes", 1)
	d.Close()
	d = open()
	ask(d, "yes", 1)
	d.Close()

	files, _ := filepath.Glob(filepath.Join(dir, "facts-*"))
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	if err := os.WriteFile(files[0], []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	d = open()
	ask(d, "yes", 2)
	d.Close()
	ask(Dry(Info{}), "", 2)

	d = open()
	if _, err := d.ProbeOnce("it survives", func() (string, error) { d.SetProbe("it survives", "no"); return "", failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	d.Close()
	d = open()
	defer d.Close()
	if got, err := d.ProbeOnce("it survives", find); got != "no" || err != nil || found != 2 {
		t.Errorf("%q, %v after %d trials", got, err, found)
	}
	d.SetProbe("it survives", "yes")
	if got, _ := d.ProbeOnce("it survives", find); got != "yes" {
		t.Errorf("%q", got)
	}
}

// A process writes the file of results after another process has added a result to it. The file
// then has the results of both. For a name that both have stored, the last result counts.
func TestResultsOfAnotherProcessAreKept(t *testing.T) {
	dir := t.TempDir()
	var devices []*Device
	for range 3 {
		d, err := Open(Options{Device: os.Getenv("VKEVD_DEVICE"), CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		devices = append(devices, d)
	}
	first, second, third := devices[0], devices[1], devices[2]
	first.SetProbe("both", "of the first")
	second.SetProbe("both", "of the second")
	second.SetProbe("second", "no")
	first.SetProbe("first", "yes")
	for name, want := range map[string]string{"both": "of the second", "second": "no", "first": "yes"} {
		if got, _ := third.answer(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestADryDeviceKeepsItsResults checks a device of OpenCompiler, which has a driver but runs
// nothing. Such a device must neither read nor write the results of the real device.
func TestADryDeviceKeepsItsResults(t *testing.T) {
	opt := Options{Device: os.Getenv("VKEVD_DEVICE"), CacheDir: t.TempDir()}
	real, err := Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	dry, err := OpenCompiler(opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dry.Close()
	dry.SetProbe("dry", "yes")
	if got := real.storedProbes(); len(got) != 0 {
		t.Errorf("the dry device has stored %q", got)
	}
	real.SetProbe("real", "yes")
	again, err := OpenCompiler(opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	never := func() (string, error) { t.Error("a probe runs"); return "", nil }
	for _, c := range []struct {
		d          *Device
		name, want string
	}{{dry, "dry", "yes"}, {dry, "real", ""}, {again, "real", ""}, {again, "dry", ""}} {
		if got, err := c.d.ProbeOnce(c.name, never); got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// TestUnwrittenResultsStay stores a new result while the file, which has an older result, cannot be
// written. This process must use the new result at once, and must write it as soon as the file can
// be written.
func TestUnwrittenResultsStay(t *testing.T) {
	dir := t.TempDir()
	d, err := Open(Options{Device: os.Getenv("VKEVD_DEVICE"), CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.SetProbe("waits", "yes")
	path := d.cachePath("facts")
	aside := path + ".aside"
	// A folder of this name that is not empty cannot be replaced by a file.
	for _, err := range []error{os.Rename(path, aside), os.MkdirAll(filepath.Join(path, "x"), 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	d.SetProbe("waits", "no")
	for _, err := range []error{os.RemoveAll(path), os.Rename(aside, path)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	d.SetProbe("other", "yes")
	if got, _ := d.answer("waits"); got != "no" {
		t.Errorf("in this process: %q", got)
	}
	if got := d.storedProbes()["waits"]; got != "no" {
		t.Errorf("in the file: %q", got)
	}
}

// TestProbesOfManyWriters stores results from several devices with the same folder at the same
// time, as several processes do. No result may be lost.
func TestProbesOfManyWriters(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no lock on this system")
	}
	dir := t.TempDir()
	open := func() *Device {
		d, err := Open(Options{Device: os.Getenv("VKEVD_DEVICE"), CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return d
	}
	const writers, results = 4, 25
	var group sync.WaitGroup
	for w := range writers {
		d := open()
		group.Go(func() {
			for k := range results {
				// The earlier results must come from the file, and not from the memory of this
				// process.
				d.probes.lock.Lock()
				d.probes.known = nil
				d.probes.lock.Unlock()
				d.SetProbe(fmt.Sprintf("%d of writer %d", k, w), "yes")
			}
		})
	}
	group.Wait()
	if stored := open().storedProbes(); len(stored) != writers*results {
		t.Errorf("%d results are stored, want %d", len(stored), writers*results)
	}
}
