package chase

import (
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/vk"
)

// Tables has the rows of the tables of package tuning that the tests of this package need.
type Tables struct {
	Chase  ChaseTable
	Narrow NarrowTuning
}

// These functions return the rows for a device, for a vendor's largest devices, and of the smallest
// sizes.
func TuningFor(info vk.Info) Tables  { return tablesOf(roomtest.On(info)) }
func tuningFor(vendor string) Tables { return TuningFor(roomtest.Family(vendor)) }
func SmallestTuning() Tables         { return tablesOf(roomtest.Smallest()) }

func tablesOf(table any) Tables {
	rows := roomtest.Rows[struct {
		Chase  Tuning
		Waits  roomtest.Waits
		Narrow NarrowTuning
	}](table)
	return Tables{ChaseTable{rows.Chase, rows.Waits}, rows.Narrow}
}

// ChaseTable has the rows for the bulge chasing, and for waits.
type ChaseTable struct {
	Tuning
	roomtest.Waits
}
