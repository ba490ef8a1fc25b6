package matio

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program reads a script with calls that write files.
var programs = map[string]struct {
	name, before, after string // the script's file, and what it has before and after the calls
	run                 string // for a shell, in the script's folder
}{
	"pandas":    {"sheets.py", "import csv, pandas\nNaN = float('nan')\n", "", "python3 sheets.py"},
	"numpy":     {"sheets.py", "import numpy\n", "", "python3 sheets.py"},
	"R":         {"sheets.R", "", "", "Rscript --vanilla sheets.R"},
	"octave":    {"sheets.m", "1;\n", "", "octave-cli --norc sheets.m"},
	"armadillo": {"sheets.cc", "#include <armadillo>\nint main() {\n", "}\n", "g++ -w -o sheets sheets.cc -larmadillo && ./sheets"},
}

// TestProgramsWriteSheets lets programs write random sheets, and compares the bytes with those of
// the writers of FuzzTextOfOtherPrograms. Programs that are not installed are left out.
func TestProgramsWriteSheets(t *testing.T) {
	const sheets = 150
	for i, w := range sheetWriters {
		if w.program == "" {
			continue
		}
		t.Run(w.program, func(t *testing.T) {
			folder := t.TempDir()
			p := programs[w.program]
			script := p.before
			path := func(seed int) string { return filepath.Join(folder, fmt.Sprintf("%d.txt", seed)) }
			for seed := range sheets {
				script += fmt.Sprintf(newSheetOf(uint64(seed), i).code, path(seed)) + "\n"
			}
			if err := os.WriteFile(filepath.Join(folder, p.name), []byte(script+p.after), 0o600); err != nil {
				t.Fatal(err)
			}
			c := exec.Command("sh", "-c", p.run)
			c.Dir, c.Env = folder, append(os.Environ(), "LC_ALL=C.UTF-8")
			if out, err := c.CombinedOutput(); err != nil {
				for _, missing := range []string{"not found", "No module named", "armadillo: No such file", "unexpected keyword"} {
					if strings.Contains(string(out)+err.Error(), missing) { // a keyword is missing in old versions
						t.Skipf("NOT TESTED: no %s here", w.program)
					}
				}
				t.Fatalf("%v\n%s", err, out)
			}
			for seed := range sheets {
				s := newSheetOf(uint64(seed), i)
				got, err := os.ReadFile(path(seed))
				if err != nil {
					t.Fatal(err)
				}
				if got, want := withoutDate(string(got)), withoutDate(s.text.String()); got != want {
					t.Errorf("%s\nwrites %q\nnot    %q", fmt.Sprintf(s.code, "F"), got, want)
				}
			}
		})
	}
}

// withoutDate removes Octave's first line, which has the date.
func withoutDate(text string) string {
	if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# Created by Octave") {
		return rest
	}
	return text
}
