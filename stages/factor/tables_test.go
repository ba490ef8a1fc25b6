package factor

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest/tables"
	"github.com/vkevd/vkevd/vk"
)

// Tables has the rows of a table of package tuning that the tests of this package need.
type Tables struct {
	Products product.Tuning
	Cholesky Tuning
}

// TuningFor returns the rows for a device. SmallestTuning returns the smallest sizes.
func TuningFor(info vk.Info) Tables { return tables.On[Tables](info) }
func SmallestTuning() Tables        { return tables.Smallest[Tables]() }
