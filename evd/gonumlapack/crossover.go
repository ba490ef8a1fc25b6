package gonumlapack

import (
	"github.com/vkevd/vkevd/vk"
)

// Crossover holds, for each kind of problem, the smallest order that is solved on the device. gonum
// solves smaller matrices on the host.
type Crossover struct {
	Values   int // eigenvalues without eigenvectors
	Vectors  int // eigenvalues with eigenvectors
	Singular int // singular values; the order is the smaller of rows and columns

	SingularVectors int // singular values with vectors of any side
}

// crossovers holds the orders from which the device is faster, for each vk.Info.Family. The entry
// "" is for all other families. This entry is an estimate from NVIDIA's times at n = 1024.
// BenchmarkDsyev and BenchmarkDgesvd measure the device and gonum.
//
// The orders in Singular have a safety margin, because gonum and the device were measured on the
// same machine only with lavapipe, which computes on the CPU. With lavapipe gonum is still faster
// at n = 2048: 5.6 s, and 8.2 s on the device. An H200 takes 10 ms at n = 512, and gonum takes 66
// ms on two cores of another machine. With vectors, an H200 takes 16 ms at n = 512, and gonum takes
// 126 ms at n = 256 and 1412 ms at n = 512. With vectors, lavapipe and gonum take the same time at
// n = 512.
var crossovers = map[string]Crossover{
	"":       {Values: 512, Vectors: 256, Singular: 1024, SingularVectors: 512},
	"nvidia": {Values: 192, Vectors: 128, Singular: 512, SingularVectors: 256},    // H200, driver 580.159, in two stages
	"cpu":    {Values: 1024, Vectors: 512, Singular: 4096, SingularVectors: 1024}, // lavapipe on two cores
}

// h200 is the crossover for an H200, which reduces small symmetric matrices to tridiagonal form in
// one stage. At order 64 gonum on the host is faster, and at order 128 the H200 is three to four
// times as fast.
var h200 = Crossover{Values: 96, Vectors: 96, Singular: 512, SingularVectors: 256}

// CrossoverFor returns the smallest orders of problems that an Implementation made by New solves on
// the device.
func CrossoverFor(dev vk.Info) Crossover {
	if dev.Family == "nvidia" && dev.Named("H200") {
		return h200
	}
	if c, known := crossovers[dev.Family]; known {
		return c
	}
	return crossovers[""]
}

// of returns the smallest order of eigenproblems that are solved on the device. The argument says
// whether vectors are wanted.
func (c Crossover) of(vectors bool) int {
	if vectors {
		return c.Vectors
	}
	return c.Values
}

// singular returns the smallest order for which singular values are computed on the device. The
// argument says whether vectors are wanted.
func (c Crossover) singular(vectors bool) int {
	if vectors {
		return c.SingularVectors
	}
	return c.Singular
}
