//go:build elpa

// Initialized is a program for tests of package cluster: a process of an MPI job that uses MPI
// before and after it solves. With the argument "program" it calls MPI_Init and MPI_Finalize
// itself, and package cluster must call neither. With the argument "cluster" package cluster calls
// both.
//
// Two solves follow each other, each in a World of its own, if the program has initialized MPI. MPI
// cannot be initialized twice, so there is one solve otherwise.
package main

/*
#cgo pkg-config: mpi-c
#include <mpi.h>

static int barrier(void) { return MPI_Barrier(MPI_COMM_WORLD); }
*/
import "C"

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"

	"github.com/vkevd/vkevd/evd/cluster"
)

func main() {
	runtime.LockOSThread()
	if err := run(os.Args[1] == "program"); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// run solves once or twice, and tests after each World.Close whether MPI has ended.
func run(own bool) error {
	solves := 1
	if own {
		C.MPI_Init(nil, nil)
		solves = 2
	}
	for range solves {
		rank, err := solve()
		if err != nil {
			return err
		}
		var ended C.int
		C.MPI_Finalized(&ended)
		if (ended != 0) == own {
			return fmt.Errorf("after World.Close MPI_Finalized says %d", ended)
		}
		if rank == 0 {
			fmt.Println("solved")
		}
	}
	if own {
		if C.barrier() != C.MPI_SUCCESS || C.MPI_Finalize() != C.MPI_SUCCESS {
			return fmt.Errorf("MPI_Barrier or MPI_Finalize failed")
		}
	}
	return nil
}

// path is the matrix of a path graph. Its eigenvalue k is 2·cos(π·(n−k)/(n+1)), k = 0 … n−1.
type path int

func (n path) Order() int { return int(n) }

func (n path) ReadColumns(dst []float64, from, to int) error {
	for j := from; j < to; j++ {
		column := dst[(j-from)*int(n):][:n]
		clear(column)
		if j > 0 {
			column[j-1] = 1
		}
		if j+1 < int(n) {
			column[j+1] = 1
		}
	}
	return nil
}

// solve solves one problem in a World of its own. It returns the number of this process.
func solve() (rank int, err error) {
	w, err := cluster.Start(cluster.ELPA)
	if err != nil {
		return 0, err
	}
	defer w.Close()
	const n = 100
	s, err := cluster.Solve(context.Background(), w, path(n), cluster.Options{})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	for k, x := range s.Values {
		if want := 2 * math.Cos(math.Pi*float64(n-k)/(n+1)); !(math.Abs(x-want) <= 1e-12) {
			return 0, fmt.Errorf("value %d is %g, want %g", k, x, want)
		}
	}
	return w.Rank(), nil
}
