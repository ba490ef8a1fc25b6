package main

import (
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// TestBenchPrecision checks that bench measures batches, and nothing else, in single precision, and
// that its help says so.
func TestBenchPrecision(t *testing.T) {
	s := newFixture(t)
	if _, stderr, status := s.run("bench", "-n", "10", "--precision", "f32", "batch"); status != cli.StatusSuccess || !s.machine.benched.Single {
		t.Errorf("status %d, %s", status, stderr)
	}
	if _, stderr, status := s.run("bench", "-n", "10", "batch"); status != cli.StatusSuccess || s.machine.benched.Single {
		t.Errorf("status %d, %s", status, stderr)
	}
	if _, stderr, status := s.run("bench", "-n", "10", "--complex", "--precision", "f32", "batch"); status != cli.StatusSuccess || !s.machine.benched.Single || !s.machine.benched.Complex {
		t.Errorf("complex64: status %d, %s", status, stderr)
	}
	s.fails(cli.StatusInput, "matrices in single precision are measured by the stages batch, batch-values, not by gemm; see vkevd bench --help",
		"bench", "-n", "10", "--precision", "f32", "batch", "gemm")
	help, _, _ := s.run("bench", "--help")
	if usage := "`P` of batches, the stages batch and batch-values: f32 or f64"; !strings.Contains(help, strings.TrimPrefix(usage, "`P` ")) {
		t.Errorf("the help has not %q", usage)
	}
}
