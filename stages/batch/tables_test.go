package batch

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest/tables"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/vk"
)

// Tables has the rows of a table of package tuning that the tests of this package need.
type Tables struct {
	Products      product.Tuning
	DivideConquer stedc.Tuning
	Batch         Tuning
}

// TuningFor returns the rows for a device.
func TuningFor(info vk.Info) Tables {
	t := tables.On[Tables](info)
	t.Batch = t.Batch.For(info)
	return t
}

// SmallestTuning returns the rows of the smallest sizes.
func SmallestTuning() Tables { return tables.Smallest[Tables]() }
