package cli

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

	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/tune"
	"github.com/vkevd/vkevd/internal/ownfile"
	"github.com/vkevd/vkevd/vk"
)

// Tuned is the content of the file that vkevd tune --save writes for one device and one driver.
type Tuned struct {
	Version string      `json:"version"` // of vkevd
	Device  string      `json:"device"`
	Driver  string      `json:"driver"`
	N       int         `json:"n"` // order of the matrices that were measured
	Choice  tune.Choice `json:"choice"`
}

func DriverOf(info vk.Info) string { return info.Driver + " " + info.DriverVersion }

// TunedFile is the path of the settings for a device and its driver. It is "" if the program stores
// no settings.
func (e Environment) TunedFile(info vk.Info) string {
	dir := e.ConfigFolder()
	if dir == "" {
		return ""
	}
	key := sha256.Sum256([]byte(info.Name + "\x00" + DriverOf(info)))
	const enough = 8 // bytes of the hash
	return filepath.Join(dir, "tuning-"+hex.EncodeToString(key[:enough])+".json")
}

// ReadTuned reads stored settings. If the path is "" or there is no such file, `found` is false and
// the error is nil. Settings for another device or driver are an error.
func ReadTuned(path string, info vk.Info) (t Tuned, found bool, _ error) {
	if path == "" {
		return t, false, nil
	}
	const most = 1 << 16 // bytes
	text, _, err := ownfile.Read(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return t, false, nil
	} else if err != nil {
		return t, false, Reason(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // the fields of another version may have effects that this version does not have
	if err := d.Decode(&t); err != nil {
		return t, false, Reason(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return t, false, errors.New("there is text after the JSON object")
	}
	if t.Device != info.Name || t.Driver != DriverOf(info) {
		return t, false, fmt.Errorf("it is for %s, %s", t.Device, t.Driver)
	}
	return t, true, nil
}

func WriteTuned(path string, t Tuned) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return CannotWrite(path, err)
	}
	f, err := matio.CreateAtomic(path)
	if err != nil {
		return CannotWrite(path, err)
	}
	defer f.Abort()
	e := json.NewEncoder(f)
	e.SetIndent("", "  ")
	if err := e.Encode(t); err != nil {
		return CannotWrite(path, err)
	}
	return CannotWrite(path, f.Commit())
}

// A Config says whether a command uses the settings that vkevd tune --save has written.
type Config struct {
	Environment
	none bool
}

func ConfigFlag(cmd *cobra.Command, s *Session) *Config {
	c := &Config{Environment: s.Environment}
	cmd.Flags().BoolVar(&c.none, "no-config", false, "ignore the settings that vkevd tune --save has written")
	return c
}

// Apply copies the stored settings for a device into `opt`. It returns false if there are none, if
// they cannot be used, or if the user has given --no-config.
func (c *Config) Apply(opt *evd.Options, info vk.Info, log io.Writer) bool {
	choice := c.choice(info, log)
	if choice == nil {
		return false
	}
	opt.Tuning, _ = choice.Tuning(info) // no error: choice has tried it
	return true
}

// possible makes a plan that runs nothing, and returns why the device cannot use these sizes, or
// nil.
func (c *Config) possible(choice tune.Choice, info vk.Info) error {
	tuning, err := choice.Tuning(info)
	if err != nil {
		return err
	}
	const order = 64 // any order serves
	_, _, err = c.Machine.Forecast(machine.Absent{Info: info}, machine.Task{N: order, Evd: evd.Options{Vectors: true, Tuning: tuning}})
	return err
}

// choice returns nil if there are no settings. If the file is bad, choice writes one line to `log`
// and returns nil, because a solve does not need the settings.
func (c *Config) choice(info vk.Info, log io.Writer) *tune.Choice {
	if c == nil || c.none {
		return nil
	}
	path := c.TunedFile(info)
	t, found, err := ReadTuned(path, info)
	if err == nil && found {
		if err = c.possible(t.Choice, info); err == nil {
			return &t.Choice
		}
	}
	if err != nil {
		fmt.Fprintf(log, "%s: ignored: %s\n", Printable(path), Describe(err))
	}
	return nil
}
