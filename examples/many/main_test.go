package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	const n, matrices = 24, 8
	fmt.Println(run(io.Discard, n, matrices, filepath.Join(dir, "many.svg")))
	// Output:
	// <nil>
}
