package main

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
)

const threeRows = "3\n1 2 1\n2 2 1\n3 2 0\n" // 2 − √2, 2, 2 + √2

func TestPartsAsked(t *testing.T) {
	inf := math.Inf(1)
	for args, want := range map[string]evd.Options{
		"":                                  {},
		"--index 0:1":                       {Select: evd.Index(0, 1)},
		"--index :1":                        {Select: evd.Index(0, 1)},
		"--index 1:":                        {Select: evd.Index(1, 2)},
		"--index=:":                         {Select: evd.Index(0, 2)},
		"--interval -1:2.5e0":               {Select: evd.Interval(-1, 2.5)},
		"--interval :3":                     {Select: evd.Interval(-inf, 3)},
		"--interval 0x1p-2:":                {Select: evd.Interval(0.25, inf)},
		"--solver dc":                       {Solver: evd.DivideConquer},
		"--solver qr --index 1:2":           {Solver: evd.QR, Select: evd.Index(1, 2)},
		"--solver bisection --values-only":  {Solver: evd.Bisection},
		"--solver auto --values-only":       {},
		"--tridiagonal --index 0:2 --check": {Vectors: true, Select: evd.Index(0, 2)},
	} {
		s := newFixture(t)
		s.file("A", twoByTwo)
		_, stderr, status := s.run(append(append([]string{"solve"}, strings.Fields(args)...), "A")...)
		if status != cli.StatusSuccess {
			t.Fatalf("solve %s: status %d\n%s", args, status, stderr)
		}
		got := s.machine.wanted[0]
		got.Progress, got.Overwrite = nil, false
		if got.Select != want.Select || got.Solver != want.Solver || got.Vectors != want.Vectors {
			t.Errorf("solve %s: %+v, want %+v", args, got, want)
		}
	}
}

func TestPartsThatMakeNoSense(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	const see = "; see vkevd solve --help"
	for _, c := range []struct{ args, says string }{
		{"--index 5", `--index: "5" must be I:J, two indices such as 0:10`},
		{"--index 1:x", `--index: "1:x" must be I:J, two indices such as 0:10`},
		{"--index 1:2:3", `--index: "1:2:3" must be I:J, two indices such as 0:10`},
		{"--interval 1", `--interval: "1" must be A:B, two numbers such as -1:2.5`},
		{"--interval a:b", `--interval: "a:b" must be A:B, two numbers such as -1:2.5`},
		{"--interval= --quiet", `--interval: it is empty`},
		{"--index=", `--index: it is empty`},
		{"--interval 0:1 --index 0:1", "--index cannot be combined with --interval"},
		{"--solver jacobi", `--solver: "jacobi" is unknown; there are ` + strings.Join(evd.Solvers(), ", ")},
		{"--vectors --solver bisection", "--solver bisection finds no vectors; add --values-only"},
		{"--interval 1:-1", "--interval: (1, -1] holds no number"},
		{"--interval nan:", "--interval: (NaN, +Inf] holds no number"},
		{"--tridiagonal --band 4", "--band cannot be combined with --tridiagonal"},
		{"--tridiagonal --block 4", "--block cannot be combined with --tridiagonal"},
		{"--check --values-only --index 0:1", "--check cannot judge a part of the values without vectors: it compares sums over all"},
	} {
		s.fails(cli.StatusInput, c.says+see, append(append([]string{"solve"}, strings.Fields(c.args)...), "A.mtx")...)
	}
	if len(s.machine.opened) > 0 {
		t.Error("a device was opened for a call that made no sense")
	}
	s.machine.planErr = &evd.OptionError{Option: "Index", Reason: "[0, 5) is not a range of 2 values"}
	s.fails(cli.StatusInput, "--index: [0, 5) is not a range of 2 values", "solve", "A.mtx")
	s.machine.planErr = nil
	s.machine.solveErr = &evd.TooManyError{Found: 5, AtMost: 2}
	s.fails(cli.StatusInput, "A.mtx, n = 2: the interval holds 5 values, at most 2 were expected", "solve", "--interval", "0:5", "A.mtx")
}

func TestSolveTridiagonal(t *testing.T) {
	s := newFixture(t)
	s.file("T.dat", threeRows)
	s.machine.certified = 0.125
	stdout, stderr, status := s.run("solve", "--tridiagonal", "--check", "--report", "T.json", "T.dat")
	if strings.Count(stdout, "\n") != 3 || status != cli.StatusSuccess {
		t.Fatalf("status %d, %q\n%s", status, stdout, stderr)
	}
	const want = `residual                             0.25  good  ‖A·Q − Q·Λ‖₁ / (n·ε·‖A‖₁)
orthogonality                         0.5  good  ‖I − Qᵀ·Q‖₁ / (n·ε)
certificate                         0.125  good  |λ − λ(T)| / (n·ε·‖T‖₁), proved by Sturm counts
`
	if !strings.HasSuffix(stderr, want) || !strings.Contains(stderr, "memory   96 bytes on the device\n") {
		t.Errorf("%s\nwant the end to be\n%s", stderr, want)
	}
	if text, _ := os.ReadFile("T.json"); !strings.Contains(string(text), `"tridiagonal": true`) || !strings.Contains(string(text), `"certificate": 0.125`) {
		t.Errorf("%s", text)
	}
	_, stderr, status = s.run("solve", "--tridiagonal", "--check", "--values-only", "T.dat")
	if status != cli.StatusSuccess || strings.Contains(stderr, "residual") || !strings.HasSuffix(stderr, want[strings.Index(want, "certificate"):]) {
		t.Errorf("values only: status %d\n%s", status, stderr)
	}
	s.machine.certified = math.Inf(1)
	_, stderr, status = s.run("solve", "--tridiagonal", "--check", "T.dat")
	if says := "vkevd: check failed: certificate is +Inf, not below 60"; status != cli.StatusNumerical || lastLine(stderr) != says {
		t.Errorf("status %d\n%s", status, stderr)
	}
	s.stdin = strings.NewReader(threeRows)
	if stdout, stderr, status := s.run("solve", "--tridiagonal", "-"); strings.Count(stdout, "\n") != 3 || status != cli.StatusSuccess {
		t.Errorf("standard input: status %d, %q\n%s", status, stdout, stderr)
	}
}

func TestBadTridiagonalFiles(t *testing.T) {
	s := newFixture(t)
	s.file("T", "3\n1 2 1\n")
	s.fails(cli.StatusInput, "T:2: the file ends after 1 of 3 rows", "solve", "--tridiagonal", "T")
	s.fails(cli.StatusInput, "missing: no such file or directory", "solve", "--tridiagonal", "missing")
	s.file("A", "%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n3 1 1\n")
	s.fails(cli.StatusInput, "A:3: entry (3,1) is outside the three diagonals (rows and columns from 1)", "solve", "--tridiagonal", "A")
	if len(s.machine.opened) > 0 {
		t.Error("a device was opened")
	}
}

func TestPlanOfParts(t *testing.T) {
	s := newFixture(t)
	stdout, _, status := s.run("plan", "-n", "1000", "--tridiagonal", "--index", ":10")
	if opt := s.machine.wanted[0]; status != cli.StatusSuccess || opt.Select != evd.Index(0, 10) || !strings.Contains(stdout, "32000  31.2 KiB") {
		t.Errorf("status %d, %+v\n%s", status, opt, stdout)
	}
	s.fails(cli.StatusInput, "--solver bisection finds no vectors; add --values-only; see vkevd plan --help", "plan", "-n", "10", "--solver", "bisection")
}

// TestPartsFromTheEnd checks flags that select a part of the spectrum. A negative index of --index
// must count from the end of the spectrum. The values of --largest and --smallest must be numbers
// of eigenvalues.
func TestPartsFromTheEnd(t *testing.T) {
	four := "4\n1 2 0\n2 3 0\n3 5 0\n4 7 0\n"
	for args, want := range map[string]evd.Selection{
		"--index -3:": evd.Index(1, 4), "--index :-1": evd.Index(0, 3), "--index -3:-1": evd.Index(1, 3), "--index=-4:4": evd.Index(0, 4),
		"--largest 1": evd.Index(3, 4), "--largest 4": evd.Index(0, 4), "--smallest 2": evd.Index(0, 2),
	} {
		s := newFixture(t)
		s.file("T", four)
		_, stderr, status := s.run(append(strings.Fields("solve --tridiagonal "+args), "T")...)
		if status != cli.StatusSuccess || s.machine.wanted[0].Select != want {
			t.Errorf("%s: status %d, %+v\n%s", args, status, s.machine.wanted, stderr)
		}
		if _, stderr, status := s.run(append(strings.Fields("plan -n 4 "+args), "--tridiagonal")...); status != cli.StatusSuccess || s.machine.wanted[1].Select != want {
			t.Errorf("plan %s: status %d\n%s", args, status, stderr)
		}
	}
	s := newFixture(t)
	s.file("T", four)
	const see = "; see vkevd solve --help"
	for args, says := range map[string]string{
		"--index -5:":              "T: --index: -5: is outside 0:4, the indices of all eigenvalues",
		"--index 0:5":              "T: --index: 0:5 is outside 0:4, the indices of all eigenvalues",
		"--index -1:-3":            "T: --index: -1:-3 ends before it begins (3:1)",
		"--index 3:1":              "--index: 3:1 ends before it begins (3:1)" + see,
		"--largest 5":              "T: --largest: 5 is too many; the number of all eigenvalues is 4",
		"--smallest 5":             "T: --smallest: 5 is too many; the number of all eigenvalues is 4",
		"--largest 0":              `--largest: "0" is not a whole number, at least 1` + see,
		"--smallest x":             `--smallest: "x" is not a whole number, at least 1` + see,
		"--largest 1 --smallest 1": "--smallest cannot be combined with --largest" + see,
		"--largest 1 --index 0:1":  "--index cannot be combined with --largest" + see,
		"--interval a:b":           `--interval: "a:b" must be A:B, two numbers such as -1:2.5` + see,
	} {
		s.fails(cli.StatusInput, says, append(strings.Fields("solve --tridiagonal "+args), "T")...)
	}
	if len(s.machine.opened) > 0 {
		t.Error("a device was opened")
	}
}
