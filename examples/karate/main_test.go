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
	fmt.Println(run(os.Stdout, filepath.Join(dir, "karate.svg")))
	// Output:
	// 34 members, 78 friendships; λ₂ = 0.1323
	// the signs of its vector cut 10 friendships
	// and put 32 members on the side they took; wrong: [3 9]
	// <nil>
}
