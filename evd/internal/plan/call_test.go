package plan

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// TestInfoIsReadWhereItIsRecorded records commands that overwrite the INFO words of stages after
// they are read. Execute must still return the error for the first word that was not 0. The next
// recording must begin without INFO words.
func TestInfoIsReadWhereItIsRecorded(t *testing.T) {
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	word, empty := vk.Reserve[uint32]("INFO", 1), vk.Reserve[uint32]("no INFO", 0)
	ws, err := d.NewArena(vk.Together(word, empty))
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	c := &Call{Ctx: context.Background(), Dev: d, Arena: ws, Profile: vk.NewProfile()}
	names := []string{"first", "second", "third"}
	for _, want := range []struct {
		words []uint32
		stage string
		info  uint32
	}{{[]uint32{0, 7, 9}, "second", 7}, {[]uint32{0, 0, 0}, "", 0}, {[]uint32{3, 0, 0}, "first", 3}, {nil, "", 0}} {
		err := c.Run(func(rec *vk.Recorder) {
			for i, w := range want.words {
				rec.Phase(names[i], 0, 1)
				vk.Fill(rec, word.In(ws), w)
				c.Info(rec, 0, names[i], word.In(ws))
				c.Info(rec, 0, "none", empty.In(ws))
			}
		})
		var failed *stages.InfoError
		if want.info == 0 && err != nil || want.info != 0 && (!errors.As(err, &failed) || *failed != stages.InfoError{Stage: want.stage, Info: want.info}) {
			t.Errorf("INFO words %v: %v", want.words, err)
		}
	}
}
