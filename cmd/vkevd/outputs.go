package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd/matio"
)

// outputs are the files that a solve leaves: all opened before it begins, so that hours
// of work are not lost to a typing error, and none named before all are written.
type outputs struct{ files []output }

type output struct {
	path string
	file *matio.AtomicFile
}

// createOutputs opens the paths; empty ones stand for files not asked for.
func createOutputs(input string, paths ...string) (*outputs, error) {
	var o outputs
	for _, path := range paths {
		if err := o.create(input, path); err != nil {
			o.abort()
			return nil, err
		}
	}
	return &o, nil
}

func (o *outputs) create(input, path string) error {
	if path == "" {
		return nil
	}
	if sameFile(input, path) {
		return fmt.Errorf("%s: would overwrite the matrix itself", path)
	}
	for _, other := range o.files {
		if filepath.Clean(other.path) == filepath.Clean(path) && path != os.DevNull {
			return fmt.Errorf("%s: named for two outputs", path)
		}
	}
	f, err := matio.CreateAtomic(path)
	if err != nil {
		return cannotWrite(path, err)
	}
	o.files = append(o.files, output{path, f})
	return nil
}

// The endings that names of solve's outputs may have. A name without one gets the first's format.
var (
	valuesEndings  = []string{".txt", ".npy", ".json"}
	vectorsEndings = []string{".npy"}
	reportEndings  = []string{".json"}
)

// checkEnding refuses a name that promises a format which its flag's writer does not serve.
func checkEnding(cmd *cobra.Command, flag, path string, served []string) error {
	if e := ending(path); e == "" || slices.Contains(served, e) {
		return nil
	}
	return usage(cmd, "--%s: %s: the name must end in %s, or have no ending", flag, path, strings.Join(served, " or "))
}

func ending(path string) string { return strings.ToLower(filepath.Ext(path)) }

// valuesWriter is how a file with that name lists eigenvalues.
func valuesWriter(path string) func(io.Writer, []float64) error {
	switch ending(path) {
	case ".npy":
		return matio.WriteNPYVector
	case ".json":
		return matio.WriteValuesJSON
	}
	return matio.WriteValues
}

// write fills the file of a path, or does nothing if the path is empty.
func (o *outputs) write(ctx context.Context, path string, fill func(io.Writer) error) error {
	for _, f := range o.files {
		if f.path == path {
			return cannotWrite(path, fill(stoppable{ctx, f.file}))
		}
	}
	return nil
}

// commit gives all files their names.
func (o *outputs) commit() error {
	for _, f := range o.files {
		if err := f.file.Commit(); err != nil {
			return cannotWrite(f.path, err)
		}
	}
	return nil
}

// abort leaves no trace of what is not committed.
func (o *outputs) abort() {
	for _, f := range o.files {
		f.file.Abort()
	}
}

// stoppable is a writer that refuses once ctx has ended.
type stoppable struct {
	ctx context.Context
	w   io.Writer
}

func (s stoppable) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.w.Write(p)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// cannotWrite names the file that the user asked for, not the temporary one beside it.
func cannotWrite(path string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: cannot be written: %w", path, reason(err))
}
