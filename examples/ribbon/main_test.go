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
	fmt.Println(run(os.Stdout, 6, 20, filepath.Join(dir, "ribbon.svg")))
	// Output:
	// 20 matrices of order 12: levels in pairs, and known ones at k = π, to 100 ε‖H‖: true
	// <nil>
}
