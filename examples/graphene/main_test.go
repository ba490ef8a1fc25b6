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
	const cells = 4
	fmt.Println(run(os.Stdout, cells, filepath.Join(dir, "graphene.svg")))
	// Output:
	// 128 levels from -3.000 t to 3.000 t
	// as the formula says, to 100 ε‖H‖: true
	// <nil>
}
