package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/stages"
)

// variants are what to measure side by side: a tuning with the changes of each text,
// a JSON object of some of its fields.
func variants(from stages.Tuning, texts []string) (all []bench.Variant, _ error) {
	for _, text := range texts {
		t, err := changed(from, text)
		if err != nil {
			return nil, fmt.Errorf("--tuning %s: %w", printable(text), err)
		}
		all = append(all, bench.Variant{Name: text, Tuning: t})
	}
	return all, nil
}

func changed(t stages.Tuning, text string) (stages.Tuning, error) {
	// Decoded in place, a list would write over the one that all tunings of the family share.
	tiles := t.Products.Tiles
	t.Products.Tiles = nil
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return t, fmt.Errorf("%s; it takes a JSON object with fields of stages.Tuning, for example %s",
			strings.TrimPrefix(err.Error(), "json: "), tuningExample)
	}
	if t.Products.Tiles == nil {
		t.Products.Tiles = tiles
	}
	return t, nil
}

const tuningExample = `{"ApplyQ2":{"Group":32}}`
