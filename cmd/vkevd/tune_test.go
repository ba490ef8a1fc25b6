package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/tune"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// tunable returns a test environment in which vkevd tune finds the sizes b = 64 and k = 128. These
// differ from the sizes in the tuning table.
func tunable(t *testing.T) *fixture {
	s := newFixture(t)
	table := tune.TableChoice(s.machine.info)
	found := table
	found.Band, found.Block = 64, 128
	s.machine.tuneResult = tune.Result{Choice: found, Seconds: 0.5, Table: table, Before: 0.75, Complete: true}
	return s
}

func TestTune(t *testing.T) {
	s := tunable(t)
	stdout, stderr, status := s.run("tune", "--n", "20", "--budget", "3s", "--json", "rows", "--repeat", "2", "--device", "pre")
	const want = `not measured: b = 8: it spills\x1b
Pretence 9000, gonum 0.17
stage          n    b     k      m   median ms         min         max  wall clock   GFLOP/s of fma     GB/s of copy
rank-2k update by a 64×64×8 tile of 8×4:
sy2sb         20    –    64      –     20.0000     10.0000     40.0000     60.0000     100.0  25.0%     10.0   50.0%
sb2st         20    –    64      –     20.0000     10.0000     40.0000     60.0000     100.0  25.0%     10.0   50.0%

best    b = 64, k = 128, rank-2k update by a 64×64×8 tile of 8×4: 0.5 s
table   b = 32, k = 256, rank-2k update by a 64×64×8 tile of 8×4: 0.75 s
`
	if stdout != want || stderr != "preparing the device\n" || status != cli.StatusSuccess {
		t.Errorf("status %d, %q\n%s\nwant\n%s", status, stderr, stdout, want)
	}
	if o := s.machine.tuning; o.N != 20 || o.Budget.Seconds() != 3 || o.Repeat != 2 || !s.machine.opened[0].Statistics || s.machine.opened[0].Device != "pre" {
		t.Errorf("%+v, opened %+v", o, s.machine.opened)
	}
	s.expectFiles("rows")
	stdout, stderr, status = s.run("tune", "--print", "--n", "20", "--quiet")
	const source = `package tuning

import (
	"github.com/vkevd/vkevd/vk"
)

func init() {
	is := func(info vk.Info) bool { return info.Name == "Pretence 9000" }
	devices = append(devices, device{"other", is, tablePretence9000})
}

// tablePretence9000 is the table for the device "Pretence 9000" (driver gonum 0.17). Measured by vkevd tune VERSION with n = 20.
var tablePretence9000 = changed(anywhere, func(t *Tuning) {
	t.Band = 64
	t.Block = 128
})
`
	if stdout != strings.ReplaceAll(source, "VERSION", cli.Version()) || stderr != "" || status != cli.StatusSuccess {
		t.Errorf("--print: status %d, %q\n%s", status, stderr, stdout)
	}
	s.machine.tuneResult.Complete, s.machine.tuneResult.Choice = false, s.machine.tuneResult.Table
	s.machine.tuneResult.Untried = []string{"b = 64", "a 64×64×8 tile of 8×4"}
	stdout, _, _ = s.run("tune")
	if !strings.HasSuffix(stdout, "s\nThe budget of 2m0s was spent before everything was tried. A larger --budget also tries:\nb = 64, a 64×64×8 tile of 8×4.\nNothing faster than the table was found so far.\n") {
		t.Errorf("got\n%s", stdout)
	}
	s.machine.tuneResult.Complete = true
	if stdout, _, _ = s.run("tune"); !strings.HasSuffix(stdout, "s\nThe table is right for this device.\n") {
		t.Errorf("got\n%s", stdout)
	}
	for _, s.machine.tuneResult.Complete = range []bool{false, true} {
		want, unfinished := s.machine.tuneResult.Complete, "\nthe best so far, of an unfinished search, saved in "
		if stdout, _, _ = s.run("tune", "--save"); strings.Contains(stdout, unfinished) == want || strings.Contains(stdout, "\nsaved in ") != want {
			t.Errorf("complete %v: got\n%s", want, stdout)
		}
	}
	if n := s.machine.tuning.N; n != tune.Order(s.machine.info) {
		t.Errorf("n = %d", n)
	}
}

// TestTuneIsUsed checks that solve, svd, plan and bench use the sizes that vkevd tune has saved,
// but only on the device for which they were saved.
func TestTuneIsUsed(t *testing.T) {
	s := tunable(t)
	s.file("A.mtx", twoByTwo)
	stdout, stderr, status := s.run("tune", "--save")
	files, _ := filepath.Glob("config/vkevd/tuning-*.json")
	if status != cli.StatusSuccess || len(files) != 1 || !strings.Contains(stdout, "saved in ") {
		t.Fatalf("status %d, %q, files %q", status, stderr, files)
	}
	table := tune.TableChoice(s.machine.info).Band
	band := func(args ...string) int {
		t.Helper()
		s.machine.wanted, s.machine.singular = nil, nil
		if _, stderr, status := s.run(args...); status != cli.StatusSuccess || strings.Contains(stderr, ": ignored: ") {
			t.Fatalf("%q: status %d, %s", args, status, stderr)
		}
		if args[0] == "bench" {
			return s.machine.benched.Variants[0].Tuning.Band
		}
		if o := s.machine.singular; len(o) > 0 {
			if o[0].Tuning != nil {
				return o[0].Tuning.Band
			}
			return table
		}
		if o := s.machine.wanted[len(s.machine.wanted)-1]; o.Tuning != nil {
			return o.Tuning.Band
		}
		return table
	}
	calls := [][]string{{"solve", "A.mtx"}, {"plan", "-n", "7"}, {"bench", "-n", "7", "gemm"},
		{"svd", "A.mtx"}, {"plan", "--svd", "-n", "7"}}
	for _, args := range calls {
		if got := band(args...); got != 64 {
			t.Errorf("%q runs with b = %d", args, got)
		}
		if got := band(append(args, "--no-config")...); got != table {
			t.Errorf("%q --no-config runs with b = %d", args, got)
		}
	}
	if _, stderr, _ := s.run("solve", "A.mtx"); !strings.Contains(stderr, "\nsizes    from vkevd tune --save;") {
		t.Errorf("the summary does not tell:\n%s", stderr)
	}
	for _, other := range []vk.Info{{Name: "Pretence 9000", Driver: "gonum", DriverVersion: "0.18"}, {Name: "Pretence 9001", Driver: "gonum", DriverVersion: "0.17"}} {
		s.machine.info.Name, s.machine.info.DriverVersion = other.Name, other.DriverVersion
		if got := band("solve", "A.mtx"); got != table {
			t.Errorf("%+v runs with b = %d", other, got)
		}
	}
	s.machine.info = fakeInfo
	s.variables["VKEVD_CONFIG"] = ""
	if got := band("solve", "A.mtx"); got != table {
		t.Errorf("without a folder it runs with b = %d", got)
	}
}

// TestBadTuningIsIgnored gives the program bad files of saved sizes, of several kinds. The program
// must ignore them and print a message of one line.
func TestBadTuningIsIgnored(t *testing.T) {
	s := tunable(t)
	s.file("A.mtx", twoByTwo)
	s.run("tune", "--save")
	files, _ := filepath.Glob("config/vkevd/*")
	good, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	change := func(path string, value any) string {
		var o map[string]any
		json.Unmarshal(good, &o)
		in := o
		names := strings.Split(path, ".")
		for _, name := range names[:len(names)-1] {
			in = in[name].(map[string]any)
		}
		in[names[len(names)-1]] = value
		text, _ := json.Marshal(o)
		return string(text)
	}
	for name, text := range map[string]string{
		"empty": "", "no JSON": "hello", "cut": string(good[:len(good)/2]), "array": "[1]", "escapes": "\x1b[2J",
		"another device": change("device", "X\x1b[2J"), "another driver": change("driver", "X"), "unknown": change("more", 1),
		"band of 0": change("choice.band", 0), "huge band": change("choice.band", 1<<20), "no number": change("choice.band", "wide"),
		"crossover": change("choice.crossovers", map[string]any{"batch_conquer_from": -1}), "block": change("choice.block", 100), "tile": change("choice.rank_two_k", map[string]any{"M": 1 << 30}),
	} {
		if err := os.WriteFile(files[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s.machine.wanted = nil
		_, stderr, status := s.run("solve", "A.mtx")
		if status != cli.StatusSuccess || strings.Count(stderr, ": ignored: ") != 1 || strings.Contains(stderr, "\x1b") || s.machine.wanted[0].Tuning != nil {
			t.Errorf("%s: status %d, %s", name, status, stderr)
		}
		if _, stderr, _ := s.run("solve", "--quiet", "A.mtx"); stderr != "" {
			t.Errorf("%s: --quiet said %q", name, stderr)
		}
	}
	os.WriteFile(files[0], good, 0o600)
	s.machine.forecastErr = &vk.UnsupportedError{Device: "Pretence 9000", Feature: "bytes of shared memory", Need: "2", Have: "1"}
	if _, stderr, status := s.run("solve", "A.mtx"); status != cli.StatusSuccess || !strings.Contains(stderr, ": ignored: Pretence 9000: bytes of shared memory: needs 2, has 1\n") {
		t.Errorf("status %d, %s", status, stderr)
	}
	s.machine.forecastErr = nil
	os.Remove(files[0])
	os.Mkdir(files[0], 0o700)
	if _, stderr, status := s.run("plan", "-n", "7"); status != cli.StatusSuccess || !strings.Contains(stderr, ": ignored: not a regular file\n") {
		t.Errorf("status %d, %s", status, stderr)
	}
	// The kind and the size of the file are looked at before it is read.
	os.Remove(files[0])
	if err := os.Symlink("/dev/zero", files[0]); err != nil {
		t.Skip("no links here: ", err)
	}
	if _, stderr, status := s.run("solve", "A.mtx"); status != cli.StatusSuccess || !strings.Contains(stderr, ": ignored: not a regular file\n") {
		t.Errorf("a link to /dev/zero: status %d, %s", status, stderr)
	}
	os.Remove(files[0])
	if err := errors.Join(os.WriteFile(files[0], good, 0o600), os.Truncate(files[0], 10<<40)); err != nil {
		t.Skip("no file of 10 TB here: ", err)
	}
	if _, stderr, status := s.run("solve", "A.mtx"); status != cli.StatusSuccess || !strings.Contains(stderr, ": ignored: 10995116277760 bytes, at most 65536 are read\n") {
		t.Errorf("10 TB: status %d, %s", status, stderr)
	}
}

func TestTuneRefuses(t *testing.T) {
	s := tunable(t)
	const help = "; see vkevd tune --help"
	s.fails(cli.StatusInput, `tune takes no argument, not "x"`+help, "tune", "x")
	s.fails(cli.StatusInput, "--n: 4 is too small, at least 16"+help, "tune", "--n", "4")
	s.fails(cli.StatusInput, "--budget and --repeat must be positive"+help, "tune", "--budget", "-1s")
	s.fails(cli.StatusInput, "--budget and --repeat must be positive"+help, "tune", "--repeat", "0")
	s.fails(cli.StatusInput, "--print and --json -: both write to standard output"+help, "tune", "--print", "--json", "-")
	s.fails(cli.StatusInput, "no/rows: cannot be written: no such file or directory", "tune", "--json", "no/rows")
	s.variables["VKEVD_CONFIG"] = ""
	s.fails(cli.StatusInput, "--save: there is no folder for settings; VKEVD_CONFIG can name one"+help, "tune", "--save")
	s.machine.planErr = vk.ErrDeviceLost
	s.fails(cli.StatusDevice, "device lost", "tune")
	s.machine.openErr = vk.ErrNoDevice
	s.fails(cli.StatusDevice, "no usable Vulkan device", "tune")
	s.file("file", "")
	s.variables["VKEVD_CONFIG"], s.machine.openErr, s.machine.planErr = "file", nil, nil
	if _, stderr, status := s.run("tune", "--save"); status != cli.StatusInput || !strings.HasSuffix(stderr, ": cannot be written: not a directory\n") {
		t.Errorf("status %d, %s", status, stderr)
	}
	s.expectFiles("file")
}

// TestTuneHere searches for one second on a real device, saves the found sizes, and solves with
// them.
func TestTuneHere(t *testing.T) {
	when.Skip(t, when.Quick, "whole programs")
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	stdout, stderr, status := s.real("tune", "-n", "32", "--budget", "1s", "--repeat", "1", "--save", "--json", "rows.json")
	if status != cli.StatusSuccess || !strings.Contains(stdout, "\nbest    b = ") {
		t.Fatalf("status %d, %s%s", status, stdout, stderr)
	}
	if _, stderr, status := s.real("solve", "--check", "A.mtx"); status != cli.StatusSuccess || !strings.Contains(stderr, "vkevd tune --save") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if _, stderr, status := s.real("plot", "tune", "--out", "p.svg", "rows.json"); status != cli.StatusSuccess {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// Text after the settings is an error: it may be a second device's, or the rest of an older file.
func TestTunedRefusesTextAfterTheObject(t *testing.T) {
	text, err := json.Marshal(cli.Tuned{Device: fakeInfo.Name, Driver: cli.DriverOf(fakeInfo), Choice: tune.TableChoice(fakeInfo)})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tuning.json")
	for after, taken := range map[string]bool{"": true, " \n": true, "x": false, "{}": false, "}": false} {
		if err := os.WriteFile(path, []byte(string(text)+after), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, found, err := cli.ReadTuned(path, fakeInfo); found != taken || (err == nil) != taken {
			t.Errorf("with %q after the object: found %v, %v", after, found, err)
		}
	}
}
