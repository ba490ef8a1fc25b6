package gonumlapack

import "github.com/vkevd/vkevd/vk"

// Crossover is the least order that goes to the device; smaller matrices are gonum's.
type Crossover struct {
	Values, Vectors int // without eigenvectors, and with them
}

// crossovers are the orders from which on the device is faster, by Family of its vk.Info; "" is
// any other, estimated from NVIDIA's times at n = 1024. BenchmarkDsyev measures both sides.
var crossovers = map[string]Crossover{
	"":       {Values: 512, Vectors: 256},
	"nvidia": {Values: 192, Vectors: 128},  // H200, driver 580.159
	"cpu":    {Values: 1024, Vectors: 512}, // lavapipe on two cores
}

// CrossoverFor is what New takes for a device.
func CrossoverFor(dev vk.Info) Crossover {
	if c, known := crossovers[dev.Family]; known {
		return c
	}
	return crossovers[""]
}

// of is the one of the two that a call asks for.
func (c Crossover) of(vectors bool) int {
	if vectors {
		return c.Vectors
	}
	return c.Values
}
