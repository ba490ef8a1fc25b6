package source

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Stamp is what a generated file says it was made from. Each source has its
// own, in the head of its z file: two people at work on two kernels never
// write the same file.
type Stamp struct {
	Source   string // hash of the source and its includes
	Compiler string
	Kernels  []Stamped
}

// Stamped is one compiled kernel.
type Stamped struct{ Name, Hash string }

// GoFile and SPVFile name what is generated, inside the shaders' folder.
func GoFile(dir, source string) string  { return filepath.Join(dir, "z"+source+".go") }
func SPVFile(dir, kernel string) string { return filepath.Join(dir, "spv", kernel+".spv") }

// Add puts a compiled kernel into the stamp.
func (t *Stamp) Add(kernel string, code []byte) {
	t.Kernels = append(t.Kernels, Stamped{kernel, fmt.Sprintf("%x", sha256.Sum256(code))})
}

// String is the stamp as Go comments.
func (t Stamp) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// source   %s\n// compiler %s\n", t.Source, t.Compiler)
	for _, k := range t.Kernels {
		fmt.Fprintf(&b, "// spv      %s %s\n", k.Hash, k.Name)
	}
	return b.String()
}

var stampLine = regexp.MustCompile(`(?m)^// (source|compiler|spv) +(\S.*)$`)

// ReadStamp reads a source's stamp back; a missing file has an empty one.
func ReadStamp(dir, source string) (t Stamp) {
	text, _ := os.ReadFile(GoFile(dir, source))
	head, _, _ := strings.Cut(string(text), "\npackage ")
	for _, m := range stampLine.FindAllStringSubmatch(head, -1) {
		switch m[1] {
		case "source":
			t.Source = m[2]
		case "compiler":
			t.Compiler = m[2]
		case "spv":
			hash, name, _ := strings.Cut(m[2], " ")
			t.Kernels = append(t.Kernels, Stamped{name, hash})
		}
	}
	return t
}

// Stale says why what is generated from a source is out of date; nil if it is not.
func Stale(dir string, s *Source, compiler string) error {
	have := ReadStamp(dir, s.Name)
	now := Stamp{Source: s.Hash, Compiler: compiler}
	for _, v := range s.Variants {
		code, err := os.ReadFile(SPVFile(dir, v.Name))
		if err != nil {
			return err
		}
		now.Add(v.Name, code)
	}
	if have.String() != now.String() {
		return fmt.Errorf("%s is newer than what is generated from it; run make shaders\nhave\n%snow\n%s", s.File(), have, now)
	}
	return nil
}
