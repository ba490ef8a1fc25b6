package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// TestStatuses checks that every error that the packages evd, evd/svd and vk export has an exit
// status. The test passes each error alone, and wrapped in another error.
func TestStatuses(t *testing.T) {
	known := map[string]struct {
		err  error
		want int
	}{
		"evd.NonFiniteError":      {&evd.NonFiniteError{}, cli.StatusInput},
		"evd.ShapeError":          {&evd.ShapeError{}, cli.StatusInput},
		"evd.InitialVectorsError": {&evd.InitialVectorsError{}, cli.StatusInput},
		"evd.InitialShapeError":   {&evd.InitialShapeError{}, cli.StatusInput},
		"evd.OptionError":         {&evd.OptionError{}, cli.StatusInput},
		"evd.TooManyError":        {&evd.TooManyError{}, cli.StatusInput},
		"evd.NoConvergenceError":  {&evd.NoConvergenceError{}, cli.StatusNumerical},
		"evd.OverflowError":       {&evd.OverflowError{}, cli.StatusNumerical},
		"evd.UnverifiedError":     {&evd.UnverifiedError{Safe: &evd.Certificate{}}, cli.StatusNumerical},
		"svd.ShapeError":          {&svd.ShapeError{}, cli.StatusInput},
		"svd.UnverifiedError":     {&svd.UnverifiedError{Safe: &svd.Certificate{}}, cli.StatusNumerical},
		"evd.StageError":          {&evd.StageError{}, cli.StatusDevice},
		"evd.ErrClosed":           {evd.ErrClosed, cli.StatusInput}, // a defect of the command: it closes last
		"vk.UnsupportedError":     {&vk.UnsupportedError{}, cli.StatusDevice},
		"vk.OutOfMemoryError":     {&vk.OutOfMemoryError{}, cli.StatusDevice},
		"vk.OutOfRangeError":      {&vk.OutOfRangeError{}, cli.StatusDevice},
		"vk.DeviceError":          {&vk.DeviceError{Device: vk.Dry(vk.Info{}), Err: &vk.OutOfMemoryError{}}, cli.StatusDevice}, // as what it wraps
		"vk.Error":                {&vk.Error{Err: fmt.Errorf("no room")}, cli.StatusDevice},
		"vk.ErrNoDevice":          {vk.ErrNoDevice, cli.StatusDevice},
		"vk.ErrDeviceLost":        {vk.ErrDeviceLost, cli.StatusDevice},
		"vk.ErrClosed":            {vk.ErrClosed, cli.StatusInput}, // a defect of the command: it closes last
		"context.Canceled":        {context.Canceled, cli.StatusNumerical},
	}
	for name, c := range known {
		for _, err := range []error{c.err, fmt.Errorf("A.mtx: %w", c.err)} {
			if have := cli.Status(err); have != c.want {
				t.Errorf("%s: status %d of %q, want %d", name, have, err, c.want)
			}
		}
	}
	names := slices.Concat(errorsOf(t, "evd"), errorsOf(t, "evd/svd"), errorsOf(t, "vk"))
	for _, name := range names {
		if _, listed := known[name]; !listed {
			t.Errorf("%s has no row here", name)
		}
	}
	if len(names) != len(known)-1 {
		t.Errorf("evd, evd/svd and vk export %v", names)
	}
}

// errorsOf lists the exported errors of a package: types whose names end in Error, and variables
// whose names begin with Err.
func errorsOf(t *testing.T, pkg string) (names []string) {
	t.Helper()
	product := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	pkgs, err := parser.ParseDir(token.NewFileSet(), "../../"+pkg, product, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	add := func(name *ast.Ident, is bool) {
		if is && name.IsExported() {
			names = append(names, pkg+"."+name.Name)
		}
	}
	pkg = path.Base(pkg)
	for _, f := range pkgs[pkg].Files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name, strings.HasSuffix(spec.Name.Name, "Error"))
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						add(name, strings.HasPrefix(name.Name, "Err"))
					}
				}
			}
		}
	}
	return names
}

// TestSizesInMessages checks the message for lack of memory: sizes must be printed in GiB, or in
// bytes if they would look the same in GiB.
func TestSizesInMessages(t *testing.T) {
	for want, err := range map[string]error{
		"x: A needs 72.5 GiB of device memory, 22.6 GiB is free":                        fmt.Errorf("x: %w", &vk.OutOfMemoryError{What: "A", Need: 77797094656, Free: 24296902656}),
		"A needs 4305920000 bytes of device memory, the device allows 4294967295 bytes": &vk.OutOfMemoryError{What: "A", Need: 4305920000, Free: 1, Limit: 1<<32 - 1},
		"A needs 4.3 GiB of device memory, the device allows 4.0 GiB; two":              fmt.Errorf("%w\ntwo", &vk.OutOfMemoryError{What: "A", Need: 4668259328, Free: 1, Limit: 1 << 32}),
	} {
		if got := cli.Describe(err); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
