package main

import (
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// TestSolveAsOneOfSeveralProcesses runs solve in the environments of several programs that start
// jobs. As one of several processes it must refuse to run without --engine, before it opens a file.
// It must run if it is the only process, even if its batch job has an allocation for several.
func TestSolveAsOneOfSeveralProcesses(t *testing.T) {
	for _, c := range []struct {
		variables, args string
		refused         bool
	}{
		{"OMPI_COMM_WORLD_SIZE=2", "A.mtx", true},
		{"PMI_SIZE=64 PMI_RANK=3", "A.mtx", true},
		{"MPI_LOCALNRANKS=4", "A.mtx", true},
		{"SLURM_STEP_NUM_TASKS=2 SLURM_NTASKS=2", "--batch A.npy", true},
		{"OMPI_COMM_WORLD_SIZE=2", "--out-vectors Q.npy missing.mtx", true},
		{"OMPI_COMM_WORLD_SIZE=2", "--engine vulkan A.mtx", false},
		{"OMPI_COMM_WORLD_SIZE=1", "A.mtx", false},
		{"SLURM_NTASKS=8 SLURM_JOB_ID=7", "A.mtx", false},
		{"PMI_SIZE=", "A.mtx", false},
	} {
		s := newFixture(t)
		s.file("A.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 2\n")
		for _, v := range strings.Fields(c.variables) {
			name, value, _ := strings.Cut(v, "=")
			s.variables[name] = value
		}
		stdout, stderr, status := s.run(append([]string{"solve"}, strings.Fields(c.args)...)...)
		line := lastLine(stderr)
		refused := status == cli.StatusInput && strings.Contains(line, "--engine elpa") && strings.Contains(line, "--engine vulkan") && stdout == ""
		if refused != c.refused || !refused && status != cli.StatusSuccess {
			t.Errorf("%s solve %s: status %d, %q\n%s", c.variables, c.args, status, stdout, stderr)
		}
		s.expectFiles("A.mtx")
	}
}

// TestSVDAsOneOfSeveralProcesses checks that svd refuses as solve does. It has no --engine, so the
// error names the variable that the user may unset.
func TestSVDAsOneOfSeveralProcesses(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	s.variables["PMI_SIZE"] = "3"
	s.fails(cli.StatusInput, "this is one of 3 processes (PMI_SIZE), and each would solve the same problem; "+
		"for a problem with each, unset PMI_SIZE; see vkevd svd --help", "svd", "A.mtx")
	s.variables["PMI_SIZE"] = "1"
	if _, stderr, status := s.run("svd", "A.mtx"); status != cli.StatusSuccess {
		t.Errorf("status %d\n%s", status, stderr)
	}
}
