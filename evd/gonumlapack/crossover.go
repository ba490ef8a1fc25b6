package gonumlapack

import (
	"strings"

	"github.com/vkevd/vkevd/vk"
)

// Crossover holds the smallest orders that are solved on the device. gonum solves smaller matrices.
type Crossover struct {
	Values   int // eigenvalues without eigenvectors
	Vectors  int // eigenvalues with eigenvectors
	Singular int // singular values; the order is the smaller of rows and columns

	SingularVectors int // singular values with vectors of any side
}

// crossovers holds, for each vk.Info.Family, the orders from which the device is faster. The entry
// "" is for all other families and is estimated from NVIDIA's times at n = 1024. BenchmarkDsyev and
// BenchmarkDgesvd measure the device and gonum.
//
// Singular has a margin, because gonum and the device were measured on the same machine only with
// lavapipe. There gonum is still faster at 2048 (5.6 s, and 8.2 s on the device). An H200 takes 10
// ms at 512, and gonum takes 66 ms on two cores of another machine. With vectors an H200 takes 16
// ms at 512. gonum takes 126 ms at 256 and 1412 ms at 512. lavapipe and gonum take the same time at
// 512.
var crossovers = map[string]Crossover{
	"":       {Values: 512, Vectors: 256, Singular: 1024, SingularVectors: 512},
	"nvidia": {Values: 192, Vectors: 128, Singular: 512, SingularVectors: 256},    // H200, driver 580.159, in two stages
	"cpu":    {Values: 1024, Vectors: 512, Singular: 4096, SingularVectors: 1024}, // lavapipe on two cores
}

// h200 is the crossover for the device that reduces small symmetric matrices in one stage. At order
// 64 gonum is faster, and at order 128 the device is three to four times as fast.
var h200 = Crossover{Values: 96, Vectors: 96, Singular: 512, SingularVectors: 256}

// CrossoverFor returns the crossover that New takes for a device.
func CrossoverFor(dev vk.Info) Crossover {
	if dev.Family == "nvidia" && strings.Contains(dev.Name, "H200") {
		return h200
	}
	if c, known := crossovers[dev.Family]; known {
		return c
	}
	return crossovers[""]
}

// of returns the smallest order for eigenproblems, with or without vectors.
func (c Crossover) of(vectors bool) int {
	if vectors {
		return c.Vectors
	}
	return c.Values
}

// singular returns the smallest order for singular values, with or without vectors.
func (c Crossover) singular(vectors bool) int {
	if vectors {
		return c.SingularVectors
	}
	return c.Singular
}
