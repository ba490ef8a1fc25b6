package tuning

import (
	"reflect"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

func TestVariantsLeaveTheTableAlone(t *testing.T) {
	info := vk.Info{Family: "nvidia"}
	table := On(info)
	tiles := slices.Clone(table.Products.Tiles)
	all, err := Variants(info, nil, []string{
		`{}`,
		`{"Block": 64, "ApplyQ2": {"Group": 24}}`,
		`{"Products": {"Tiles": [{"M": 1}]}}`,
	})
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	if !reflect.DeepEqual(all[0].Tuning, table) {
		t.Error("no change is a change")
	}
	want := table
	want.Block, want.ApplyQ2.Group = 64, 24
	if !reflect.DeepEqual(all[1].Tuning, want) || all[1].Name != `{"Block": 64, "ApplyQ2": {"Group": 24}}` {
		t.Errorf("%+v", all[1])
	}
	if got := all[2].Tuning.Products.Tiles; len(got) != 1 || got[0] != (product.Tile{M: 1}) {
		t.Errorf("tiles %+v", got)
	}
	if alone, err := Variants(info, nil, nil); err != nil || !reflect.DeepEqual(alone, []Variant{{Tuning: table}}) {
		t.Errorf("without changes %+v, %v", alone, err)
	}
	if !slices.Equal(On(info).Products.Tiles, tiles) {
		t.Error("the family's tiles were written over")
	}
	rows := slices.Clone(table.Batch.Memory)
	all, err = Variants(info, &table, []string{`{"Batch": {"Memory": [{"Order": 40}]}}`, `{"Batch": {"Memory": [{"Order": 50}]}}`})
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	for i, order := range []uint32{40, 50} {
		if got := all[i].Tuning.Batch.Memory; len(got) != 1 || got[0] != (batch.Memory{Order: order}) {
			t.Errorf("rows of variant %d are %+v", i, got)
		}
	}
	if !slices.Equal(table.Batch.Memory, rows) {
		t.Error("the rows of the table were written over")
	}
	for _, text := range []string{`{"Block": 64} {}`, `{"Blok": 64}`} {
		if all, err := Variants(info, nil, []string{text}); err == nil {
			t.Errorf("%s gives %+v", text, all)
		}
	}
}
