package reduce

import (
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/vk"
)

// Tables has the rows of the tables of package tuning that the tests of this package need.
type Tables struct {
	Band, Block int
	Products    product.Tuning
	Panel       panel.Tuning
	Sytrd       TridiagonalisationTuning
	Chase       roomtest.Waits
}

// These functions return the rows for a device, the same for a device with the given rate of FP64
// in flops per second, those for a vendor's largest devices, and the smallest sizes.
func TuningFor(info vk.Info) Tables { return roomtest.Rows[Tables](roomtest.On(info)) }
func BoundedFor(info vk.Info, rate float64) Tables {
	return roomtest.Rows[Tables](roomtest.Bounded(info, rate))
}
func tuningFor(vendor string) Tables { return TuningFor(roomtest.Family(vendor)) }
func SmallestTuning() Tables         { return roomtest.Rows[Tables](roomtest.Smallest()) }
