package vk_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// What is sent is there for the next command, what is received is there after Run; a
// recording that runs again sends what its numbers are by then.
func TestSendAndReceive(t *testing.T) {
	ctx := context.Background()
	d := open(t, vk.Options{})
	x, y, words := vk.Reserve[float64]("x", 5), vk.Reserve[float64]("y", 5), vk.Reserve[uint32]("words", 3)
	a, err := d.NewGuardedArena(vk.Together(x, y, words))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	sent, got := []float64{1, 2, 3, 4, 5}, make([]float64, 4)
	sentWords, gotWords := []uint32{7, 8, 9}, make([]uint32, 3)
	rec := vk.NewRecorder(d)
	a.Poison(rec)
	rec.Concurrently(func() {
		vk.Send(rec, x.In(a), sent)
		vk.Send(rec, words.In(a), sentWords)
	})
	vk.Copy(rec, y.In(a), x.In(a))
	vk.Receive(rec, gotWords, words.In(a))
	vk.Receive(rec, got, y.In(a).From(1))
	vk.Send(rec, x.In(a), []float64{})
	for range 2 {
		if _, err := d.Run(ctx, rec, nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, sent[1:]) || !slices.Equal(gotWords, sentWords) {
			t.Fatalf("received %v and %v, sent were %v and %v", got, gotWords, sent, sentWords)
		}
		for i := range sent {
			sent[i] = -sent[i]
		}
		sentWords[1] = 99
	}
	if err := a.CheckGuards(ctx); err != nil {
		t.Error(err)
	}
	var text strings.Builder
	rec.WriteTo(&text)
	for _, want := range []string{"send x 40 bytes", "receive words 12 bytes", "receive y+8 32 bytes"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &text)
		}
	}
}

func TestSendRefuses(t *testing.T) {
	d := vk.Dry(vk.Info{})
	x := vk.Reserve[float64]("x", 9<<20)
	a, err := d.NewArena(vk.Together(x))
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, f func(rec *vk.Recorder)) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s is accepted", what)
			}
		}()
		f(vk.NewRecorder(d))
	}
	refused("more than there is room for", func(rec *vk.Recorder) { vk.Send(rec, x.In(a), make([]float64, 9<<20)) })
	refused("more than there is room for, together", func(rec *vk.Recorder) {
		vk.Receive(rec, make([]float64, 8<<20), x.In(a))
		vk.Send(rec, x.In(a), make([]float64, 1))
	})
	refused("what is longer than its place", func(rec *vk.Recorder) { vk.Send(rec, x.In(a).Sub(0, 3), make([]float64, 4)) })
	refused("two sends to one place at once", func(rec *vk.Recorder) {
		rec.Concurrently(func() {
			vk.Send(rec, x.In(a), make([]float64, 4))
			vk.Receive(rec, make([]float64, 1), x.In(a).From(3))
		})
	})
}
