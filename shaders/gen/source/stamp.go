package source

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Stamp is the part of a generated Go file that says what the file was made from. Each source has
// its own stamp, in the generated file zNAME.go of this source. So changes of two kernels do not
// conflict in git.
type Stamp struct {
	Source   string // Source.Hash of the source
	Compiler string // version of the compiler
	Kernels  []Stamped
}

// Stamped is one compiled kernel: its name and the hash of its SPIR-V.
type Stamped struct{ Name, Hash string }

// GoFile returns the path of the Go file that is generated from a source. The function SPVFile
// returns the path of a kernel's SPIR-V. `dir` is the folder of package shaders.
func GoFile(dir, source string) string  { return filepath.Join(dir, "z"+source+".go") }
func SPVFile(dir, kernel string) string { return filepath.Join(dir, "spv", kernel+".spv") }

// Add adds a compiled kernel, its name and the hash of its SPIR-V, to the stamp.
func (t *Stamp) Add(kernel string, code []byte) {
	t.Kernels = append(t.Kernels, Stamped{kernel, fmt.Sprintf("%x", sha256.Sum256(code))})
}

// String returns the stamp as lines of Go comments.
func (t Stamp) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// source   %s\n// compiler %s\n", t.Source, t.Compiler)
	for _, k := range t.Kernels {
		fmt.Fprintf(&b, "// spv      %s %s\n", k.Hash, k.Name)
	}
	return b.String()
}

var stampLine = regexp.MustCompile(`(?m)^// (source|compiler|spv) +(\S.*)$`)

// ReadStamp reads the stamp of a source's Go file. The stamp is empty if there is no such file.
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

// Stale returns nil if the generated files of a source are up to date. Otherwise it returns an
// error that says what differs.
func Stale(dir string, s *Source, compiler string) error {
	have := ReadStamp(dir, s.Name)
	now := Stamp{Source: s.Hash, Compiler: compiler}
	for _, v := range s.Compiled() {
		code, err := os.ReadFile(SPVFile(dir, v.Name))
		if err != nil {
			return err
		}
		now.Add(v.Name, code)
	}
	if have.String() != now.String() {
		return fmt.Errorf("the files generated from %s are out of date; run make shaders\nhave\n%snow\n%s",
			s.File(), have, now)
	}
	return nil
}
