package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// TestJSONEverywhere checks the flag --json of commands that print results. Its value may be a file
// name, or - for standard output.
func TestJSONEverywhere(t *testing.T) {
	for _, args := range []string{
		"solve A.mtx", "check A.mtx v.txt Q.npy", "plan -n 7", "devices", "doctor", "selftest -n 5 goe", "bench -n 5 gemm", "tune -n 20",
	} {
		s := tunable(t)
		s.solved()
		s.variables["VKEVD_CACHE"] = ""
		table, _, _ := s.run(strings.Fields(args)...)
		printed, stderr, status := s.run(append(strings.Fields(args), "--json", "-")...)
		also, _, again := s.run(append(strings.Fields(args), "--json", "facts")...)
		kept, err := os.ReadFile("facts")
		if status != again || err != nil || stderr == "" && status != cli.StatusSuccess {
			t.Errorf("%s: status %d and %d, %v, %s", args, status, again, err, stderr)
		}
		for _, text := range []string{printed, string(kept)} {
			d := json.NewDecoder(strings.NewReader(text))
			var value any
			if err := d.Decode(&value); err != nil || value == nil {
				t.Errorf("%s: %v in %s", args, err, text)
			}
		}
		if !strings.HasPrefix(args, "doctor") && also != table { // its ratios differ from run to run
			t.Errorf("%s --json facts prints\n%s\nwithout it\n%s", args, also, table)
		}
		s.run(append(strings.Fields(args), "--json", "no/facts")...)
		s.fails(cli.StatusInput, "no/facts: cannot be written: no such file or directory", append(strings.Fields(args), "--json", "no/facts")...)
	}
}

// TestJSONDoesNotOverwriteAnInput checks that --json refuses the name of an input file. An earlier
// version of the command `vkevd check --json FILE` replaced the matrix in FILE by its report.
func TestJSONDoesNotOverwriteAnInput(t *testing.T) {
	s := tunable(t)
	s.solved()
	before, err := os.ReadFile("A.mtx")
	if err != nil {
		t.Fatal(err)
	}
	s.fails(cli.StatusInput, "A.mtx: would overwrite an input", "check", "--json", "A.mtx", "A.mtx", "v.txt", "Q.npy")
	if after, err := os.ReadFile("A.mtx"); err != nil || string(after) != string(before) {
		t.Errorf("A.mtx has changed: %v", err)
	}
}
