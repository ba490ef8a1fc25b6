package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// The parts of the variance are the same as in publications about these data.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	fmt.Println(run(os.Stdout, filepath.Join(dir, "pca.svg")))
	// Output:
	// component 1: 36.2 % of the variance, 36.2 % together
	// component 2: 19.2 % of the variance, 55.4 % together
	// component 3: 11.1 % of the variance, 66.5 % together
	// <nil>
}
