package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
)

// TestSolveStart checks vkevd solve --start, which refines approximate eigenvectors. The report
// must describe the refinement. With --check the ratios of the certificate must be printed.
func TestSolveStart(t *testing.T) {
	for _, c := range []struct {
		first float64 // first element of the vectors; if it is 0, the fake machine solves without refinement
		says  string
	}{
		{0.7, "refined  2 steps, 1 cluster of eigenvalues, the largest of 3\n"},
		{0, "refined  2 steps, 1 cluster of eigenvalues, the largest of 3; solved anew: " + evd.ColdFar + "\n"},
	} {
		s := newFixture(t)
		var q bytes.Buffer
		if err := matio.WriteNPY(&q, 2, 2, []float32{float32(c.first), -0.7, 0.7, 0.7}, 2); err != nil {
			t.Fatal(err)
		}
		s.file("Q0.npy", q.String())
		s.file("A.mtx", twoByTwo)
		stdout, stderr, status := s.run("solve", "--start", "Q0.npy", "--check", "--report", "r.json", "A.mtx")
		if status != cli.StatusSuccess || stdout != oneThree || !strings.Contains(stderr, c.says) || !strings.Contains(stderr, "0.25") {
			t.Errorf("status %d, %q\n%s", status, stdout, stderr)
		}
		var r struct{ Refinement evd.Refinement }
		content, _ := os.ReadFile("r.json")
		if err := json.Unmarshal(content, &r); err != nil || r.Refinement.Steps != 2 || (r.Refinement.Cold == "") != (c.first != 0) {
			t.Errorf("report %+v, %v", r, err)
		}
	}
}

func TestSolveStartRefused(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	s.file("Q0.csv", "1,0,0\n0,1,0\n0,0,1\n")
	s.fails(cli.StatusInput, "Q0.csv: 3 by 3 elements; --start needs all 2 approximate eigenvectors of a matrix of order 2", "solve", "--start", "Q0.csv", "A.mtx")
	s.fails(cli.StatusInput, "--start cannot be combined with --smallest; see vkevd solve --help", "solve", "--start", "Q0.csv", "--smallest", "1", "A.mtx")
	s.fails(cli.StatusInput, "--start refines to double precision, not to --precision f32; see vkevd solve --help", "solve", "--start", "Q0.csv", "--precision", "f32", "A.mtx")
	s.machine.solveErr = &evd.InitialVectorsError{Row: 1, Col: 0, Value: math.NaN()}
	s.file("Q.csv", "1,0\nnan,1\n")
	s.fails(cli.StatusInput, "Q.csv: element (2,1) is NaN; approximate eigenvectors need finite elements (rows and columns from 1)",
		"solve", "--start", "Q.csv", "A.mtx")
	s.fails(cli.StatusInput, "none.npy: no such file or directory", "solve", "--start", "none.npy", "A.mtx")
}
