package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/doctor"
	"github.com/vkevd/vkevd/evd/matio"
)

// TestDoctorMeasuresAFirstRun checks the two solves of --first-run. Both must get the device, a
// matrix, and the same folders for caches. The folders must be empty at the first solve. The times
// of both solves must be printed.
func TestDoctorMeasuresAFirstRun(t *testing.T) {
	s := healthy(t)
	calls := 0
	var folders string
	s.again = func(_ context.Context, variables []string, args ...string) ([]byte, error) {
		calls++
		if calls == 1 {
			folders = strings.Join(variables, " ")
		}
		for _, v := range variables {
			_, dir, _ := strings.Cut(v, "=")
			if held, err := os.ReadDir(dir); err != nil || len(held) != calls-1 || strings.Join(variables, " ") != folders {
				t.Errorf("call %d: %s has %d files, %v", calls, v, len(held), err)
			}
			os.WriteFile(filepath.Join(dir, "kernels"), nil, 0o600)
		}
		a, err := matio.ReadFile(args[len(args)-1])
		if err != nil || a.Rows != doctor.FirstRunOrder || a.At(3, 5) != a.At(5, 3) {
			t.Errorf("matrix %v, %v", a, err)
		}
		if line := strings.Join(args, " "); !strings.HasPrefix(line, "solve --quiet --vectors --json - --device Pretence ") {
			t.Errorf("runs %s", line)
		}
		if calls == 1 {
			return []byte(`{"seconds":{"read":50,"prepare":2.5,"solve":0.75}}`), nil
		}
		return []byte(`{"seconds":{"read":50,"prepare":0.25,"solve":0.5}}`), nil
	}
	stdout, _, status := s.run("doctor", "--first-run", "--device", "Pretence")
	const want = "note     first run                    n = 1024 with vectors takes 3.2 s with empty caches, and 0.8 s in the next run\n"
	if !strings.Contains(stdout, want) || status != cli.StatusSuccess || calls != 2 {
		t.Errorf("status %d, %d calls\n%s", status, calls, stdout)
	}
	for _, v := range strings.Fields(folders) {
		_, dir, _ := strings.Cut(v, "=")
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is still there", dir)
		}
	}

	s.again = func(context.Context, []string, ...string) ([]byte, error) { return nil, errors.New("no such program") }
	stdout, _, status = s.run("doctor", "--first-run")
	if !strings.Contains(stdout, "note     first run                    not measured: no such program\n") || status != cli.StatusSuccess {
		t.Errorf("status %d\n%s", status, stdout)
	}
}

// TestRunAgain runs the program in a process of its own, with and without an error.
func TestRunAgain(t *testing.T) {
	t.Setenv(asProgram, "1")
	out, err := cli.RunAgain(context.Background(), []string{"VKEVD_CACHE=elsewhere"}, "version")
	if err != nil || !strings.HasPrefix(string(out), "vkevd ") {
		t.Errorf("%q, %v", out, err)
	}
	_, err = cli.RunAgain(context.Background(), nil, "solve", "no-such-file")
	if err == nil || !strings.HasSuffix(err.Error(), "no-such-file: no such file or directory") {
		t.Errorf("error %v", err)
	}
}
