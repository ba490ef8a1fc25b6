package tuning_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestOldForm reads two tunings in JSON. In one of them the fields of Waits are in the row of the
// chase, as in an older form. In the other one they have a row of their own. Unknown fields must be
// refused at every place.
func TestOldForm(t *testing.T) {
	for _, text := range []string{
		`{"Block": 7, "Chase": {"Own": 3, "Wavefront": true, "WideFence": false}}`,
		`{"Block": 7, "Chase": {"Own": 3}, "Waits": {"Wavefront": true, "WideFence": false}}`,
	} {
		got := tuning.On(vk.Info{})
		want := got
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		want.Block, want.Chase.PerThread, want.Waits = 7, 3, tuning.Waits{Wavefront: true}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for _, text := range []string{`{"More": 1}`, `{"Chase": {"More": 1}}`, `{"Host": {}}`, `{"Chase": 1}`} {
		if err := json.Unmarshal([]byte(text), new(tuning.Tuning)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}
