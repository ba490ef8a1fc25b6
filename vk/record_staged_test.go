package vk_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestSendAndReceive checks a recording that sends data to the device and copies data back. The
// next command must see the sent data. When Run returns, the host must have the data that were
// copied back. If the recording runs again, it must send what is in the host's memory at that time.
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
	refused("much that is longer than its place", func(rec *vk.Recorder) { vk.SendFirst(rec, x.In(a), make([]float64, 9<<20+1)) })
	refused("much that is longer than what there is", func(rec *vk.Recorder) { vk.ReceiveLast(rec, make([]float64, 9<<20+1), x.In(a)) })
	refused("two sends to one place at once", func(rec *vk.Recorder) {
		rec.Concurrently(func() {
			vk.Send(rec, x.In(a), make([]float64, 4))
			vk.Receive(rec, make([]float64, 1), x.In(a).From(3))
		})
	})
}

// SendFirst and ReceiveLast get data of several lengths. Data that does not fit into the staging
// buffer is uploaded before the recording runs, and downloaded after it.
func TestSendFirstAndReceiveLast(t *testing.T) {
	d := open(t, vk.Options{})
	const n = 5 << 19 // 20 MiB: one vector fits into the staging buffer, two do not
	var x, y [2]vk.Region[float64]
	for i := range x {
		x[i], y[i] = vk.Reserve[float64]("x", n), vk.Reserve[float64]("y", n)
	}
	a, err := d.NewArena(vk.Together(x[0], x[1], y[0], y[1]))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, count := range []int{0, 1, 1000, n} {
		var sent, got [2][]float64
		rec := vk.NewRecorder(d)
		for i := range x {
			sent[i], got[i] = make([]float64, count), make([]float64, count)
			vk.SendFirst(rec, x[i].In(a), sent[i])
		}
		for i := range x {
			vk.Copy(rec, y[i].In(a), x[i].In(a))
			vk.ReceiveLast(rec, got[i], y[i].In(a))
		}
		if count == n {
			var text strings.Builder
			if _, err := rec.WriteTo(&text); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(text.String()), "\n")
			if first, last := lines[0], lines[len(lines)-1]; first != "upload x 20971520 bytes" || last != "download y 20971520 bytes" {
				t.Errorf("printed from %q to %q", first, last)
			}
		}
		for round := range 2 { // Run sends the values that the vector has when Run begins
			for i := range sent {
				for k := range sent[i] {
					sent[i][k] = float64(k + (i+2*round)*n)
				}
			}
			if _, err := d.Run(context.Background(), rec, nil); err != nil {
				t.Fatal(err)
			}
			for i := range sent {
				if !slices.Equal(sent[i], got[i]) {
					t.Errorf("%d elements, round %d: array %d did not come back as it was", count, round, i)
				}
			}
		}
	}
}

// After SendFirst or ReceiveLast of 32 MiB, the staging buffer must have room for the status of a
// stage. It once had none, and a solve of order 32768 on two devices panicked.
func TestStatusAfterALargeSend(t *testing.T) {
	d := vk.Dry(vk.Info{})
	x := vk.Reserve[float64]("x", 4<<20)
	a, err := d.NewArena(vk.Together(x))
	if err != nil {
		t.Fatal(err)
	}
	for name, record := range map[string]func(rec *vk.Recorder){
		"sent":     func(rec *vk.Recorder) { vk.SendFirst(rec, x.In(a), make([]float64, 4<<20)) },
		"received": func(rec *vk.Recorder) { vk.ReceiveLast(rec, make([]float64, 4<<20), x.In(a)) },
	} {
		rec := vk.NewRecorder(d)
		record(rec)
		vk.Receive(rec, make([]float64, 1), x.In(a))
		var text strings.Builder
		rec.WriteTo(&text)
		if n := strings.Count(text.String(), "load "); n != 1 {
			t.Errorf("32 MiB are %s with %d uploads and downloads, want 1:\n%s", name, n, &text)
		}
	}
}
