package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

func TestSolveHandsFlagsOn(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	for _, c := range []struct {
		args               string
		vectors, overwrite bool
		band, block        int
		variables          map[string]string
		device, cache      string
	}{
		{args: "", cache: "/home/me/.cache/vkevd"},
		{args: "--vectors", vectors: true, overwrite: true, cache: "/home/me/.cache/vkevd"},
		{args: "--check", vectors: true, cache: "/home/me/.cache/vkevd"},
		{args: "--values-only", cache: "/home/me/.cache/vkevd"},
		{args: "--values-only --band 16 --block 128", band: 16, block: 128, cache: "/home/me/.cache/vkevd"},
		{args: "--values-only", variables: map[string]string{"VKEVD_DEVICE": "amd", "VKEVD_CACHE": "/tmp/c"}, device: "amd", cache: "/tmp/c"},
		{args: "--values-only --device 1", variables: map[string]string{"VKEVD_DEVICE": "amd", "VKEVD_CACHE": ""}, device: "1"},
		{args: "--values-only --device=", variables: map[string]string{"VKEVD_DEVICE": "amd", "VKEVD_CACHE": ""}, device: ""},
	} {
		s.variables = c.variables
		s.run(append(strings.Fields("solve "+c.args), "A.mtx")...)
		opened, wanted := s.machine.opened[0], s.machine.wanted[0]
		s.machine.opened, s.machine.wanted = nil, nil
		if opened.Device != c.device || opened.CacheDir != c.cache {
			t.Errorf("%q: opened %q with cache %q", c.args, opened.Device, opened.CacheDir)
		}
		if wanted.Vectors != c.vectors || wanted.Overwrite != c.overwrite || wanted.Band != c.band || wanted.Block != c.block {
			t.Errorf("%q: options %+v", c.args, wanted)
		}
	}
}

func TestNoHomeNoCache(t *testing.T) {
	s := cli.Environment{
		Lookup:   func(string) (string, bool) { return "", false },
		CacheDir: func() (string, error) { return "", errors.New("no home") },
	}
	if dir := s.PipelineCache(); dir != "" {
		t.Errorf("cache in %q", dir)
	}
}

func TestDriverWarnings(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	s.machine.during = func() { s.machine.opened[0].Logger.Warn("pipeline cache not written", "error", "disk full") }
	const want = "warning: pipeline cache not written: disk full"
	if _, stderr, _ := s.run("solve", "A.mtx"); !strings.Contains(stderr, "\n"+want+"\n") {
		t.Errorf("no warning in\n%s", stderr)
	}
	if _, stderr, _ := s.run("solve", "--quiet", "A.mtx"); stderr != "" {
		t.Errorf("--quiet said %q", stderr)
	}
}

func TestIsTerminal(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if cli.IsTerminal(f) {
		t.Error("a file is taken for a terminal")
	}
}

func TestHuman(t *testing.T) {
	for bytes, want := range map[uint64]string{
		0: "0 bytes", 1023: "1023 bytes", 1024: "1.0 KiB", 3 << 19: "1.5 MiB", 141 << 30: "141.0 GiB", 1 << 51: "2048.0 TiB",
	} {
		if got := cli.Human(bytes); got != want {
			t.Errorf("%d: %s, want %s", bytes, got, want)
		}
	}
}
