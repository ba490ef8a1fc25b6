package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	fmt.Println(run(os.Stdout, 3, filepath.Join(dir, "orbitals.svg")))
	// Output:
	// 45 functions, and 0 to 10 directions dropped; at R = 2 the energy is -0.6026, less than 0.001 above the exact one
	// <nil>
}
