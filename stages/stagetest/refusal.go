package stagetest

import "testing"

// Refusal is a call and the whole text of the error that it returns. The text is empty for a call
// that succeeds, such as one with the last value that is accepted.
type Refusal struct {
	Text string
	Call func() error
}

// Refusals makes the calls and compares the texts of their errors.
func Refusals(t *testing.T, calls []Refusal) {
	t.Helper()
	for _, c := range calls {
		got := ""
		if err := c.Call(); err != nil {
			got = err.Error()
		}
		if got != c.Text {
			t.Errorf("got  %q\nwant %q", got, c.Text)
		}
	}
}
