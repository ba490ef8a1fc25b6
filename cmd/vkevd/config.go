package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/tune"
	"github.com/vkevd/vkevd/vk"
)

// tuned is the file that vkevd tune keeps for one device under one driver.
type tuned struct {
	Version string      `json:"version"` // of vkevd
	Device  string      `json:"device"`
	Driver  string      `json:"driver"`
	N       int         `json:"n"` // where it was measured
	Choice  tune.Choice `json:"choice"`
}

// driverOf is how files and reports name a driver.
func driverOf(info vk.Info) string { return info.Driver + " " + info.DriverVersion }

// configFolder is VKEVD_CONFIG, which may be empty to read and keep nothing, or else our
// place among the user's settings.
func (s *session) configFolder() string {
	if dir, ok := s.lookup("VKEVD_CONFIG"); ok {
		return dir
	}
	dir, err := s.configDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "vkevd")
}

// tunedFile is the path of a device's file, "" where none is kept.
func (s *session) tunedFile(info vk.Info) string {
	dir := s.configFolder()
	if dir == "" {
		return ""
	}
	key := sha256.Sum256([]byte(info.Name + "\x00" + driverOf(info)))
	const enough = 8 // bytes of it
	return filepath.Join(dir, "tuning-"+hex.EncodeToString(key[:enough])+".json")
}

// readTuned reads what was kept for a device: false, without an error, if nothing was.
func readTuned(path string, info vk.Info) (t tuned, _ bool, _ error) {
	if path == "" {
		return t, false, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, false, nil
	} else if err != nil {
		return t, false, reason(err)
	}
	defer f.Close()
	const most = 1 << 16 // bytes of a file that is ours
	d := json.NewDecoder(io.LimitReader(f, most))
	d.DisallowUnknownFields() // those of another version may mean what we would not do
	if err := d.Decode(&t); err != nil {
		return t, false, reason(err)
	}
	if t.Device != info.Name || t.Driver != driverOf(info) {
		return t, false, fmt.Errorf("it is for %s, %s", t.Device, t.Driver)
	}
	return t, true, nil
}

// writeTuned keeps a choice for a device.
func writeTuned(path string, t tuned) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return cannotWrite(path, err)
	}
	f, err := matio.CreateAtomic(path)
	if err != nil {
		return cannotWrite(path, err)
	}
	defer f.Abort()
	e := json.NewEncoder(f)
	e.SetIndent("", "  ")
	if err := e.Encode(t); err != nil {
		return cannotWrite(path, err)
	}
	return cannotWrite(path, f.Commit())
}

// A config is whether commands look at what tune has kept.
type config struct {
	*session
	none bool
}

func (s *session) configFlag(cmd *cobra.Command) *config {
	c := &config{session: s}
	cmd.Flags().BoolVar(&c.none, "no-config", false, "do not use what vkevd tune --save has kept")
	return c
}

// apply puts what was kept for a device into options, and says whether there was something.
func (c *config) apply(opt *evd.Options, info vk.Info, log io.Writer) bool {
	choice := c.choice(info, log)
	if choice == nil {
		return false
	}
	opt.Tuning, _ = choice.Tuning(info) // choice has seen that it can be used
	return true
}

// possible says why a choice cannot be used on the device. Nothing runs there for it.
func (c *config) possible(choice tune.Choice, info vk.Info) error {
	tuning, err := choice.Tuning(info)
	if err != nil {
		return err
	}
	const any = 64 // order
	_, err = c.machine.forecast(info, any, false, evd.Options{Vectors: true, Tuning: tuning})
	return err
}

// choice is what was kept for a device, nil if nothing was. What cannot be used is told in one
// line and passed over: settings are no reason not to solve.
func (c *config) choice(info vk.Info, log io.Writer) *tune.Choice {
	if c == nil || c.none {
		return nil
	}
	path := c.tunedFile(info)
	t, found, err := readTuned(path, info)
	if err == nil && found {
		if err = c.possible(t.Choice, info); err == nil {
			return &t.Choice
		}
	}
	if err != nil {
		fmt.Fprintf(log, "%s: passed over: %s\n", printable(path), describe(err))
	}
	return nil
}
