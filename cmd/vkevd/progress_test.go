package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
)

func TestProgressOnATerminal(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, true)
	p.began = time.Now().Add(-125 * time.Second)
	p.stage("reading A.mtx")
	p.update(evd.Progress{Stage: "band reduction", Done: 1, Total: 4})
	p.update(evd.Progress{Stage: "band reduction", Done: 2, Total: 4}) // too soon to be drawn
	p.drawn = time.Time{}
	p.update(evd.Progress{Stage: "band reduction", Done: 3, Total: 4})
	p.end()
	p.end()
	want := strings.Join([]string{
		"", "reading A.mtx                      2:05", "band reduction                25%  2:05", "band reduction                75%  2:05", "",
	}, clearLine)
	if b.String() != want {
		t.Errorf("got\n%q\nwant\n%q", b.String(), want)
	}
}

func TestProgressElsewhere(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, false)
	p.stage("reading A.mtx")
	for done := range 4 {
		p.update(evd.Progress{Stage: "band reduction", Done: float64(done), Total: 4})
	}
	p.update(evd.Progress{Stage: "scale"}) // no total known
	p.end()
	if want := "reading A.mtx\nband reduction\nscale\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// TestRedrawnLineIsGoneBeforeText: neither summary nor error stands behind a left-over line.
func TestRedrawnLineIsGoneBeforeText(t *testing.T) {
	s := newStage(t)
	s.file("A.mtx", twoByTwo)
	s.file("B.mtx", "")
	s.terminal = true
	for _, file := range []string{"A.mtx", "B.mtx"} {
		_, stderr, _ := s.run("solve", file)
		_, text, _ := strings.Cut(stderr, "\n")
		last := strings.LastIndex(stderr, clearLine)
		if after := stderr[last+len(clearLine):]; !strings.HasPrefix(after, "matrix ") && !strings.HasPrefix(after, "vkevd: ") {
			t.Errorf("%s: %q follows the last redrawn line", file, after)
		}
		if strings.Contains(text, "\x1b") {
			t.Errorf("%s: control codes within the text: %q", file, text)
		}
	}
	if _, stderr, _ := s.run("solve", "--quiet", "A.mtx"); stderr != "" {
		t.Errorf("--quiet said %q", stderr)
	}
}
