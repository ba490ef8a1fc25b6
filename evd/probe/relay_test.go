package probe

import (
	"context"
	"os"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestRelay: workgroups that wait for earlier ones get on, here and wherever the solver runs.
func TestRelay(t *testing.T) {
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	r, err := MeasureRelay(context.Background(), dev)
	t.Logf("%+v", r)
	if err != nil || !r.Works || r.Problem != "" || r.HandOver <= 0 {
		t.Errorf("%+v, %v", r, err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := MeasureRelay(ended, dev); err == nil {
		t.Errorf("%+v under a context that has ended", r)
	}
}

// TestRelayIsJudged: a wait in vain, and each word that is not what was sent, is seen.
func TestRelayIsJudged(t *testing.T) {
	const lanes = 3
	fresh := func() []uint32 { // two rounds of four workgroups
		var words []uint32
		for place := range 8 {
			for range lanes {
				words = append(words, uint32(place%4+place/4))
			}
		}
		return words
	}
	judged := func(words []uint32, vain uint32) Relay {
		r := Relay{Workgroups: 4, Rounds: 2}
		r.judge(words, vain, lanes)
		return r
	}
	if r := judged(fresh(), 0); !r.Works || r.Problem != "" {
		t.Errorf("%+v", r)
	}
	if r := judged(fresh(), 3); r.Works || r.Problem != "workgroup 2 was waited for in vain" {
		t.Errorf("%+v", r)
	}
	for i := range fresh() {
		words := fresh()
		words[i] += 7
		if r := judged(words, 0); r.Works || r.Problem == "" {
			t.Errorf("word %d: %+v", i, r)
		}
	}
}
