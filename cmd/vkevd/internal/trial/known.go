package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/docs/data/devices"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Known returns the files of docs/data/devices, by their names.
func Known() (map[string]Shared, error) {
	known := map[string]Shared{}
	entries, err := fs.ReadDir(devices.Files, ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := devices.Files.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		var s Shared
		if err := d.Decode(&s); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		known[e.Name()] = s
	}
	return known, nil
}

// Measured tells whether a device of this name was ever measured: strangers' files have it, or its
// sizes were chosen on one.
func Measured(info vk.Info) bool {
	known, err := Known()
	for _, s := range known {
		if s.Device.Name == info.Name {
			return true
		}
	}
	return err != nil || tuning.OfItsOwn(info)
}

// FileName is the name of the file in docs/data/devices: device and driver.
func FileName(info vk.Info) string {
	words := regexp.MustCompile(`[^A-Za-z0-9.]+`).ReplaceAllString(info.Name+"-"+info.DriverVersion, "-")
	return strings.Trim(words, "-") + ".json"
}

// Check returns an error if the content is not what bench --share measures on a device that works.
func (s Shared) Check() error {
	const good = 10 // of LAPACK's ratios
	switch {
	case s.Version == "" || s.Time.IsZero() || len(s.Kernels) != 2*enough || s.Device.Name == "" || s.Device.DriverVersion == "":
		return errors.New("version, time, kernels, device or driver is missing")
	case len(s.Rows) == 0 || len(s.Solves) == 0 || s.MayWait == nil || s.Arithmetic == nil && s.Device.Float64():
		return errors.New("rows, solves, may_wait or arithmetic is missing")
	case len(s.Errors) > 0:
		return fmt.Errorf("a measurement failed: %s", s.Errors[0])
	case !(s.Rates.FP32 > 1e9 && s.Rates.FP32 < 1e15) || s.Device.Float64() && !(s.Rates.FP64 > 1e8 && s.Rates.FP64 < s.Rates.FP32*1.5):
		return fmt.Errorf("the rates %+v are not those of a device", s.Rates)
	}
	for _, r := range s.Rows {
		if !(r.Min > 0 && r.Min <= r.Median && r.Median <= r.Max && r.Max < 1e5) || math.IsInf(r.GFlops, 0) {
			return fmt.Errorf("%s, n = %d: impossible times", r.Stage, r.N)
		}
	}
	for _, v := range s.Solves {
		if !(v.Residual >= 0 && v.Residual < good && v.Orthogonality >= 0 && v.Orthogonality < good && v.Seconds > 0) {
			return fmt.Errorf("the solve of n = %d has the ratios %g and %g", v.N, v.Residual, v.Orthogonality)
		}
	}
	return nil
}

// Like returns the newest measurement in docs/data/devices of a device whose name contains the word,
// in any case.
func Like(word string) (found Shared, err error) {
	known, err := Known()
	if err != nil {
		return found, err
	}
	var names []string
	for _, s := range known {
		names = append(names, s.Device.Name)
		if strings.Contains(strings.ToLower(s.Device.Name), strings.ToLower(word)) && s.Time.After(found.Time) {
			found = s
		}
	}
	if found.Device.Name == "" {
		slices.Sort(names)
		names = slices.Compact(names)
		return found, fmt.Errorf("--like: no measured device is called %q; there are %s", word, strings.Join(names, ", "))
	}
	return found, nil
}
