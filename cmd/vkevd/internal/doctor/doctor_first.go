package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/matio"
)

// The cost of a first run is measured for a matrix of this order, with vectors.
const FirstRunOrder = 1024

// firstRun adds a finding about the time of a first run, in which all kernels have to be compiled,
// and of the next run. Both are processes of their own, with cache folders that are empty at the
// start. Without --first-run, the finding says how to measure this.
func (d *examination) firstRun(ctx context.Context) {
	const name = "first run"
	if !d.first {
		d.add(name, noted, "", "compiles kernels; vkevd doctor --first-run measures how long that takes")
		return
	}
	cold, warm, err := d.coldAndWarm(ctx)
	if err != nil {
		d.add(name, noted, "", "not measured: %s", cli.Describe(err))
		return
	}
	d.add(name, noted, "", "n = %d with vectors takes %.1f s with empty caches, and %.1f s in the next run", FirstRunOrder, cold, warm)
}

// coldAndWarm solves the same matrix in two processes, and returns the seconds of each for
// preparing and solving.
func (d *examination) coldAndWarm(ctx context.Context) (cold, warm float64, _ error) {
	dir, err := os.MkdirTemp("", "vkevd-first-run-*")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	matrix := filepath.Join(dir, "A.npy")
	if err := writeDense(matrix, FirstRunOrder); err != nil {
		return 0, 0, err
	}
	// The variables name the folders in which vkevd and drivers keep compiled kernels.
	var variables []string
	for _, v := range []string{"VKEVD_CACHE", "XDG_CACHE_HOME", "MESA_SHADER_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH"} {
		variables = append(variables, v+"="+filepath.Join(dir, v))
		if err := os.Mkdir(filepath.Join(dir, v), 0o700); err != nil {
			return 0, 0, err
		}
	}
	args := []string{"solve", "--quiet", "--vectors", "--json", cli.StreamWord}
	if d.word != "" {
		args = append(args, "--device", d.word)
	}
	for _, seconds := range []*float64{&cold, &warm} {
		text, err := d.Again(ctx, variables, append(args, matrix)...)
		if err != nil {
			return 0, 0, err
		}
		var r struct{ Seconds map[string]float64 }
		if err := json.Unmarshal(text, &r); err != nil {
			return 0, 0, fmt.Errorf("no report of the solve: %w", err)
		}
		*seconds = r.Seconds["prepare"] + r.Seconds["solve"]
	}
	return cold, warm, nil
}

// writeDense writes a dense symmetric matrix of order n, in NumPy's format.
func writeDense(path string, n int) error {
	a := make([]float64, n*n)
	for j := range n {
		for i := range n {
			a[i+j*n] = math.Sin(float64(i*j + i + j))
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := matio.WriteNPY(f, n, n, a, n); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
