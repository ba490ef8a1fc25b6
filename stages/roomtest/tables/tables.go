// Package tables, internal to vkevd, for tests only, has a copy of the tables of package tuning,
// for tests of the packages on which package tuning is built.
package tables

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/vkevd/vkevd/vk"
)

// TestCopyIsExact of package tuning compares the copy with the tables. After a change of the tables
//
//	go test ./stages/tuning -run TestCopyIsExact -update
//
// writes the copy anew.
//
//go:embed testdata/tables.json
var text []byte

// Table is the copy of a table. It is for devices of one family, or for all devices if Family is
// empty.
type Table struct {
	Family string  // vk.Info.Family, or "smallest" for tuning.Smallest
	Name   string  // a word of the device's name; empty for all devices of the family
	Rate   float64 // the rate of FP64, in flops per second, for which the table is bounded; 0 if it is not
	Rows   map[string]json.RawMessage
}

// On returns rows of tuning.On(info). The fields of T have the names and types of fields of
// tuning.Tuning. Each row comes from the first table of the device whose row fits: its own table,
// that of its vendor, or that for all devices. Only Sytrd comes from the first table, as in package
// tuning.
func On[T any](info vk.Info) T { return from[T](info, 0) }

// Bounded returns rows of tuning.On(info).Bounded(rate), for the devices and rates of
// roomtest.SlowCards.
func Bounded[T any](info vk.Info, rate float64) T { return from[T](info, rate) }

func Smallest[T any]() T { return from[T](vk.Info{Family: "smallest"}, 0) }

func from[T any](info vk.Info, rate float64) (rows T) {
	var chain []Table
	if err := json.Unmarshal(text, &chain); err != nil {
		panic(err)
	}
	chain = slices.DeleteFunc(chain, func(t Table) bool {
		return t.Rate != rate || t.Family != "" && t.Family != info.Family || t.Name != "" && !info.Named(t.Name)
	})
	all := reflect.ValueOf(&rows).Elem()
	for i := range all.NumField() {
		name, to := all.Type().Field(i).Name, all.Field(i)
		for _, t := range chain {
			to.SetZero()
			if err := json.Unmarshal(t.Rows[name], to.Addr().Interface()); err != nil {
				panic("tables: the row " + name + ": " + err.Error())
			}
			if info.Family == "smallest" || name == "Sytrd" || fits(to.Interface(), info) {
				break
			}
		}
		if info.Family != "smallest" && to.Kind() == reflect.Struct {
			ofDevice(to, info)
		}
	}
	return rows
}

// fits tells whether a row fits the device. If info does not contain a limit, the limit is taken as
// infinite. Rows that depend on the half-bandwidth b are checked for b = 32.
func fits(row any, info vk.Info) bool {
	const much = 1 << 20
	if info.SharedBytes == 0 {
		info.SharedBytes = much
	}
	if info.MaxLocal == 0 {
		info.MaxLocal = much
	}
	switch row := row.(type) {
	case interface{ Fits(vk.Info) error }:
		return row.Fits(info) == nil
	case interface{ Fits(vk.Info, int) error }:
		return row.Fits(info, 32) == nil
	}
	return true
}

// ofDevice changes the fields of a row that come from the device and not from a table.
func ofDevice(row reflect.Value, info vk.Info) {
	if units := row.FieldByName("Units"); units.IsValid() && info.Units > 0 {
		units.SetInt(int64(info.Units))
	}
	if wide := row.FieldByName("WideFence"); wide.IsValid() && !info.FenceChains() {
		wide.SetBool(true)
	}
}
