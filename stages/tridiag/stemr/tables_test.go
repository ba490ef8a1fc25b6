package stemr

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/roomtest/tables"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/vk"
)

// Tables has the rows of a table of package tuning that the tests of this package need.
type Tables struct {
	Products      product.Tuning
	DivideConquer stedc.Tuning
	MRRR          Tuning
}

// TuningFor returns the rows for a device, and BoundedFor those for a device with the given rate of
// FP64 in flops per second. tuningFor returns the rows for an imaginary device of the vendor, on
// which all sizes fit. SmallestTuning returns the smallest sizes.
func TuningFor(info vk.Info) Tables                { return tables.On[Tables](info) }
func BoundedFor(info vk.Info, rate float64) Tables { return tables.Bounded[Tables](info, rate) }
func tuningFor(vendor string) Tables               { return TuningFor(roomtest.Family(vendor)) }
func SmallestTuning() Tables                       { return tables.Smallest[Tables]() }
