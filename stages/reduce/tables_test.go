package reduce

import (
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/roomtest/tables"
	"github.com/vkevd/vkevd/vk"
)

// Tables has the rows of a table of package tuning that the tests of this package need.
type Tables struct {
	Band, Block int
	Products    product.Tuning
	Panel       panel.Tuning
	Sytrd       TridiagonalisationTuning
	Waits       roomtest.Waits
}

// TuningFor returns the sizes in the tuning table of a device. SmallestTuning returns the smallest
// sizes.
func TuningFor(info vk.Info) Tables { return tables.On[Tables](info) }
func SmallestTuning() Tables        { return tables.Smallest[Tables]() }
