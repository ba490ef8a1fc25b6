package stagetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/vk"
)

// Marks writes where the phases of recordings begin. It has a line for each mark (a call of
// Recorder.Phase), with the phase, its progress, and the number of commands before the next mark.
type Marks struct{ recs []*vk.Recorder }

// See adds a recording, which may grow until String is called.
func (m *Marks) See(rec *vk.Recorder) {
	if !slices.Contains(m.recs, rec) {
		m.recs = append(m.recs, rec)
	}
}

// String returns the lines of all recordings, one for each mark.
func (m *Marks) String() string {
	var text strings.Builder
	for k, rec := range m.recs {
		var listing strings.Builder
		if _, err := rec.WriteTo(&listing); err != nil {
			panic(err)
		}
		fmt.Fprintf(&text, " recording %d\n", k)
		mark, commands := "no phase", 0
		flush := func() { fmt.Fprintf(&text, "  %s: %d commands\n", mark, commands) }
		for line := range strings.Lines(listing.String()) {
			if name, is := strings.CutPrefix(strings.TrimSpace(line), "phase "); is {
				flush()
				mark, commands = name, 0
			} else {
				commands++
			}
		}
		flush()
	}
	return text.String()
}
