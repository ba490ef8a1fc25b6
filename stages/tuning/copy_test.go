package tuning

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/factor"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/roomtest/tables"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tridiag/stemr"
	"github.com/vkevd/vkevd/vk"
)

// copied are the rows that package roomtest/tables has.
type copied struct {
	Band, Block   int
	Products      product.Tuning
	Panel         panel.Tuning
	Sytrd         reduce.TridiagonalisationTuning
	Cholesky      factor.Tuning
	Waits         Waits
	Chase         chase.Tuning
	Narrow        chase.NarrowTuning
	ApplyQ2       back.ApplyQ2Tuning
	Bisection     stebz.Tuning
	DivideConquer stedc.Tuning
	MRRR          stemr.Tuning
	Batch         batch.Tuning
}

// bounded are the rows that package roomtest/tables has for a device with a known rate.
type bounded struct {
	Products      product.Tuning
	Bisection     stebz.Tuning
	DivideConquer stedc.Tuning
	MRRR          stemr.Tuning
}

// rowsOf returns the fields of t that T has.
func rowsOf[T any](t Tuning) (rows T) {
	for i := range reflect.TypeFor[T]().NumField() {
		name := reflect.TypeFor[T]().Field(i).Name
		reflect.ValueOf(&rows).Elem().Field(i).Set(reflect.ValueOf(t).FieldByName(name))
	}
	return rows
}

// TestCopyIsExact compares the tables with the copy that the tests of the stages use: the text of
// the copy, and the rows that On takes from it.
func TestCopyIsExact(t *testing.T) {
	stagetest.Golden(t, "../../roomtest/tables/testdata/tables.json", textOfCopy(t))
	if have := tables.Smallest[copied](); !reflect.DeepEqual(have, rowsOf[copied](Smallest())) {
		t.Errorf("the smallest sizes: %+v", have)
	}
	infos := []vk.Info{
		stagetest.Info(), {}, roomtest.Dry().Info(), {Family: "amd", SharedBytes: 32 << 10, MaxLocal: 1024, Subgroup: 64},
		{Family: "nvidia", Name: "NVIDIA H200", Units: 100}, {Family: "nvidia", Name: "NVIDIA GH200 480GB"},
		{Family: "nvidia", SharedBytes: 16 << 10, MaxLocal: 128, Features: []string{"vulkanMemoryModelAvailabilityVisibilityChains"}},
	}
	for name := range families {
		infos = append(infos, vk.Info{Family: name}, roomtest.Family(name))
	}
	for _, info := range infos {
		have, want := tables.On[copied](info), rowsOf[copied](On(info))
		have.Batch = have.Batch.For(info)
		if !reflect.DeepEqual(have, want) {
			t.Errorf("%+v: the copy has\n%+v\nand not\n%+v", info, have, want)
		}
	}
	for _, c := range roomtest.SlowCards {
		info := c.Dry().Info()
		if have := tables.Bounded[bounded](info, c.Rate); !reflect.DeepEqual(have, rowsOf[bounded](On(info).Bounded(c.Rate))) {
			t.Errorf("%s: %+v", c.Name, have)
		}
	}
}

// textOfCopy returns the copy, with one row on each line.
func textOfCopy(t *testing.T) string {
	var all []tables.Table
	add := func(rows any, family, name string, rate float64) {
		text, err := json.Marshal(rows)
		if err != nil {
			t.Fatal(err)
		}
		table := tables.Table{Family: family, Name: name, Rate: rate}
		if err := json.Unmarshal(text, &table.Rows); err != nil {
			t.Fatal(err)
		}
		all = append(all, table)
	}
	add(rowsOf[copied](Smallest()), "smallest", "", 0)
	for _, word := range []string{"H200", "GH200"} {
		add(rowsOf[copied](chain(vk.Info{Family: "nvidia", Name: word})[0]), "nvidia", word, 0)
	}
	for _, name := range slices.Sorted(maps.Keys(families)) {
		of := families[name].tables
		for _, table := range of[:len(of)-1] {
			add(rowsOf[copied](table), name, "", 0)
		}
	}
	add(rowsOf[copied](anywhere), "", "", 0)
	seen := map[float64]bool{}
	for _, c := range roomtest.SlowCards {
		if !seen[c.Rate] {
			add(rowsOf[bounded](On(c.Dry().Info()).Bounded(c.Rate)), c.Family, "", c.Rate)
		}
		seen[c.Rate] = true
	}
	var text bytes.Buffer
	for i, table := range all {
		fmt.Fprintf(&text, "%s{\"Family\": %q, \"Name\": %q, \"Rate\": %g, \"Rows\": {", []string{"[", ","}[min(i, 1)], table.Family, table.Name, table.Rate)
		for k, name := range slices.Sorted(maps.Keys(table.Rows)) {
			fmt.Fprintf(&text, "%s\n\t%q: %s", []string{"", ","}[min(k, 1)], name, table.Rows[name])
		}
		text.WriteString("\n}}")
	}
	text.WriteString("]\n")
	return text.String()
}
