package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/matio"
)

// TestVectorsWhenAskedFor checks that vkevd solve computes vectors only if a flag needs them. An
// earlier version always computed them.
func TestVectorsWhenAskedFor(t *testing.T) {
	for args, want := range map[string]bool{
		"": false, "--quiet": false, "--out-values v": false, "--report r": false, "--values-only --check": false, "--values-only --verify": false,
		"--vectors": true, "--out-vectors Q": true, "--check": true, "--verify": true,
	} {
		s := newFixture(t)
		s.file("A.mtx", twoByTwo)
		_, stderr, status := s.run(append(strings.Fields("solve "+args), "A.mtx")...)
		if status != cli.StatusSuccess || s.machine.wanted[0].Vectors != want {
			t.Errorf("solve %s: status %d, vectors %v\n%s", args, status, s.machine.wanted[0].Vectors, stderr)
		}
		if said := strings.Contains(stderr, "The vectors were not kept"); said != (args == "--vectors") {
			t.Errorf("solve %s says\n%s", args, stderr)
		}
	}
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	s.fails(cli.StatusInput, "--vectors cannot be combined with --values-only; see vkevd solve --help", "solve", "--vectors", "--values-only", "A.mtx")
	if _, stderr, status := s.run("solve", "--solver", "bisection", "A.mtx"); status != cli.StatusSuccess {
		t.Errorf("bisection without --values-only: %s", stderr)
	}
}

// TestStandardOutputAsOutput gives vkevd solve the name - for an output, which means standard
// output. An earlier version wrote a file with the name -.
func TestStandardOutputAsOutput(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	if stdout, _, status := s.run("solve", "--out-values", "-", "A.mtx"); stdout != "# eigenvalues 0:2 of 2\n"+oneThree || status != cli.StatusSuccess {
		t.Errorf("values: status %d, %q", status, stdout)
	}
	stdout, _, _ := s.run("solve", "--out-vectors", "-", "--out-values", "v", "A.mtx")
	if q, err := matio.Read(strings.NewReader(stdout), "stdout"); err != nil || q.Rows != 2 || q.Cols != 2 {
		t.Errorf("vectors: %v in %q", err, stdout)
	}
	for _, flag := range []string{"--report", "--json"} {
		stdout, _, _ := s.run("solve", flag, "-", "A.mtx")
		var r struct{ N int }
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || r.N != 2 {
			t.Errorf("%s: %v in %q", flag, err, stdout)
		}
	}
	s.fails(cli.StatusInput, "standard output: named for two outputs", "solve", "--out-values", "-", "--report", "-", "A.mtx")
	s.stdout = brokenPipe{}
	s.fails(cli.StatusInput, "standard output: cannot be written: broken pipe", "solve", "--out-vectors", "-", "--out-values", "w", "A.mtx")
	s.expectFiles("A.mtx", "v", "w") // files are written before standard output, so they exist
}

func TestNoPrint(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	if stdout, stderr, status := s.run("solve", "--no-print", "--out-values", "v", "A.mtx"); stdout != "" || status != cli.StatusSuccess {
		t.Errorf("status %d, %q\n%s", status, stdout, stderr)
	}
	s.expectFiles("A.mtx", "v")
}
