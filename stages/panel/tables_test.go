package panel

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/roomtest/tables"
	"github.com/vkevd/vkevd/vk"
)

// Tables has the rows of a table of package tuning that the tests of this package need.
type Tables struct {
	Products product.Tuning
	Panel    Tuning
	Waits    roomtest.Waits
}

// TuningFor returns the rows for a device. tuningFor returns the rows for an imaginary device of
// the vendor, on which all sizes fit. SmallestTuning returns the smallest sizes.
func TuningFor(info vk.Info) Tables  { return tables.On[Tables](info) }
func tuningFor(vendor string) Tables { return TuningFor(roomtest.Family(vendor)) }
func SmallestTuning() Tables         { return tables.Smallest[Tables]() }
