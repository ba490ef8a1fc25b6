package bench

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Variants are what to measure side by side: a tuning, or if that is nil the device's
// table, with the changes of each text, which is a JSON object of some fields of stages.Tuning and
// becomes the variant's name. Without texts it is the tuning alone, nameless.
func Variants(info vk.Info, from *stages.Tuning, texts []string) (all []Variant, _ error) {
	if from == nil {
		table := stages.TuningFor(info)
		from = &table
	}
	if len(texts) == 0 {
		return []Variant{{Tuning: *from}}, nil
	}
	for _, text := range texts {
		t, err := changed(*from, text)
		if err != nil {
			return nil, err
		}
		all = append(all, Variant{text, t})
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
		const example = `{"ApplyQ2":{"Group":32}}`
		return t, fmt.Errorf("tuning %q: %s; it takes a JSON object with fields of stages.Tuning, for example %s",
			text, strings.TrimPrefix(err.Error(), "json: "), example)
	}
	if t.Products.Tiles == nil {
		t.Products.Tiles = tiles
	}
	return t, nil
}
