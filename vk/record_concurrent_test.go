package vk_test

import (
	"strings"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// TestBeside records commands that run concurrently with the next command, or with the next call of
// Concurrently. One barrier must follow all of them, also if there is no next command. Commands
// that touch the same memory are refused.
func TestBeside(t *testing.T) {
	d := vk.Dry(vk.Info{Name: "dry"})
	in, out := vk.Reserve[float64]("factors", 64), vk.Reserve[uint32]("fused", 64)
	a, err := d.NewArena(vk.Together(in, out))
	if err != nil {
		t.Fatal(err)
	}
	k, err := vk.Build(d, shaders.ProbeFma(), shaders.ProbeFmaDefaults())
	if err != nil {
		t.Fatal(err)
	}
	rec := vk.NewRecorder(d)
	record := func(from, writes int) {
		o := out.In(a).Sub(from, writes)
		k.Dispatch(rec, vk.Grid(1), shaders.ProbeFmaPush{Factors: in.In(a).Addr(), Fused: o.Addr(), Pairs: uint32(writes)},
			vk.Touches(in.In(a)), vk.Touches(o))
	}
	first, none := func() { record(0, 8) }, func() {}
	rec.Beside(first, func() {
		record(8, 8)
		record(0, 8)
	})
	rec.Beside(first, func() {
		rec.Concurrently(func() {
			record(8, 8)
			record(16, 8)
		})
		record(8, 8)
	})
	rec.Beside(first, none)
	rec.Beside(none, first)
	var text strings.Builder
	rec.WriteTo(&text)
	var have []string
	for line := range strings.Lines(text.String()) {
		if line == "barrier\n" {
			have = append(have, "|")
		} else {
			have = append(have, strings.TrimSpace(line[strings.Index(line, "Fused=")+len("Fused="):]))
		}
	}
	const want = "fused fused+32 | fused | fused fused+32 fused+64 | fused+32 | fused | fused |"
	if got := strings.Join(have, " "); got != want {
		t.Errorf("recorded %s, want %s", got, want)
	}
	for name, then := range map[string]func(){
		"a command":    func() { record(7, 8) },
		"Concurrently": func() { rec.Concurrently(func() { record(7, 8) }) },
		"a fill":       func() { vk.Fill(rec, out.In(a), 0) },
		"Beside":       func() { rec.Beside(none, none) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s that conflicts is not refused", name)
				}
			}()
			rec.Beside(first, then)
		}()
	}
}
