// Gen compiles the shaders. It writes the SPIR-V of each kernel to spv/KERNEL.spv, the types of its
// parameters to zSOURCE.go, and the structs that kernels share with the host to zstructs.go.
//
//	go run ./shaders/gen            compile the sources that changed
//	go run ./shaders/gen -all       compile all sources
//	go run ./shaders/gen NAME...    compile these sources
//
// If a source does not compile, its generated files stay unchanged, and the other sources are still
// compiled. The exit status is then 1.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/shaders/gen/source"
	"github.com/vkevd/vkevd/vk/spirv"
)

func main() {
	all := flag.Bool("all", false, "compile sources that have not changed, too")
	flag.Parse()
	if err := run(*all, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "shaders/gen:", err)
		os.Exit(1)
	}
}

// run generates the files of the sources in `names`. If `names` is empty, it generates the files of
// all sources if `all` is true, and otherwise of the sources that changed. Then it writes the
// structs and removes generated files that have no source.
func run(all bool, names []string) error {
	root, err := source.Root()
	if err != nil {
		return err
	}
	compiler, err := source.Compiler(root)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "shaders")
	sources, err := source.All(dir)
	if err != nil {
		return err
	}
	failed := 0
	for _, s := range sources {
		if len(names) > 0 && !slices.Contains(names, s.Name) {
			continue
		}
		if !all && len(names) == 0 && source.Stale(dir, s, compiler) == nil {
			continue
		}
		if err := generate(root, dir, compiler, s); err != nil {
			fmt.Fprintf(os.Stderr, "shaders/gen: %s: %v\n", s.File(), err)
			failed++
			continue
		}
		fmt.Println(s.Name)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d sources failed", failed, len(sources))
	}
	text, err := source.Structs(dir, sources)
	if err != nil {
		return err
	}
	if err := write(source.StructsFile(dir), text); err != nil {
		return err
	}
	if len(names) == 0 {
		return removeOrphans(dir, sources)
	}
	return nil
}

// generate compiles one source and writes its Go file and the SPIR-V of its kernels. A source that
// names no number type itself is compiled for each number type. A comparison of the results shows
// which parameters depend on the number type.
func generate(root, dir, compiler string, s *source.Source) error {
	stamp := source.Stamp{Source: s.Hash, Compiler: compiler}
	var kernels []*kernel
	codes := map[string][]byte{}
	for _, v := range s.Variants {
		k, code, err := compile(root, s, v)
		if err != nil {
			return err
		}
		for _, n := range s.Others() {
			other, typedCode, err := compile(root, s, v.For(n))
			if err == nil {
				err = k.typed(other, n.Go)
			}
			if err != nil {
				return fmt.Errorf("%s for %s: %w", v.Name, n.Go, err)
			}
			codes[other.name] = typedCode
		}
		kernels = append(kernels, k)
		codes[v.Name] = code
	}
	for _, v := range s.Compiled() {
		stamp.Add(v.Name, codes[v.Name])
	}
	text, err := goFile(s, stamp, kernels)
	if err != nil {
		return err
	}
	for name, code := range codes {
		if err := write(source.SPVFile(dir, name), code); err != nil {
			return err
		}
	}
	return write(source.GoFile(dir, s.Name), text)
}

// compile compiles one variant and reads the parameters of the kernel from the SPIR-V.
func compile(root string, s *source.Source, v source.Variant) (*kernel, []byte, error) {
	code, err := source.Compile(root, s, v)
	if err != nil {
		return nil, nil, err
	}
	info, err := spirv.Reflect(code)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", v.Name, err)
	}
	k, err := newKernel(v, info)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", v.Name, err)
	}
	return k, code, nil
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

// removeOrphans deletes generated files (Go and SPIR-V) whose source or variant no longer exists.
func removeOrphans(dir string, sources []*source.Source) error {
	wanted := map[string]bool{source.StructsFile(dir): true}
	for _, s := range sources {
		wanted[source.GoFile(dir, s.Name)] = true
		for _, v := range s.Compiled() {
			wanted[source.SPVFile(dir, v.Name)] = true
		}
	}
	made, err := filepath.Glob(source.GoFile(dir, "*"))
	if err != nil {
		return err
	}
	binaries, err := filepath.Glob(source.SPVFile(dir, "*"))
	if err != nil {
		return err
	}
	for _, path := range append(made, binaries...) {
		if wanted[path] {
			continue
		}
		fmt.Println("removing", strings.TrimPrefix(path, dir+string(filepath.Separator)))
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}
