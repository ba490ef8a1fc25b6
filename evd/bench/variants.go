package bench

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Variants returns tunings to compare, one for each text. A text is a JSON object with some of the
// fields of tuning.Tuning, and is also the variant's name. The variant is the tuning `from` with
// these fields changed. If `from` is nil, the device's table takes its place. Without texts,
// Variants returns one unchanged tuning without a name.
func Variants(info vk.Info, from *tuning.Tuning, texts []string) (all []Variant, _ error) {
	if from == nil {
		table := tuning.On(info)
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

// changed returns the tuning t with some fields changed. `text` is a JSON object with the new
// values of these fields.
func changed(t tuning.Tuning, text string) (tuning.Tuning, error) {
	// The JSON decoder overwrites the elements of an existing list. All tunings of a device family
	// share the lists of tiles. So these lists are removed before decoding, and the shared lists stay
	// unchanged.
	tiles, singles := t.Products.Tiles, t.Singles.Tiles
	t.Products.Tiles, t.Singles.Tiles = nil, nil
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		const example = `{"ApplyQ2":{"Group":32}}`
		return t, fmt.Errorf("tuning %q: %s; it takes a JSON object with fields of tuning.Tuning, for example %s",
			text, strings.TrimPrefix(err.Error(), "json: "), example)
	}
	if t.Products.Tiles == nil {
		t.Products.Tiles = tiles
	}
	if t.Singles.Tiles == nil {
		t.Singles.Tiles = singles
	}
	return t, nil
}
