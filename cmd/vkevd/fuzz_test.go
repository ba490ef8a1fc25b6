package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// untried matches command lines that the fuzzer must not run: those that may name files outside the
// working folder, and those with numbers of three or more digits. A matrix of such an order may
// take longer than 10 s, and the fuzzer would then report a deadlock.
var untried = regexp.MustCompile(`/|\.\.|\d{3}`)

// behaves runs a command line and checks properties that hold for every command line: no panic, a
// documented exit status, an error message on the last line, no control characters on standard
// error, and no ESC on standard output.
func (s *fixture) behaves(args []string) {
	s.Helper()
	stdout, stderr, status := s.run(args...)
	if status < cli.StatusSuccess || status > cli.StatusDevice {
		s.Errorf("%q: status %d", args, status)
	}
	if status != cli.StatusSuccess && !strings.HasPrefix(lastLine(stderr), "vkevd: ") {
		s.Errorf("%q: status %d, says %q", args, status, stderr)
	}
	for _, r := range stderr {
		if r != '\n' && !unicode.IsPrint(r) {
			s.Errorf("%q printed %q on standard error", args, r)
		}
	}
	for _, r := range stdout {
		if r == '\x1b' {
			s.Errorf("%q printed an escape on standard output", args)
		}
	}
}

// FuzzCommandLine tests the program with command lines that the fuzzer makes. Each line of the
// fuzzer's text is one argument.
func FuzzCommandLine(f *testing.F) {
	for _, line := range []string{
		"solve A.mtx", "solve --check --out-vectors Q.npy --band 2 --block 4 A.mtx", "solve --values-only --out-values v.txt A.mtx",
		"solve --json --report r.json A.mtx", "svd --check --largest 1 A.mtx", "plan --svd -m 9 -n 12", "solve -", "plan -n 12 --json", "devices --json", "version", "help solve", "bench --n 8 gemm",
		"check A.mtx v Q.npy", "doctor", "selftest -n 5 goe", "plot spectrum --out s.svg v", "completion bash", "--device= solve A.mtx",
		"solve --index 0:1 A.mtx", "solve --interval=-1,3 A.mtx", "solve --tridiagonal --solver qr T", "solve --index -1: --uplo lower --report - A.mtx", "solve --largest 1 --no-print A.mtx",
		"plan -n 12 --smallest 3 --json -", "plot spectrum --first 3 --out s.svg v", "sovle --symetrize A.mtx", "solve --device 0 -- A.mtx",
	} {
		f.Add(strings.ReplaceAll(line, " ", "\n"))
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\n")
		if untried.MatchString(line) || slices.Contains(args, "selftest") && !slices.Contains(args, "-n") {
			t.Skip()
		}
		s := newFixture(t)
		s.stdin = strings.NewReader("")
		s.file("A.mtx", twoByTwo)
		s.file("v", "1\n3\n")
		s.behaves(args)
	})
}

// FuzzReport gives the fuzzer's text to the subcommands of plot: as a report, as rows of
// measurements, and as eigenvalues.
func FuzzReport(f *testing.F) {
	for _, text := range []string{
		`{"file":"A.mtx","n":2,"device":"D","stages":[{"name":"band reduction","seconds":0.5,"count":1},{"name":"bisection","seconds":1e-3,"count":2}]}`,
		`{"n":8,"b":4,"k":8,"stage":"sy2sb","device":"D","median_s":0.1}` + "\n" + `{"n":8,"b":4,"stage":"sb2st","median_s":0.2}`,
		`{"n":8,"b":4,"precision":"half","error":1e-4}` + "\n" + `{"n":8,"b":2,"precision":"x","error":0}`,
		`{"stages":[{"seconds":-1}]}`, `{"stages":[{"seconds":1e308}]}`, `{"stages":[{"name":"a"},{"name":"a"}]}`, "[1,2,3]", "1\n2\n", "1e308\n-1e308\n",
		"5e-324\n", "0\n0\n", "{", `{"n":1e99}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := newFixture(t)
		s.file("r.json", text)
		for _, what := range []string{"stages", "tune", "accuracy", "spectrum", "density"} {
			s.behaves([]string{"plot", what, "--out", "p.svg", "r.json"})
			os.Remove("p.svg")
		}
	})
}
