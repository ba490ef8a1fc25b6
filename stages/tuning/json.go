package tuning

import (
	"bytes"
	"encoding/json"

	"github.com/vkevd/vkevd/stages/chase"
)

// UnmarshalJSON changes the fields that stand in the text, and refuses unknown fields. Waits were once
// fields of Chase, where they are still read.
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
