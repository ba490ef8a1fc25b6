package vk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestBroadcastWaitsForTheSlowest spreads many pieces from one device. One of the receivers,
// another one in each subtest, is slow: it begins after 100 ms. The sender must not end before,
// because it must not overwrite a piece that the slow device has not taken.
func TestBroadcastWaitsForTheSlowest(t *testing.T) {
	for _, apart := range []bool{false, true} {
		for _, places := range []int{1, 2, 5} {
			for slow := 1; slow < 3; slow++ {
				t.Run(fmt.Sprintf("apart %v, %d places, device %d", apart, places, slow), func(t *testing.T) {
					const devices, piece, pieces = 3, 64, 17
					g := openExchange(t, devices, apart, 0)
					b := NewBroadcast(g.x, 0, places*piece, piece, devices)
					ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
					defer cancel()
					sent, begin, got := NewEvent(), NewEvent(), make([][]uint32, devices)
					go func() {
						wait, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
						defer cancel()
						if sent.wait(wait, false) == nil {
							t.Error("the sender does not wait")
						}
						begin.happen()
					}()
					errs := g.run(ctx, func(k int, rec *Recorder) {
						p, words := b.Party(k), g.mem[k].Sub(0, pieces*piece/4)
						Fill(rec, words, 1000)
						if k == 0 {
							for i := range pieces {
								Fill(rec, words.Sub(i*piece/4, piece/4), uint32(i))
							}
						}
						if k == slow {
							rec.Wait(begin)
						}
						Spread(rec, p, 0, words)
						if k == 0 {
							rec.Signal(sent)
						}
						got[k] = make([]uint32, words.Len())
						Receive(rec, got[k], words)
					})
					if err := errors.Join(errs...); err != nil {
						t.Fatal(err)
					}
					for k := range got {
						if !slices.Equal(got[k], got[0]) || got[k][0] != 0 || got[k][len(got[k])-1] != pieces-1 {
							t.Errorf("device %d has other words", k)
						}
					}
				})
			}
		}
	}
}
