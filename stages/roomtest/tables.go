package roomtest

import (
	"context"
	"reflect"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/vk"
)

// These functions return tables of package tuning: the one for a device, the same for a device with
// the given rate of FP64 in flops per second, and the smallest sizes. Package roomtest/tables sets
// them. The tests of a room cannot import package tuning, because package tuning imports the rooms.
// A test file outside of the room's package imports roomtest/tables for them.
var (
	On       func(vk.Info) any
	Bounded  func(info vk.Info, rate float64) any
	Smallest func() any
)

// Rows returns a struct with some of the rows of a table: the fields of T have the names and types
// of the table's fields. A field that is a struct of another type gets the fields of the same names.
func Rows[T any](table any) T {
	var rows T
	copyFields(reflect.ValueOf(&rows).Elem(), reflect.ValueOf(table))
	return rows
}

func copyFields(to, from reflect.Value) {
	for i := range to.NumField() {
		f := to.Type().Field(i)
		source := from.FieldByName(f.Name)
		switch {
		case source.IsValid() && source.Type() == f.Type:
			to.Field(i).Set(source)
		case source.IsValid():
			copyFields(to.Field(i), source)
		case f.Anonymous: // fields of the table itself
			copyFields(to.Field(i), from)
		default:
			panic("roomtest: the tables have no row " + f.Name)
		}
	}
}

// Family describes a device of a vendor with limits so large that all sizes fit.
func Family(vendor string) vk.Info {
	return vk.Info{Family: vendor, SharedBytes: 64 << 10, MaxLocal: 1024, Subgroup: 32}
}

type Waits struct{ Wavefront, WideFence bool }

// Waiting returns how workgroups may wait for each other on a device if the table has the rules w.
func (w Waits) Waiting(t testing.TB, dev *vk.Device) stages.Waiting {
	t.Helper()
	waiting := stages.Waiting{WideFence: w.WideFence || !dev.Info().FenceChains()}
	if w.Wavefront {
		return waiting
	}
	var err error
	if waiting.Allowed, err = machine.Of(dev).MayWait(context.Background(), waiting.WideFence); err != nil {
		t.Fatal(err)
	}
	return waiting
}
