package gonumlapack

import (
	"github.com/vkevd/vkevd/stages/tuning"
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

// CrossoverFor returns the smallest orders of problems that an Implementation made by New solves on
// the device. BenchmarkDsyev and BenchmarkDgesvd measure the device and gonum.
func CrossoverFor(dev vk.Info) Crossover {
	c := tuning.HostOn(dev).Gonum
	return Crossover{
		Values: c.Symmetric.Values, Vectors: c.Symmetric.Vectors,
		Singular: c.Singular.Values, SingularVectors: c.Singular.Vectors,
	}
}

// `of` returns the smallest order of eigenproblems that are solved on the device.
func (c Crossover) of(vectors bool) int {
	if vectors {
		return c.Vectors
	}
	return c.Values
}

// singular returns the smallest order for which singular values are computed on the device.
func (c Crossover) singular(vectors bool) int {
	if vectors {
		return c.SingularVectors
	}
	return c.Singular
}
