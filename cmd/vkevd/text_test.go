package main

import (
	"strings"
	"testing"
	"unicode"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/vk"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "",
		"A.mtx":                "A.mtx",
		"Größe λ 行列 n = 3":     "Größe λ 行列 n = 3",
		"\x1b[31mred":          `\x1b[31mred`,
		"a\rb\tc\x7f\x00":      `a\x0db\x09c\x7f\x00`,
		"\u009b31m":            `\u009b31m`, // some terminals take it for ESC [
		"\x9b31m":              `\x9b31m`,
		"txt\u202egnp.exe":     `txt\u202egnp.exe`, // it would turn the rest from right to left
		"a\u200bb\ufeff\u2028": `a\u200bb\ufeff\u2028`,
		"\xff\xfe":             `\xff\xfe`,
		"\ufffd":               `\ufffd`,
	} {
		if got := cli.Printable(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

// TestNoEscapes checks that the program prints no control characters, although names of files and
// devices may contain some.
func TestNoEscapes(t *testing.T) {
	const evil = "A\x1b]0;pwned\a\u202e.mtx"
	s := newFixture(t)
	s.file(evil, twoByTwo)
	s.file("bad"+evil, "x")
	s.file("v", "1\n3\n")
	s.machine.info.Name += "\x1b[2J"
	s.machine.info.DriverVersion += "\x1b[2J"
	s.machine.info.Features = nil
	for _, f := range vk.Features() {
		s.machine.info.Features = append(s.machine.info.Features, f.Name)
	}
	s.variables["VKEVD_CACHE"] = "cache\x1b"
	for _, args := range [][]string{
		{"solve", evil}, {"solve", "bad" + evil}, {"solve", "none\x1b"}, {"solve", "--\x1b[2J", evil}, {"\x1b[2J"},
		{"solve", "--check", "--device", "\x1b[2J", evil}, {"check", evil, "v", evil}, {"check", evil, evil, "v"},
		{"devices"}, {"plan", "-n", "7"}, {"selftest", "-n", "3", "goe"}, {"bench", "--n", "7", "gemm"}, {"doctor"},
		{"plot", "spectrum", "--out", "x.png", evil}, {"plot", "stages", "--out", evil + ".png", evil},
	} {
		for _, problem := range []string{"", "\x1b[2J"} {
			s.machine.info.Problem = problem
			stdout, stderr, _ := s.run(args...)
			for _, r := range stdout + stderr {
				if r != '\n' && !unicode.IsPrint(r) {
					t.Errorf("%q printed %q", args, r)
					break
				}
			}
			if strings.Contains(stdout+stderr, "]0;pwned") && !strings.Contains(stdout+stderr, `\x1b]0;pwned`) {
				t.Errorf("%q: the name is not shown: %q", args, stdout+stderr)
			}
		}
	}
}
