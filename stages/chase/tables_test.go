package chase

import (
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/roomtest/tables"
	"github.com/vkevd/vkevd/vk"
)

// Tables has the rows of a table of package tuning that the tests of this package need.
type Tables struct {
	Chase  ChaseTable
	Narrow NarrowTuning
}

// TuningFor returns the rows for a device. tuningFor returns the rows for an imaginary device of
// the vendor, on which all sizes fit. SmallestTuning returns the smallest sizes.
func TuningFor(info vk.Info) Tables  { return tablesOf(tables.On[rows](info)) }
func tuningFor(vendor string) Tables { return TuningFor(roomtest.Family(vendor)) }
func SmallestTuning() Tables         { return tablesOf(tables.Smallest[rows]()) }

type rows struct {
	Chase  Tuning
	Waits  roomtest.Waits
	Narrow NarrowTuning
}

func tablesOf(r rows) Tables { return Tables{ChaseTable{r.Chase, r.Waits}, r.Narrow} }

// ChaseTable has the rows for the bulge chasing, and for waits.
type ChaseTable struct {
	Tuning
	roomtest.Waits
}
