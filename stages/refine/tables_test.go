package refine

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest/tables"
)

// Tables has the rows of a table of package tuning that the tests of this package need.
type Tables struct {
	Products product.Tuning
}

// SmallestTuning returns the rows of the smallest sizes.
func SmallestTuning() Tables { return tables.Smallest[Tables]() }
