package tuning

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/vk"
)

// UnmarshalJSON changes the fields that stand in the text, and refuses unknown fields. The fields
// of Waits were once fields of Chase, and are still read there.
func (t *Tuning) UnmarshalJSON(text []byte) error {
	type fields Tuning // without this method
	type row struct {
		*chase.Tuning
		Wavefront, WideFence *bool
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(&struct {
		*fields
		Chase row
	}{(*fields)(t), row{&t.Chase, &t.Waits.Wavefront, &t.Waits.WideFence}})
}

// Variant is a tuning with a name, under which its measurements are stored.
type Variant struct {
	Name   string // the text from which the function Variants made the tuning, "" for an unchanged one
	Tuning Tuning
}

// Variants returns tunings to compare, one for each text. A text is a JSON object with some of the
// fields of tuning.Tuning, and is also the variant's name. The variant is the tuning `from` with
// these fields changed. If `from` is nil, the device's table takes its place. Without texts,
// Variants returns one unchanged tuning without a name.
func Variants(info vk.Info, from *Tuning, texts []string) (all []Variant, _ error) {
	if from == nil {
		table := On(info)
		from = &table
	}
	if len(texts) == 0 {
		return []Variant{{Tuning: *from}}, nil
	}
	for _, text := range texts {
		t, err := withFields(*from, text)
		if err != nil {
			return nil, err
		}
		all = append(all, Variant{text, t})
	}
	return all, nil
}

// `text` is a JSON object with the new values of some fields.
func withFields(t Tuning, text string) (Tuning, error) {
	// The JSON decoder writes into the memory of an existing list, which other tunings share, and
	// keeps the fields of its elements that the text does not have. So all lists are removed before
	// decoding. A list that the text does not have comes back.
	lists := listsOf(reflect.ValueOf(&t).Elem())
	shared := make([]reflect.Value, len(lists))
	for i, list := range lists {
		shared[i] = reflect.ValueOf(list.Interface())
		list.SetZero()
	}
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		const example = `{"ApplyQ2":{"Group":32}}`
		return t, fmt.Errorf("tuning %q: %s; it takes a JSON object with fields of tuning.Tuning, for example %s",
			text, strings.TrimPrefix(err.Error(), "json: "), example)
	}
	for i, list := range lists {
		if list.IsNil() {
			list.Set(shared[i])
		}
	}
	return t, nil
}

// listsOf returns the slices among the fields of a struct, and of the structs in it.
func listsOf(v reflect.Value) (lists []reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		return []reflect.Value{v}
	case reflect.Struct:
		for i := range v.NumField() {
			lists = append(lists, listsOf(v.Field(i))...)
		}
	}
	return lists
}
