package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// Relay is whether workgroups that wait for others that run already get on, and how long
// handing something over takes. Vulkan promises neither.
type Relay struct {
	Workgroups int     `json:"workgroups"` // more than can run at once on most devices
	Rounds     int     `json:"rounds"`
	Works      bool    `json:"works"`
	Problem    string  `json:"problem,omitempty"` // why not
	HandOver   float64 `json:"hand_over_seconds"` // from a workgroup to the next, on average
}

const (
	relayRounds   = 16
	relayPatience = 30 * time.Second
)

// relayGroups is more than run at once. A CPU runs few, and while others use it a
// thread that is waited for may be put aside for milliseconds each time.
func relayGroups(info vk.Info) int {
	if info.Type == "cpu" {
		return 128
	}
	return 4096
}

// MeasureRelay runs one kernel; where workgroups do not get on, it is given up after
// some seconds.
func MeasureRelay(ctx context.Context, dev *vk.Device) (Relay, error) {
	groups := relayGroups(dev.Info())
	r := Relay{Workgroups: groups, Rounds: relayRounds}
	k, err := vk.Build(dev, shaders.ProbeRelay(), shaders.ProbeRelayDefaults())
	if err != nil {
		return r, err
	}
	lanes, stride := int(k.Spec.LocalSize), int(k.Spec.FlagStride)
	data := vk.Reserve[uint32]("relayed", groups*relayRounds*lanes)
	words := vk.Reserve[uint32]("INFO, ticket, flags", 2+groups*stride)
	ws, err := dev.NewArena(vk.Together(data, words))
	if err != nil {
		return r, err
	}
	defer ws.Close()
	rec := vk.NewRecorder(dev)
	rec.Phase("clearing", 0, 1)
	vk.Fill(rec, words.In(ws), 0)
	vk.Fill(rec, data.In(ws), 0)
	rec.Phase(relayPhase, 0, 1)
	info, ticket, flags := words.In(ws).Sub(0, 1), words.In(ws).Sub(1, 1), words.In(ws).From(2)
	k.Dispatch(rec, vk.Grid(groups), shaders.ProbeRelayPush{
		Data: data.In(ws).Addr(), Flags: flags.Addr(), Ticket: ticket.Addr(), Info: info.Addr(), AbortWord: dev.Abort(),
		Groups: uint32(groups), Rounds: relayRounds, Polls: polls(dev.Info()),
	})
	bounded, done := context.WithTimeout(ctx, relayPatience)
	defer done()
	profile, err := dev.Run(bounded, rec, nil)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		r.Problem = fmt.Sprintf("still waiting after %v", relayPatience)
		return r, nil
	}
	if err != nil {
		return r, err
	}
	found, vain := make([]uint32, data.In(ws).Len()), make([]uint32, 1)
	if err := vk.Download(ctx, dev, vk.Vector(found), data.In(ws)); err != nil {
		return r, err
	}
	if err := vk.Download(ctx, dev, vk.Vector(vain), info); err != nil {
		return r, err
	}
	r.judge(found, vain[0], lanes)
	r.HandOver = profile.Phase(relayPhase) / float64(groups+relayRounds)
	return r, nil
}

const relayPhase = "relay"

// judge looks at what came out.
func (r *Relay) judge(found []uint32, vain uint32, lanes int) {
	if vain != 0 {
		r.Problem = fmt.Sprintf("workgroup %d was waited for in vain", vain-1)
		return
	}
	for at, got := range found {
		place := at / lanes
		i, round := place%r.Workgroups, place/r.Workgroups
		if want := uint32(i + round); got != want {
			r.Problem = fmt.Sprintf("workgroup %d saw %d for %d in round %d", i, got, want, round)
			return
		}
	}
	r.Works = true
}

// polls is when a wait is given up. A CPU's threads are put aside for milliseconds by
// whatever else runs; the context ends their waits.
func polls(info vk.Info) uint32 {
	if info.Type == "cpu" {
		return 1 << 30
	}
	return 1 << 24
}
