package stagetest

import (
	"strings"

	"github.com/vkevd/vkevd/vk"
)

// Dispatches counts the dispatches of kernels whose names begin with `prefix`, in recordings. The
// result has a number for each phase.
func Dispatches(prefix string, recs ...*vk.Recorder) map[string]int {
	count := map[string]int{}
	for _, rec := range recs {
		var text strings.Builder
		if _, err := rec.WriteTo(&text); err != nil {
			panic(err)
		}
		phase := ""
		for line := range strings.Lines(text.String()) {
			if name, is := strings.CutPrefix(line, "phase "); is {
				phase = name[:strings.LastIndex(name, " ")]
			} else if strings.HasPrefix(line, prefix) {
				count[phase]++
			}
		}
	}
	return count
}
