package when

import "testing"

// TestWhichRuns checks for each kind of run which calls skip a test.
func TestWhichRuns(t *testing.T) {
	defer func(before func() Runs) { now = before }(now)
	for _, c := range []struct{ list, skipped string }{
		{"", "Long"},
		{"long", ""},
		{"quick", "Long Many Quick"},
		{"race", "Long Many Race"},
		{"validation", "Long Many Validation"},
		{"long,validation", "Long Many"},
		{"widths", "Long"},
		{"vulkango", "Long Many"},
	} {
		now = func() Runs { return parse(c.list) }
		got := ""
		for _, call := range []struct {
			name string
			call func(t testing.TB)
		}{
			{"Long", func(t testing.TB) { Long(t, "") }},
			{"Many", func(t testing.TB) { Many(t, "") }},
			{"Quick", func(t testing.TB) { Skip(t, Quick, "") }},
			{"Race", func(t testing.TB) { Skip(t, Race|Single, "") }},
			{"Validation", func(t testing.TB) { Skip(t, Validation, "") }},
		} {
			s := &skipped{TB: t}
			if call.call(s); s.yes {
				got += " " + call.name
			}
		}
		if got != "" {
			got = got[1:]
		}
		if got != c.skipped {
			t.Errorf("VKEVD_TESTS=%s skips %q, not %q", c.list, got, c.skipped)
		}
	}
}

// skipped is a testing.TB whose method Skip notes the call and returns.
type skipped struct {
	testing.TB
	yes bool
}

func (s *skipped) Skip(...any) { s.yes = true }

func TestUnknownWordPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	parse("quick,raec")
}
