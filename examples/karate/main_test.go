package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/vkevd/vkevd/tests/testdata"
)

// The matrix of this example is a copy of a matrix of the test data. Both files must be equal.
func TestMatrixIsTheTests(t *testing.T) {
	want, err := testdata.Matrices.ReadFile("matrices/karate.mtx")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(friendships, want) {
		t.Error("karate.mtx differs from tests/testdata/matrices/karate.mtx")
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	fmt.Println(run(os.Stdout, filepath.Join(dir, "karate.svg")))
	// Output:
	// 34 members, 78 friendships; λ₂ = 0.1323
	// the signs of its vector cut 10 friendships
	// and put 32 members on the side they took; wrong: [3 9]
	// <nil>
}
