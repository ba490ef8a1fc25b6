package main

import (
	"slices"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/draw"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/plot"
	"github.com/vkevd/vkevd/evd/bench"
)

// TestParallelOf checks which sizes become axes, and which values they have. A size that is the
// same in all rows is no axis. A field that a variant does not set has the value "table".
// Numbers are ordered by size. If a combination of sizes was measured several times, the last row
// counts.
func TestParallelOf(t *testing.T) {
	rows := []bench.Row{
		{Stage: "gbbrd", N: 10, B: 32, Median: 5, Tuning: `{"Narrow":{"Tile":15},"Chase":{"OneTile":true}}`},
		{Stage: "gbbrd", N: 10, B: 32, Median: 4, Tuning: `{"Narrow":{"Tile":7}}`},
		{Stage: "gbbrd", N: 10, B: 128, Median: 3, Tuning: `{"Narrow":{"Tile":31},"Band":8}`},
		{Stage: "gbbrd", N: 10, B: 32, Median: 2},
		{Stage: "gbbrd", N: 10, B: 32, Median: 1, Tuning: `{"Narrow":{"Tile":7}}`},
	}
	axes, variants, err := plot.ParallelOf(rows)
	if err != nil {
		t.Fatal(err)
	}
	want := []draw.Axis{
		{Name: "Band", Values: []string{"table", "8"}}, {Name: "Chase.OneTile", Values: []string{"table", "true"}},
		{Name: "Narrow.Tile", Values: []string{"table", "7", "15", "31"}}, {Name: "b", Values: []string{"32", "128"}},
	}
	if !slices.EqualFunc(axes, want, func(a, b draw.Axis) bool { return a.Name == b.Name && slices.Equal(a.Values, b.Values) }) {
		t.Errorf("axes %v, want %v", axes, want)
	}
	lines := []draw.Variant{{At: []int{0, 1, 2, 0}, Seconds: 5}, {At: []int{0, 0, 1, 0}, Seconds: 1}, {At: []int{1, 0, 3, 1}, Seconds: 3}, {At: []int{0, 0, 0, 0}, Seconds: 2}}
	if !slices.EqualFunc(variants, lines, func(a, b draw.Variant) bool { return a.Seconds == b.Seconds && slices.Equal(a.At, b.At) }) {
		t.Errorf("variants %v, want %v", variants, lines)
	}
}

// TestParallelRefuses checks rows from which no picture can be drawn.
func TestParallelRefuses(t *testing.T) {
	s := newFixture(t)
	s.file("one", `{"stage":"a","n":1,"b":2,"seconds_median":1}`)
	s.file("two", `{"stage":"a","n":1,"b":2,"seconds_median":1}`+"\n"+`{"stage":"b","n":1,"b":3,"seconds_median":1}`)
	s.file("bad", `{"stage":"a","n":1,"tuning":"mine","seconds_median":1}`+"\n"+`{"stage":"a","n":1,"b":3,"seconds_median":1}`)
	for file, says := range map[string]string{
		"one": "all rows have the same sizes; bench --json with several --band, --block or --tuning writes others",
		"two": "rows of the stages a, b; --stage selects one",
		"bad": `a row of the variant "mine", which is no JSON of --tuning`,
	} {
		s.fails(cli.StatusInput, says, "plot", "parallel", "--out", "p.png", file)
	}
	s.fails(cli.StatusInput, `no rows of the stage "c"`, "plot", "parallel", "--stage", "c", "--out", "p.png", "two")
	s.expectFiles("one", "two", "bad")
}
