package tuning

import (
	"math"

	"github.com/vkevd/vkevd/vk"
)

// Host says from which orders a device is faster than the CPU beside it. Gonum compares with
// gonum's functions, and LAPACK with the LAPACK of the machine. The times of the device include
// copies to and from the device.
type Host struct{ Gonum, LAPACK Crossover }

// Crossover has the smallest orders for the device, by the kind of problem. The order of a general
// matrix is the smaller of its rows and columns. gonum has no crossover for tridiagonal matrices.
type Crossover struct{ Symmetric, Tridiagonal, Singular Orders }

// Orders has the smallest orders of matrices for which a device is faster: for values alone, and
// for values and vectors.
type Orders struct{ Values, Vectors int }

// Never is an order above that of any problem.
const Never = math.MaxInt32

// HostOn returns the orders from which a device is faster than its host. It does not read the code
// of any kernel.
func HostOn(info vk.Info) Host { return chain(info)[0].Host }
