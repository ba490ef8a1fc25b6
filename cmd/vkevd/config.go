package main

import (
	"bytes"
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
	"github.com/vkevd/vkevd/internal/ownfile"
	"github.com/vkevd/vkevd/vk"
)

// tuned is the content of the file that vkevd tune --save writes for one device and one driver.
type tuned struct {
	Version string      `json:"version"` // of vkevd
	Device  string      `json:"device"`
	Driver  string      `json:"driver"`
	N       int         `json:"n"` // order of the matrices that were measured
	Choice  tune.Choice `json:"choice"`
}

// driverOf returns the name and version of a device's driver, for files and reports.
func driverOf(info vk.Info) string { return info.Driver + " " + info.DriverVersion }

// tunedFile returns the path of the file in which vkevd tune --save stores the settings for a
// device. The path is "" if the program stores no settings.
func (e environment) tunedFile(info vk.Info) string {
	dir := e.configFolder()
	if dir == "" {
		return ""
	}
	key := sha256.Sum256([]byte(info.Name + "\x00" + driverOf(info)))
	const enough = 8 // bytes of the hash
	return filepath.Join(dir, "tuning-"+hex.EncodeToString(key[:enough])+".json")
}

// readTuned reads the settings that vkevd tune --save has stored for a device. If there is no file,
// `found` is false and the error is nil.
func readTuned(path string, info vk.Info) (t tuned, found bool, _ error) {
	if path == "" {
		return t, false, nil
	}
	const most = 1 << 16 // bytes
	text, _, err := ownfile.Read(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return t, false, nil
	} else if err != nil {
		return t, false, reason(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // the fields of another version may have effects that this version does not have
	if err := d.Decode(&t); err != nil {
		return t, false, reason(err)
	}
	if t.Device != info.Name || t.Driver != driverOf(info) {
		return t, false, fmt.Errorf("it is for %s, %s", t.Device, t.Driver)
	}
	return t, true, nil
}

// writeTuned writes the settings that vkevd tune has found for a device to a file.
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

// A config says whether a command uses the settings that vkevd tune --save has written.
type config struct {
	environment
	none bool
}

func configFlag(cmd *cobra.Command, s *session) *config {
	c := &config{environment: s.environment}
	cmd.Flags().BoolVar(&c.none, "no-config", false, "ignore the settings that vkevd tune --save has written")
	return c
}

// apply copies the settings that vkevd tune --save has stored for a device into `opt`. It tells
// whether there are such settings.
func (c *config) apply(opt *evd.Options, info vk.Info, log io.Writer) bool {
	choice := c.choice(info, log)
	if choice == nil {
		return false
	}
	opt.Tuning, _ = choice.Tuning(info) // no error: choice has tried it
	return true
}

// possible makes a plan with the sizes `choice`, without running anything on the device. It returns
// nil if the device can use these sizes, and otherwise the reason why not.
func (c *config) possible(choice tune.Choice, info vk.Info) error {
	tuning, err := choice.Tuning(info)
	if err != nil {
		return err
	}
	const order = 64 // any order serves
	_, _, err = c.machine.forecast(absent{Info: info}, task{n: order, evd: evd.Options{Vectors: true, Tuning: tuning}})
	return err
}

// choice reads the settings that vkevd tune --save has stored for a device. It returns nil if there
// are none. If the file is bad, `choice` prints one line to the writer `log` and ignores the file,
// because a solve does not need it.
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
		fmt.Fprintf(log, "%s: ignored: %s\n", printable(path), describe(err))
	}
	return nil
}
