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
	fmt.Println(run(os.Stdout, 4, 4, filepath.Join(dir, "haldane.svg")))
	// Output:
	// 13 matrices of order 32: levels of the small cell to 100 ε‖H‖: true; gap 1.0392, 6·√3·s = 1.0392
	// <nil>
}
