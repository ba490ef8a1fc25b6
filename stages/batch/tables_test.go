package batch

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/vk"
)

// Tables has the rows of the tables of package tuning that the tests of this package need.
type Tables struct {
	Products      product.Tuning
	DivideConquer stedc.Tuning
	Batch         Tuning
}

// These functions return the rows for a device, and of the smallest sizes.
func TuningFor(info vk.Info) Tables { return roomtest.Rows[Tables](roomtest.On(info)) }
func SmallestTuning() Tables        { return roomtest.Rows[Tables](roomtest.Smallest()) }
