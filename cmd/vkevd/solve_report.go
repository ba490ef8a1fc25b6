package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// facts holds the information about a finished solve, for summary and report.
type facts struct {
	Version   string             `json:"version"`
	File      string             `json:"file"`
	N         int                `json:"n"`
	First     int                `json:"first"`  // index of the first value, from 0
	Values    int                `json:"values"` // number of values found
	Vectors   bool               `json:"vectors"`
	Precision string             `json:"precision"`
	Device    string             `json:"device"`
	Driver    string             `json:"driver"`
	Vulkan    string             `json:"vulkan"`
	Memory    uint64             `json:"memory_bytes"`    // on the device
	Seconds   map[string]float64 `json:"seconds"`         // wall clock, for each of laps
	Stages    []vk.Timing        `json:"stages"`          // of the solve, by the device's clock
	Tuned     bool               `json:"tuned,omitempty"` // with sizes from vkevd tune --save
	Ratios    measures           `json:"ratios,omitempty"`

	Tridiagonal bool             `json:"tridiagonal,omitempty"`
	Certificate *evd.Certificate `json:"certificate,omitempty"`
	Tree        *evd.Tree        `json:"tree,omitempty"` // MRRR statistics

	lap time.Time
}

// laps are the keys of Seconds, in order.
var laps = []string{"read", "prepare", "solve", "check", "write"}

func newFacts(file string) *facts {
	return &facts{
		Version: version(), File: inputName(file), Precision: "float64",
		Seconds: map[string]float64{}, lap: time.Now(),
	}
}

// took stores the time since its last call under the name lap.
func (f *facts) took(lap string) {
	now := time.Now()
	f.Seconds[lap] = now.Sub(f.lap).Seconds()
	f.lap = now
}

func (f *facts) solved(n int, opt evd.Options, res *evd.Result[float64], bytes uint64, tridiagonal bool) {
	f.N, f.Vectors, f.Memory, f.Tridiagonal = n, opt.Vectors, bytes, tridiagonal
	f.First, f.Values, f.Stages = res.First, len(res.Values), res.Profile.Phases
	f.Certificate, f.Tree = res.Certificate, res.Tree
}

func (f *facts) on(info vk.Info) {
	f.Device, f.Driver, f.Vulkan = info.Name, driverOf(info), info.API
}

// report writes the facts as JSON.
func (f *facts) report(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(f)
}

// summary prints the facts for people.
func (f *facts) summary(w io.Writer) {
	found := "eigenvalues"
	if f.Values < f.N {
		found = fmt.Sprintf("eigenvalues %d:%d", f.First, f.First+f.Values)
	}
	if f.Vectors {
		found += " and vectors"
	}
	fmt.Fprintf(w, "matrix   %s, n = %d, %s in %s\n", printable(f.File), f.N, found, f.Precision)
	f.where(w)
	f.times(w)
	if t := f.Tree; t != nil {
		fmt.Fprintf(w, "MRRR     blocks %d, levels %d, clusters %d, retries %d, vectors by divide and conquer %d\n",
			t.Blocks, t.Depth, t.Clusters, t.Retried, t.Fallback)
	}
	if c := f.Certificate; c != nil {
		by := ""
		if c.Safe {
			by = "; on the safe path, after the first result had failed"
		}
		fmt.Fprintf(w, "verified %v%s\n", c, by)
	}
	f.Ratios.print(w)
	if len(f.Ratios) > 0 && !f.Vectors && !f.Tridiagonal {
		fmt.Fprintln(w, "Without vectors only these sums are compared: they prove no single value.")
	}
}

// where prints the device, and how much of it the solve used.
func (f *facts) where(w io.Writer) {
	fmt.Fprintf(w, "device   %s, %s, Vulkan %s\n", printable(f.Device), printable(f.Driver), f.Vulkan)
	if f.Tuned {
		fmt.Fprintln(w, "sizes    from vkevd tune --save; --no-config ignores them")
	}
	fmt.Fprintf(w, "memory   %s on the device\n", human(f.Memory))
}

// times prints the time of every lap. Below the solve it prints the solve's stages with their
// share.
func (f *facts) times(w io.Writer) {
	total, inside := 0.0, 0.0
	for _, s := range f.Stages {
		inside += s.Seconds
	}
	for _, lap := range laps {
		seconds, ran := f.Seconds[lap]
		if !ran {
			continue
		}
		total += seconds
		fmt.Fprintf(w, "%-28s %12.4f s\n", lap, seconds)
		if lap != "solve" {
			continue
		}
		for _, s := range f.Stages {
			fmt.Fprintf(w, "  %-26s %12.4f s  %3.0f%%\n", s.Name, s.Seconds, 100*s.Seconds/max(inside, ulp))
		}
	}
	fmt.Fprintf(w, "%-28s %12.4f s\n", "total", total)
}
