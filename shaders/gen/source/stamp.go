package source

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Stamp says what the SPIR-V of one source was made from.
type Stamp struct {
	Source   string // Source.Hash of the source
	Compiler string // version of the compiler
	Kernels  []Stamped
}

type Stamped struct{ Name, Hash string }

// Stamps are the stamps of all sources, by Source.File. They are committed beside the SPIR-V, in
// one file with a paragraph for each source, so that changes of two sources rarely conflict in git.
type Stamps map[string]Stamp

// SPVFile returns the path of a kernel's SPIR-V, and StampsFile the path of the file of stamps.
// `dir` is the folder of package shaders.
func SPVFile(dir, kernel string) string { return filepath.Join(dir, "spv", kernel+".spv") }
func StampsFile(dir string) string      { return filepath.Join(dir, "spv", "stamps.txt") }

func (t *Stamp) Add(kernel string, code []byte) {
	t.Kernels = append(t.Kernels, Stamped{kernel, fmt.Sprintf("%x", sha256.Sum256(code))})
}

func (t Stamp) text(file string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "source   %s %s\ncompiler %s\n", t.Source, file, t.Compiler)
	for _, k := range t.Kernels {
		fmt.Fprintf(&b, "spv      %s %s\n", k.Hash, k.Name)
	}
	return b.String()
}

func (all Stamps) Text() []byte {
	var paragraphs []string
	for _, file := range slices.Sorted(maps.Keys(all)) {
		paragraphs = append(paragraphs, all[file].text(file))
	}
	return []byte(strings.Join(paragraphs, "\n"))
}

var stampLine = regexp.MustCompile(`(?m)^(source|compiler|spv) +(\S.*)$`)

// ReadStamps reads the stamps of all sources. There are none if there is no such file.
func ReadStamps(dir string) Stamps {
	all := Stamps{}
	text, _ := os.ReadFile(StampsFile(dir))
	for paragraph := range strings.SplitSeq(string(text), "\n\n") {
		var t Stamp
		var file string
		for _, m := range stampLine.FindAllStringSubmatch(paragraph, -1) {
			hash, name, _ := strings.Cut(m[2], " ")
			switch m[1] {
			case "source":
				t.Source, file = hash, name
			case "compiler":
				t.Compiler = m[2]
			case "spv":
				t.Kernels = append(t.Kernels, Stamped{name, hash})
			}
		}
		if file != "" {
			all[file] = t
		}
	}
	return all
}

// Stale returns nil if the SPIR-V of a source is up to date. Otherwise it returns an error that
// says what differs.
func (all Stamps) Stale(dir string, s *Source, compiler string) error {
	have := all[s.File()]
	now := Stamp{Source: s.Hash, Compiler: compiler}
	for _, v := range s.Compiled() {
		code, err := os.ReadFile(SPVFile(dir, v.Name))
		if err != nil {
			return err
		}
		now.Add(v.Name, code)
	}
	if old, new := have.text(s.File()), now.text(s.File()); old != new {
		return fmt.Errorf("the SPIR-V of %s is out of date; run make shaders\nhave\n%snow\n%s", s.File(), old, new)
	}
	return nil
}
