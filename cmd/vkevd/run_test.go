package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/probe"
)

// A fixture is the environment in which a test runs the program: an empty working folder, a fake
// device, and environment variables.
type fixture struct {
	*testing.T
	machine   *fakeMachine
	variables map[string]string
	system    string // os-release
	nvidia    bool   // the operating system's kernel has NVIDIA's driver
	terminal  bool
	dumb      bool // a dumb terminal, as newFixture sets it: everything is shown, by lines
	stdin     io.Reader
	stdout    io.Writer // nil: run returns it
	ctx       context.Context
	again     func(ctx context.Context, variables []string, args ...string) ([]byte, error)
}

func newFixture(t *testing.T) *fixture {
	t.Chdir(t.TempDir())
	return &fixture{
		T: t, machine: &fakeMachine{info: fakeInfo, chosen: probe.Products{Why: "tests have no rates"}, ratios: evd.Ratios{Residual: 0.25, Orthogonality: 0.5}},
		variables: map[string]string{}, ctx: context.Background(), dumb: true,
	}
}

// run runs the program vkevd with a test's arguments and environment. It returns standard output,
// standard error and the exit status.
func (s *fixture) run(args ...string) (stdout, stderr string, status int) {
	s.Helper()
	env := cli.Environment{
		Lookup:    func(name string) (string, bool) { v, ok := s.variables[name]; return v, ok },
		CacheDir:  func() (string, error) { return "/home/me/.cache", nil },
		ConfigDir: func() (string, error) { return filepath.Abs("config") },
		System:    func() string { return s.system },
		HasNVIDIA: func() bool { return s.nvidia },
		Terminal:  s.terminal,
		Dumb:      s.dumb,
		Machine:   s.machine,
		Again:     s.again,
	}
	var out, errs lockedBuffer // abandoned work may still write
	w := io.Writer(&out)
	if s.stdout != nil {
		w = s.stdout
	}
	status = run(s.ctx, append([]string{}, args...), s.stdin, w, &errs, env)
	return out.String(), errs.String(), status
}

// fails runs the program with arguments that must make it fail. It checks the exit status and the
// last line on standard error, and that standard output is empty.
func (s *fixture) fails(wantStatus int, wantLine string, args ...string) {
	s.Helper()
	stdout, stderr, status := s.run(args...)
	line := lastLine(stderr)
	if line != "vkevd: "+wantLine || status != wantStatus || stdout != "" {
		s.Errorf("vkevd %s\nstatus %d, want %d\nsays %s\nwant vkevd: %s\nstdout %q", strings.Join(args, " "), status, wantStatus, line, wantLine, stdout)
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return lines[len(lines)-1]
}

func (s *fixture) file(name, content string) {
	s.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		s.Fatal(err)
	}
}

// expectFiles checks which files the test's working folder contains, hidden files included.
func (s *fixture) expectFiles(want ...string) {
	s.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		s.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.Errorf("the folder holds %q, want %q", got, want)
	}
}

func TestUsage(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	for _, c := range []struct{ args, says string }{
		{"", "no command given; vkevd help lists them"},
		{"slove", `unknown command "slove"; did you mean solve?`},
		{"frobnicate", `unknown command "frobnicate"; vkevd help lists them`},
		{"help frobnicate", `unknown command "frobnicate"; vkevd help lists them`},
		{"help solve it", "help takes the name of a command, not \"it\"; see vkevd help --help"},
		{"plot frobnicate", `unknown command "frobnicate"; vkevd plot has spectrum, scree, density, stages, tune, parallel, accuracy`},
		{"help plot frobnicate", `unknown command "frobnicate"; vkevd plot has spectrum, scree, density, stages, tune, parallel, accuracy`},
		{"plot frobnicate --out p.png A.mtx", `unknown command "frobnicate"; vkevd plot has spectrum, scree, density, stages, tune, parallel, accuracy`},
		{"plot --out p.png A.mtx", "unknown flag: --out (flags follow the kind of picture: vkevd plot spectrum --out FILE); see vkevd plot --help"},
		{"help plot spectre", `unknown command "spectre"; did you mean spectrum?`},
		{"--frob", "unknown flag: --frob; see vkevd --help"},
		{"solve", "solve takes one FILE, not 0; see vkevd solve --help"},
		{"solve A.mtx B.mtx", "solve takes one FILE, not 2; for A·x = λ·B·x: vkevd solve --b B A; see vkevd solve --help"},
		{"solve A.mtx B.mtx C.mtx", "solve takes one FILE, not 3; see vkevd solve --help"},
		{"solve --frob A.mtx", "unknown flag: --frob; see vkevd solve --help"},
		{"solve -x A.mtx", "unknown shorthand flag: 'x' in -x; see vkevd solve --help"},
		{"solve A.mtx --band", "flag needs an argument: --band; see vkevd solve --help"},
		{"solve A.mtx --band wide", `--band: "wide" is not a whole number; see vkevd solve --help`},
		{"solve A.mtx --band 99999999999999999999", "--band: 99999999999999999999 is out of range; see vkevd solve --help"},
		{"solve A.mtx --quiet=perhaps", `--quiet: "perhaps" is not true or false; see vkevd solve --help`},
		{"selftest --n 10,x", `--n: "10,x" is not a list of whole numbers, such as 100,200; see vkevd selftest --help`},
		{"tune --budget 5", `--budget: "5" is not a time, such as 90s or 2m; see vkevd tune --help`},
		{"plot density --width wide", `--width: "wide" is not a number; see vkevd plot density --help`},
		{"plan -n 99999999999", "--n: 99999999999 is too large, at most 10000000; see vkevd plan --help"},
		{"bench -n 100,99999999999 gemm", "--n: 99999999999 is too large, at most 10000000; see vkevd bench --help"},
		{"tune -n 99999999999", "--n: 99999999999 is too large, at most 10000000; see vkevd tune --help"},
		{"selftest -n 99999999999", "--n: 99999999999 is too large, at most 10000000; see vkevd selftest --help"},
		{"solve A.mtx --values-only --out-vectors Q.npy", "--out-vectors cannot be combined with --values-only; see vkevd solve --help"},
		{"solve missing.mtx --out-vectors Q.dat", "--out-vectors: Q.dat: the name must end in .npy or .mtx or .csv or .txt, or have no ending; see vkevd solve --help"},
		{"solve A.mtx --out-vectors d.npy/Q.dat", "--out-vectors: d.npy/Q.dat: the name must end in .npy or .mtx or .csv or .txt, or have no ending; see vkevd solve --help"},
		{"solve A.mtx --out-values v.npz", "--out-values: v.npz: the name must end in .txt or .npy or .json, or have no ending; see vkevd solve --help"},
		{"solve A.mtx --out-values v.txt.gz", "--out-values: v.txt.gz: the name must end in .txt or .npy or .json, or have no ending; see vkevd solve --help"},
		{"solve A.mtx --report r.txt", "--report: r.txt: the name must end in .json, or have no ending; see vkevd solve --help"},
		{"devices 0", `devices takes no argument, not "0"; see vkevd devices --help`},
		{"version 2", `version takes no argument, not "2"; see vkevd version --help`},
		{"plan 100", `plan takes a FILE, not "100"; -n 100 is the order; see vkevd plan --help`},
		{"plan", "plan needs --n N, the order of the matrix, at least 1, or a FILE with the matrix; see vkevd plan --help"},
		{"plan --n -5", "plan needs --n N, the order of the matrix, at least 1, or a FILE with the matrix; see vkevd plan --help"},
	} {
		s.fails(cli.StatusInput, c.says, strings.Fields(c.args)...)
	}
	s.expectFiles("A.mtx")
	if len(s.machine.opened) > 0 {
		t.Error("a device was opened for a call that made no sense")
	}
}

// TestFlagRules checks the whole texts of some errors about flags: flags that need another flag,
// and flags that exclude another one.
func TestFlagRules(t *testing.T) {
	s := newFixture(t)
	for _, c := range []struct{ args, says string }{
		{"svd --bidiagonal --storage f32 A.mtx", "--storage cannot be combined with --bidiagonal: there is no band to store; see vkevd svd --help"},
		{"svd --banded --out-u U.npy A.mtx", "--banded finds values alone, without --out-u and --out-v; see vkevd svd --help"},
		{"svd --banded --band 8 A.mtx", "--band and --block are for matrices that are reduced to a band first; see vkevd svd --help"},
		{"svd --products emulated --storage f16 A.mtx", "--products emulated cannot be combined with --storage f16: they replace double precision; see vkevd svd --help"},
		{"plan -n 9 --svd --precision f32 --storage f64", "--storage f64 stores no more digits than --precision f32 has; see vkevd plan --help"},
		{"plan -n 9 --storage f32", "--storage needs --svd: eigenvalues have the precision of --precision; see vkevd plan --help"},
		{"plan -n 9 --ranks 2", "--ranks needs --engine elpa or scalapack; see vkevd plan --help"},
		{"solve --distribute A.mtx", "--distribute needs several devices, for example --device 0,1; see vkevd solve --help"},
	} {
		s.fails(cli.StatusInput, c.says, strings.Fields(c.args)...)
	}
	s.expectFiles()
}

// everyCommand lists all commands of the program by their words: "", "solve", "plot spectrum", …
func (s *fixture) everyCommand() (all []string) {
	var visit func(cmd *cobra.Command, path string)
	visit = func(cmd *cobra.Command, path string) {
		all = append(all, strings.TrimSpace(path))
		for _, c := range cmd.Commands() {
			visit(c, path+" "+c.Name())
		}
	}
	visit(rootCommand(&cli.Session{Environment: cli.Environment{Machine: s.machine}}), "")
	if len(all) < 15 {
		s.Fatalf("only %d commands: %q", len(all), all)
	}
	return append(all, "help")
}

// TestWrongUse checks that every command refuses wrong arguments with a message of one line and
// exit status 2.
func TestWrongUse(t *testing.T) {
	s := newFixture(t)
	for _, cmd := range s.everyCommand() {
		for _, nonsense := range []string{"--frobnicate", "-?", "--device", "frobnicate one two three four", "--help=perhaps"} {
			args := append(strings.Fields(cmd), strings.Fields(nonsense)...)
			stdout, stderr, status := s.run(args...)
			if status != cli.StatusInput || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "vkevd: ") {
				t.Errorf("vkevd %s: status %d, %q, %q", strings.Join(args, " "), status, stdout, stderr)
			}
		}
	}
	s.expectFiles()
	if len(s.machine.opened) > 0 {
		t.Error("a device was opened for a call that made no sense")
	}
}

func TestHelp(t *testing.T) {
	s := newFixture(t)
	lines := []string{"help", "--help", "plan -h"}
	for _, cmd := range s.everyCommand() {
		lines = append(lines, "help "+cmd, cmd+" --help")
		word, _, _ := s.run(strings.Fields("help " + cmd)...)
		if flag, _, _ := s.run(strings.Fields(cmd + " --help")...); flag != word {
			t.Errorf("vkevd help %s and vkevd %s --help differ", cmd, cmd)
		}
	}
	for _, args := range lines {
		stdout, stderr, status := s.run(strings.Fields(args)...)
		if status != cli.StatusSuccess || stderr != "" {
			t.Errorf("vkevd %s: status %d, stderr %q", args, status, stderr)
		}
		for _, part := range []string{"Usage:\n  vkevd", "Examples:\n  vkevd"} {
			if !strings.Contains(stdout, part) {
				t.Errorf("vkevd %s lacks %q:\n%s", args, part, stdout)
			}
		}
		// Usage, examples and the flags that most users need stand in the first 60 lines.
		if strings.Contains(stdout, "\nCommon flags:\n") {
			text, _ := cli.HelpFiles.ReadFile("help/vkevd-" + strings.Fields(strings.TrimPrefix(args, "help "))[0] + ".txt")
			_, more, _ := strings.Cut(string(text), "\nMORE\n")
			before, _, found := strings.Cut(stdout, more[:20])
			if lines := strings.Count(before, "\n"); !found || lines > 60 || !strings.Contains(stdout, "\nOther flags:\n") {
				t.Errorf("vkevd %s: %d lines before\n%s", args, lines, more)
			}
		}
		for _, line := range strings.Split(stdout, "\n") {
			if len([]rune(line)) > 100 {
				t.Errorf("vkevd %s: line of %d characters: %s", args, len([]rune(line)), line)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	s := newFixture(t)
	word, _, status := s.run("version")
	flag, _, _ := s.run("--version")
	if status != cli.StatusSuccess || word != flag || !strings.HasPrefix(word, "vkevd ") || strings.Count(word, "\n") != 1 {
		t.Errorf("status %d, %q and %q", status, word, flag)
	}
}

func TestDescribeKeepsToOneLine(t *testing.T) {
	if got := cli.Describe(errors.Join(errors.New("a"), errors.New("b"))); got != "a; b" {
		t.Errorf("got %q", got)
	}
}
