// Gen compiles the shaders. It writes the SPIR-V of each kernel to spv/KERNEL.spv. The file
// spv/stamps.txt says what the SPIR-V was made from. The files z_TOPIC.go, one for each folder of
// sources, have the Go types that belong to the kernels.
//
//	go run ./shaders/gen            compile the sources that changed
//	go run ./shaders/gen -all       compile all sources
//	go run ./shaders/gen NAME...    compile these sources, or all sources that include this header
//
// If a source does not compile, its SPIR-V stays unchanged, and the other sources are still
// compiled. The exit status is then 1.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/shaders/gen/bindings"
	"github.com/vkevd/vkevd/shaders/gen/source"
)

func main() {
	all := flag.Bool("all", false, "compile sources that have not changed, too")
	flag.Parse()
	root, err := source.Root()
	if err == nil {
		err = run(root, *all, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "shaders/gen:", err)
		os.Exit(1)
	}
}

func run(root string, all bool, names []string) error {
	dir := filepath.Join(root, "shaders")
	sources, err := source.All(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(sources, func(s *source.Source) bool { return means(name, s) }) {
			return fmt.Errorf("no source and no header is called %q", name)
		}
	}
	compiler, err := source.Compiler(root)
	if err != nil {
		return err
	}
	stamps := source.ReadStamps(dir)
	failed := 0
	for _, s := range sources {
		asked := all || slices.ContainsFunc(names, func(name string) bool { return means(name, s) })
		if !asked && (len(names) > 0 || stamps.Stale(dir, s, compiler) == nil) {
			continue
		}
		stamp, err := compile(root, dir, compiler, s)
		if err != nil {
			fmt.Fprintf(os.Stderr, "shaders/gen: %s: %v\n", s.File(), err)
			failed++
			continue
		}
		stamps[s.File()] = stamp
		fmt.Println(s.Name)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d sources failed", failed, len(sources))
	}
	files, err := bindings.Files(dir, sources)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := write(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return removeOrphans(dir, stamps, sources, files)
}

// means tells whether an argument of the program means this source.
func means(name string, s *source.Source) bool { return s.Name == name || s.Includes(name) }

func compile(root, dir, compiler string, s *source.Source) (source.Stamp, error) {
	stamp := source.Stamp{Source: s.Hash, Compiler: compiler}
	codes := map[string][]byte{}
	for _, v := range s.Compiled() {
		code, err := source.Compile(root, s, v)
		if err != nil {
			return stamp, err
		}
		codes[v.Name] = code
		stamp.Add(v.Name, code)
	}
	if err := bindings.Check(s, codes); err != nil {
		return stamp, err
	}
	for name, code := range codes {
		if err := write(source.SPVFile(dir, name), code); err != nil {
			return stamp, err
		}
	}
	return stamp, nil
}

// write replaces the whole file in one step, by a rename. Another process that compiles the package
// at the same time never sees half of a file.
func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	tmp := path + ".new"
	if err := os.WriteFile(tmp, data, 0o666); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// removeOrphans deletes generated files (Go and SPIR-V) whose source or variant no longer exists,
// and writes the file of stamps. The stamp of a source holds the hashes of the source and of its
// SPIR-V, and the version of the compiler.
func removeOrphans(dir string, stamps source.Stamps, sources []*source.Source, files map[string][]byte) error {
	wanted := map[string]bool{}
	for name := range files {
		wanted[filepath.Join(dir, name)] = true
	}
	kept := source.Stamps{}
	for _, s := range sources {
		kept[s.File()] = stamps[s.File()]
		for _, v := range s.Compiled() {
			wanted[source.SPVFile(dir, v.Name)] = true
		}
	}
	for _, pattern := range []string{filepath.Join(dir, "z_*.go"), source.SPVFile(dir, "*")} {
		made, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		made = slices.DeleteFunc(made, func(path string) bool { return wanted[path] })
		for _, path := range made {
			fmt.Println("removing", strings.TrimPrefix(path, dir+string(filepath.Separator)))
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return write(source.StampsFile(dir), kept.Text())
}
