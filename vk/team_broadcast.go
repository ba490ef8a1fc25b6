package vk

import "sync"

// Broadcast copies numbers from one device to all others, within recordings that run at the same
// time. The numbers go in pieces through an Exchange, which has room for several pieces. While some
// devices take a piece, the sender posts the next ones:
//
//	sender   post 0 | post 1 | post 2 | post 3 | wait for all, post 4 …
//	others            take 0 | take 1 | take 2 | take 3 …
//
// Each device has a Party. All devices must record the same copies in the same order.
type Broadcast struct {
	x                 *Exchange
	at, piece, places int // in the exchange, in bytes
	devices           int

	lock   sync.Mutex
	pieces []sentPiece // by number, as far as they are known
}

// sentPiece is a piece that one device, the sender, sends to all others. The event `posted` happens
// when the sender has posted the piece, and taken[k] when device k has taken it. taken[sender] is
// nil.
type sentPiece struct {
	posted *Event
	taken  []*Event
}

// NewBroadcast makes a broadcast between devices that are numbered from 0 on. It uses the bytes
// [at, at+bytes) of the exchange in pieces of `piece` bytes, a multiple of 4. There must be room
// for one piece at least.
func NewBroadcast(x *Exchange, at, bytes, piece, devices int) *Broadcast {
	if piece <= 0 || piece%4 != 0 || bytes < piece || at < 0 || at > x.bytes-bytes {
		panic("vk: a broadcast outside of its exchange")
	}
	return &Broadcast{x: x, at: at, piece: piece, places: bytes / piece, devices: devices}
}

// sent returns piece number `number`, which the device `sender` sends. Each device calls `sent` for
// each piece, in the order of the pieces. The first call for a piece makes its events.
func (b *Broadcast) sent(number, sender int) sentPiece {
	b.lock.Lock()
	defer b.lock.Unlock()
	if number == len(b.pieces) {
		p := sentPiece{posted: NewEvent(), taken: make([]*Event, b.devices)}
		for k := range p.taken {
			if k != sender {
				p.taken[k] = NewEvent()
			}
		}
		b.pieces = append(b.pieces, p)
	}
	return b.pieces[number]
}

// `free` lists the events for which the sender of a piece waits. A piece overwrites an earlier
// piece in the exchange, so all other devices must have taken that earlier piece. If the sender
// itself had to take it, it did so earlier in its own recording.
func (b *Broadcast) free(number, sender int) (events []*Event) {
	b.lock.Lock()
	defer b.lock.Unlock()
	if number < b.places {
		return nil
	}
	for k, e := range b.pieces[number-b.places].taken {
		if k != sender && e != nil {
			events = append(events, e)
		}
	}
	return events
}

type Party struct {
	of           *Broadcast
	device, next int // number of the device, and of the next piece
}

// Party returns the part of the device with the given number. Party is called once for each device.
func (b *Broadcast) Party(device int) *Party { return &Party{of: b, device: device} }

// Spread records a copy of the slice s from the device number `sender` to the slices s of all other
// devices, which have the same length. The recordings of all devices must be in progress at the
// same time.
func Spread[T any](rec *Recorder, p *Party, sender int, s Slice[T]) {
	b, all := p.of, s.bytes()
	for from := 0; from < all.n; from += b.piece {
		part := all.Sub(from, min(b.piece, all.n-from))
		at, now := b.at+p.next%b.places*b.piece, b.sent(p.next, sender)
		if p.device == sender {
			rec.Wait(b.free(p.next, sender)...)
			Post(rec, b.x, at, part)
			rec.Signal(now.posted)
		} else {
			rec.Wait(now.posted)
			Take(rec, part, b.x, at)
			rec.Signal(now.taken[p.device])
		}
		p.next++
	}
}
