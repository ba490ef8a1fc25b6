package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

const banner = "%%MatrixMarket matrix coordinate real "

func TestBadInput(t *testing.T) {
	for name, c := range map[string]struct{ file, says string }{
		"empty":            {"", "A: the file is empty"},
		"no matrix":        {"hello\n", "A: neither Matrix Market (no %%MatrixMarket banner), .npy, .npz nor a table of numbers"},
		"truncated":        {banner + "symmetric\n2 2 3\n1 1 2\n", "A:3: the file ends after 1 of 3 entries"},
		"too many":         {banner + "symmetric\n2 2 1\n1 1 2\n2 2 2\n", "A:4: more entries than the 1 declared"},
		"index":            {banner + "symmetric\n2 2 1\n3 1 2\n", `A:3: row "3" is outside 1 to 2`},
		"number":           {banner + "symmetric\n2 2 1\n1 1 x\n", `A:3: "x" is not a number`},
		"truncated gzip":   {zipped(twoByTwo)[:40], "A: compressed data: unexpected EOF"},
		"truncated npy":    {npy(2, 2, 2, 1, 1, 2)[:140], "A: the header announces 32 bytes of elements, but the file has 12"},
		"cube":             {strings.Replace(npy(2, 2, 2, 1, 1, 2), "(2, 2), }", "(2,2,1),}", 1), "A: a matrix has two dimensions, but this array has 3; vkevd solve --batch solves a stack of matrices"},
		"rectangular":      {npy(3, 2, 1, 2, 3, 4, 5, 6), "A: matrix is not square: 3 rows, 2 columns; --tridiagonal reads diagonals, and vkevd svd takes matrices of any shape"},
		"not symmetric":    {npy(2, 2, 1, 2, 2.5, 1), "A: matrix is not symmetric: |a(2,1) − a(1,2)| = 0.5 is the largest difference (rows and columns from 1); --symmetrize takes (A+Aᵀ)/2, --uplo lower or upper one triangle"},
		"larger than life": {banner + "symmetric\n900000 900000 0\n", "A: 900000 by 900000 elements take 6.03e+03 GiB, more than this system can provide"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t)
			s.file("A", c.file)
			s.fails(cli.StatusInput, c.says, "solve", "--out-vectors", "Q.npy", "--out-values", "v", "--report", "r", "A")
			s.expectFiles("A")
			if len(s.machine.opened) > 0 {
				t.Error("a device was opened")
			}
			s.stdin = strings.NewReader(c.file)
			s.fails(cli.StatusInput, strings.Replace(c.says, "A:", "standard input:", 1), "solve", "-")
		})
	}
}

func TestNoFile(t *testing.T) {
	s := newFixture(t)
	os.Mkdir("folder", 0o700)
	s.file("A.mtx", twoByTwo)
	s.fails(cli.StatusInput, "missing.mtx: no such file or directory", "solve", "missing.mtx")
	s.fails(cli.StatusInput, "folder: is a directory, not a matrix file", "solve", "folder")
	s.fails(cli.StatusInput, "A.mtx/B.mtx: not a directory", "solve", "A.mtx/B.mtx")
	s.fails(cli.StatusInput, "such; file: no such file or directory", "solve", "such\nfile")
}

// TestBadOutput checks that a command refuses an output file that it cannot write, before it reads
// or computes anything.
func TestBadOutput(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	os.Mkdir("folder", 0o700)
	for _, c := range []struct{ args, says string }{
		{"--out-values no/such/v", "no/such/v: cannot be written: no such file or directory"},
		{"--out-vectors A.mtx/Q.npy", "A.mtx/Q.npy: cannot be written: not a directory"},
		{"--report folder", "folder: cannot be written: is a directory"},
		{"--out-values v --out-vectors ./v", "./v: named for two outputs"},
	} {
		s.fails(cli.StatusInput, c.says, append(strings.Fields("solve "+c.args), "A.mtx")...)
		s.expectFiles("A.mtx", "folder")
	}
	s.file("A.txt", "2 1\n1 2\n")
	s.fails(cli.StatusInput, "./A.txt: would overwrite the matrix itself", "solve", "--out-values", "./A.txt", "A.txt")
	s.expectFiles("A.mtx", "A.txt", "folder")
	if len(s.machine.opened) > 0 {
		t.Error("a device was opened")
	}
	if _, stderr, status := s.run("solve", "--out-values", os.DevNull, "--out-vectors", os.DevNull, "A.mtx"); status != cli.StatusSuccess {
		t.Errorf("two outputs to nowhere: %s", stderr)
	}
}

// TestFullDisk checks a command with several output files, one of which cannot be written. The
// other files must not appear either, and nothing may be printed.
func TestFullDisk(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("no ", full)
	}
	for _, flag := range []string{"--out-values", "--out-vectors", "--report"} {
		s := newFixture(t)
		s.file("A.mtx", twoByTwo)
		args := []string{"solve", flag, full}
		for _, other := range []string{"--out-values", "--out-vectors", "--report"} {
			if other != flag {
				args = append(args, other, "out"+other)
			}
		}
		s.fails(cli.StatusInput, "/dev/full: cannot be written: no space left on device", append(args, "A.mtx")...)
		s.expectFiles("A.mtx")
	}
}

// TestSolverFailures checks errors of the library. Each must have its exit status and a message of
// one line, and no file may be left.
func TestSolverFailures(t *testing.T) {
	loader := fmt.Errorf("%w: no Vulkan loader; on Debian and Ubuntu: apt install libvulkan1 mesa-vulkan-drivers", vk.ErrNoDevice)
	for _, c := range []struct {
		open, plan, solve, check error
		status                   int
		says                     string
	}{
		{open: loader, status: cli.StatusDevice, says: loader.Error()},
		{open: &vk.UnsupportedError{Device: "Old", Feature: "Vulkan version", Need: "1.3", Have: "1.1"}, status: cli.StatusDevice, says: "Old: Vulkan version: needs 1.3, has 1.1"},
		{plan: &vk.OutOfMemoryError{What: "the workspace", Need: 200, Free: 100}, status: cli.StatusDevice, says: "A.mtx, n = 2: the workspace needs 200 bytes of device memory, 100 bytes is free"},
		{plan: &evd.OptionError{Option: "Block", Reason: "100 is no multiple of 32"}, status: cli.StatusInput, says: "--block: 100 is no multiple of 32"},
		{plan: &evd.OptionError{Option: "Band, Block", Reason: "must not be negative"}, status: cli.StatusInput, says: "--band, --block: must not be negative"},
		{solve: &evd.NonFiniteError{Row: 1, Col: 0, Value: math.NaN()}, status: cli.StatusInput, says: "A.mtx: a(2,1) is NaN; eigenvalues need finite entries (rows and columns from 1)"},
		{solve: &evd.NonFiniteError{Row: 0, Col: 0, Value: math.Inf(-1)}, status: cli.StatusInput, says: "A.mtx: a(1,1) is -Inf; eigenvalues need finite entries (rows and columns from 1)"},
		{solve: &evd.NoConvergenceError{Stage: "tridiagonal solve", Index: 7, End: 32}, status: cli.StatusNumerical, says: "A.mtx, n = 2: tridiagonal solve: QL iteration did not converge on rows [7, 32) of the tridiagonal"},
		{solve: &evd.StageError{Stage: "bulge chasing", Info: 3}, status: cli.StatusDevice, says: "A.mtx, n = 2: bulge chasing failed on the device (INFO = 3)"},
		{solve: fmt.Errorf("batch 3: %w", vk.ErrDeviceLost), status: cli.StatusDevice, says: "A.mtx, n = 2: batch 3: device lost"},
		{solve: fmt.Errorf("batch 3: %w", context.Canceled), status: cli.StatusNumerical, says: "interrupted"},
		{check: &vk.Error{Op: "submitting", Phase: "check", Err: errors.New("no room")}, status: cli.StatusDevice, says: "A.mtx, n = 2: vulkan: submitting in phase check: no room"},
	} {
		s := newFixture(t)
		s.file("A.mtx", twoByTwo)
		s.machine.openErr, s.machine.planErr, s.machine.solveErr, s.machine.checkErr = c.open, c.plan, c.solve, c.check
		s.fails(c.status, c.says, "solve", "--check", "--out-vectors", "Q.npy", "--out-values", "v", "--report", "r", "A.mtx")
		s.expectFiles("A.mtx")
	}
}

// TestInterrupted interrupts the command solve before, during and after the solve.
func TestInterrupted(t *testing.T) {
	interrupt := func(t *testing.T, prepare func(s *fixture, cancel func())) {
		s := newFixture(t)
		s.file("A.mtx", twoByTwo)
		var cancel func()
		s.ctx, cancel = context.WithCancel(context.Background())
		defer cancel()
		prepare(s, cancel)
		s.fails(cli.StatusNumerical, "interrupted", "solve", "--out-vectors", "Q.npy", "--out-values", "v", "-")
		s.expectFiles("A.mtx")
	}
	t.Run("reading", func(t *testing.T) {
		interrupt(t, func(s *fixture, cancel func()) {
			never, w := io.Pipe() // nothing is written to it
			t.Cleanup(func() { w.Close() })
			s.stdin = io.MultiReader(callback(cancel), never)
		})
	})
	t.Run("solving", func(t *testing.T) {
		interrupt(t, func(s *fixture, cancel func()) {
			s.stdin = strings.NewReader(twoByTwo)
			s.machine.during = cancel
		})
	})
	t.Run("writing", func(t *testing.T) {
		interrupt(t, func(s *fixture, cancel func()) {
			s.stdin = strings.NewReader(twoByTwo)
			s.machine.after = cancel
		})
	})
}

// TestOthersInterrupted runs commands other than solve with a context that has ended. Each must say
// that it was interrupted, and must write no file.
func TestOthersInterrupted(t *testing.T) {
	for _, args := range []string{"selftest -n 5", "svd A.mtx", "doctor", "bench -n 5 gemm", "tune", "accuracy -n 20 --band 4", "check A.mtx v.txt Q.npy", "plot spectrum --out p.png -"} {
		s := newFixture(t)
		s.solved()
		s.stdin, s.stdout = strings.NewReader("1\n"), io.Discard // abandoned work may still write to it
		s.variables["VKEVD_CACHE"] = ""
		var cancel func()
		s.ctx, cancel = context.WithCancel(context.Background())
		cancel()
		if _, stderr, status := s.run(strings.Fields(args)...); status != cli.StatusNumerical || lastLine(stderr) != "vkevd: interrupted" {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
		s.expectFiles("A.mtx", "v.txt", "Q.npy")
	}
}

// A callback is a reader without data, for tests. Its method Read calls the function.
type callback func()

func (c callback) Read([]byte) (int, error) {
	c()
	return 0, io.EOF
}

// TestNobodyReads runs vkevd solve when nothing reads its standard output. The output files must
// still be written.
func TestNobodyReads(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	s.stdout = brokenPipe{}
	s.fails(cli.StatusInput, "standard output: cannot be written: broken pipe", "solve", "--out-values", "v", "A.mtx")
	s.expectFiles("A.mtx", "v")
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }
