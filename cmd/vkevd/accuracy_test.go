package main

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/accuracy"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// Accuracy is a fake experiment. Trial t of an order n has the error n·10⁻ᵏ·(t+1), where k is 16
// for double, 8 for single and 4 for half precision.
func (m *fakeMachine) Accuracy(ctx context.Context, opt accuracy.Options, add func(accuracy.Row) error) error {
	m.errorsOf = opt
	if m.planErr != nil {
		return m.planErr
	}
	unit := map[svd.Storage]float64{svd.Double: 1e-16, svd.Single: 1e-8, svd.Half: 1e-4}
	for _, n := range opt.Orders {
		opt.Progress("a trial")
		for t := range opt.Trials {
			for _, b := range opt.Bands {
				for _, s := range opt.Storages {
					r := accuracy.Row{Device: m.info.Name + "\x1b", Driver: "gonum 0.17", N: n, B: b, Precision: s.String(), Trial: t, Error: float64(n*(t+1)) * unit[s]}
					if err := add(r); err != nil {
						return err
					}
				}
			}
		}
	}
	return ctx.Err()
}

func TestAccuracy(t *testing.T) {
	s := newFixture(t)
	stdout, stderr, status := s.run("accuracy", "--n", "20,10", "--band", "4", "--trials", "3", "--seed", "5", "--tile", "2", "--device", "pre", "--json", "rows.json")
	const want = `Pretence 9000\x1b, gonum 0.17
     n     b  precision matrices     median 1st quart. 3rd quart.   smallest    largest
    10     4  double           3   2.00e-15   1.50e-15   2.50e-15   1.00e-15   3.00e-15
    10     4  single           3   2.00e-07   1.50e-07   2.50e-07   1.00e-07   3.00e-07
    10     4  half             3   2.00e-03   1.50e-03   2.50e-03   1.00e-03   3.00e-03
    20     4  double           3   4.00e-15   3.00e-15   5.00e-15   2.00e-15   6.00e-15
    20     4  single           3   4.00e-07   3.00e-07   5.00e-07   2.00e-07   6.00e-07
    20     4  half             3   4.00e-03   3.00e-03   5.00e-03   2.00e-03   6.00e-03
`
	if stdout != want || status != cli.StatusSuccess {
		t.Errorf("status %d, %q\n%s\nwant\n%s", status, stderr, stdout, want)
	}
	if o := s.machine.errorsOf; !slices.Equal(o.Orders, []int{20, 10}) || o.Seed != 5 || o.Tile != 2 || s.machine.opened[0].Device != "pre" || s.machine.closed != 1 {
		t.Errorf("%+v, opened %+v", o, s.machine.opened)
	}
	text, err := os.ReadFile("rows.json")
	if err != nil {
		t.Fatal(err)
	}
	var first accuracy.Row
	if err := json.Unmarshal([]byte(strings.SplitN(string(text), "\n", 2)[0]), &first); err != nil || first.N != 20 || first.Error != 2e-15 {
		t.Errorf("%v, %+v", err, first)
	}
	if n := strings.Count(string(text), "\n"); n != 18 {
		t.Errorf("%d rows", n)
	}
	stdout, _, _ = s.run("accuracy", "--n", "20", "--band", "4", "--precision", "f16,f32,f16", "--json", "-")
	if o := s.machine.errorsOf; !slices.Equal(o.Storages, []svd.Storage{svd.Half, svd.Single}) || o.Trials != 10 || o.Seed != 1 {
		t.Errorf("%+v", o)
	}
	if n := strings.Count(stdout, "\n"); n != 20 || !strings.HasPrefix(stdout, "{") {
		t.Errorf("%d lines: %s", n, stdout)
	}
}

func TestAccuracyRefuses(t *testing.T) {
	s := newFixture(t)
	const help = "; see vkevd accuracy --help"
	for _, c := range []struct{ args, says string }{
		{"", "accuracy needs --n N,…, the orders of the matrices"},
		{"-n 20 x", `accuracy takes no argument, not "x"`},
		{"-n 1", "--n: 1 is too small, at least 2"},
		{"-n 20", "--band: no band is narrower than the matrices of order 20"},
		{"-n 20 --band 0", "--band: 0 is too small, at least 1"},
		{"-n 20 --band 4 --trials 0", "--trials: must be positive"},
		{"-n 20 --band 4 --tile -1", "--tile: must not be negative"},
		{"-n 20 --band 4 --precision f64,f8", `--precision: "f8" is none of f64, f32, f16`},
	} {
		s.fails(cli.StatusInput, c.says+help, append([]string{"accuracy"}, strings.Fields(c.args)...)...)
	}
	s.fails(cli.StatusInput, "no/rows: cannot be written: no such file or directory", "accuracy", "-n", "20", "--band", "4", "--json", "no/rows")
	s.machine.planErr = &vk.UnsupportedError{Device: "Pretence 9000", Feature: "storageBuffer16BitAccess, for storage in half precision", Need: "yes", Have: "no"}
	s.fails(cli.StatusDevice, "Pretence 9000: storageBuffer16BitAccess, for storage in half precision: needs yes, has no", "accuracy", "-n", "20", "--band", "4")
}

// TestPlotAccuracy draws rows of several orders, half-bandwidths and precisions. One row has the
// error 0, for which a logarithmic scale has no place.
func TestPlotAccuracy(t *testing.T) {
	s := newFixture(t)
	s.run("accuracy", "--n", "20,40", "--band", "4,8", "--json", "rows.json")
	s.file("more.json", `{"n":80,"b":4,"precision":"single","error":0.1}{"n":80,"b":4,"precision":"half","error":0}`)
	for _, args := range []string{"--out p.svg rows.json more.json", "--out p.png rows.json", "--out p.svg --band 8 rows.json"} {
		if _, stderr, status := s.run(append([]string{"plot", "accuracy"}, strings.Fields(args)...)...); status != cli.StatusSuccess {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
	picture, err := os.ReadFile("p.svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{">double, ε = 2.2e-16<", ">single, ε = 1.2e-07<", ">half, ε = 0.00098<", ">20<", ">40<", "Pretence 9000"} {
		if !strings.Contains(string(picture), word) {
			t.Errorf("no %s in the picture", word)
		}
	}
	s.file("other.json", `{"n":3}`)
	s.file("empty", "")
	s.file("zero.json", `{"n":80,"b":4,"precision":"half","error":0}`)
	for _, c := range []struct{ args, says string }{
		{"--out p.png other.json", `other.json: a row with impossible values: n = 3, b = 0, precision "", error 0`},
		{"--out p.png empty", "empty: no rows in it; accuracy --json writes them"},
		{"--out p.png zero.json", "all errors are 0"},
		{"--out p.png --band 5 rows.json", "no rows of bands with 5 superdiagonals"},
	} {
		s.fails(cli.StatusInput, c.says, append([]string{"plot", "accuracy"}, strings.Fields(c.args)...)...)
	}
	s.file("tenth.json", `{"n":80,"b":4,"precision":"tenth","error":0.1}`)
	s.fails(cli.StatusInput, `tenth.json: a row with impossible values: n = 80, b = 4, precision "tenth", error 0.1`, "plot", "accuracy", "--out", "p.png", "tenth.json")
	s.file("v.txt", "v\n")
	s.fails(cli.StatusInput, "v.txt: not rows in JSON; accuracy --json writes them", "plot", "accuracy", "--out", "p.png", "v.txt")
}

func TestRealAccuracy(t *testing.T) {
	s := newFixture(t)
	stdout, stderr, status := s.real("accuracy", "-n", "20", "--band", "4", "--trials", "1", "--precision", "f64,f32", "--json", "rows.json")
	if status != cli.StatusSuccess || strings.Count(stdout, "\n") != 4 {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
	s.expectFiles("rows.json")
}
