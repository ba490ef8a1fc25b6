package vk

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// randomLayout returns a random tree of Together and InTurn, whose leaves are regions of at most
// `most` bytes. It also returns a list of the regions. Two regions are in use at the same time if
// the lowest node that contains both is a Together.
func randomLayout(rng *rand.Rand, most, depth int) (l *Layout, all []Region[byte]) {
	parts := make([]Space, 1+rng.IntN(4))
	for i := range parts {
		if depth == 0 || rng.IntN(3) == 0 {
			r := Reserve[byte](fmt.Sprintf("r%d", rng.IntN(1<<20)), rng.IntN(most+1)>>rng.IntN(6))
			parts[i], all = r, append(all, r)
		} else {
			part, more := randomLayout(rng, most, depth-1)
			parts[i], all = part, append(all, more...)
		}
	}
	if rng.IntN(2) == 0 {
		return InTurn(parts...), all
	}
	return Together(parts...), all
}

// together lists the regions of a layout, and the pairs of regions that are in use at the same
// time.
func together(l *Layout) (all []*Layout, pairs [][2]*Layout) {
	if l.parts == nil {
		return []*Layout{l}, nil
	}
	for _, p := range l.parts {
		more, inner := together(p)
		pairs = append(pairs, inner...)
		if !l.inTurn {
			for _, a := range all {
				for _, b := range more {
					pairs = append(pairs, [2]*Layout{a, b})
				}
			}
		}
		all = append(all, more...)
	}
	return all, pairs
}

// For any limit of a buffer, each region lies in one buffer, no buffer is larger than the limit,
// and regions that are in use at the same time share no byte. A layout is refused if and only if a
// region is larger than the limit, or all buffers together are larger than the free memory.
func TestPlacementInSmallBuffers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	refused, several := 0, 0
	for range 2000 {
		limit := uint64(1+rng.IntN(64)) << (8 + rng.IntN(4))
		l, _ := randomLayout(rng, int(limit)*9/8, 3)
		bytes := l.place(limit, 0).bytes()
		free := bytes + uint64(rng.IntN(9)) - 1
		d := Dry(Info{Memory: 1 << 40, Free: free, MaxBuffer: limit})
		a, err := d.NewArena(l)
		if want := alignUp(l.largest()) > limit || max(bytes, alignment) > free; (err != nil) != want {
			t.Fatalf("limit %d, %d bytes, %d free, largest region %d: %v", limit, bytes, free, l.largest(), err)
		}
		if err != nil {
			refused++
			continue
		}
		if len(a.chunks) > 1 {
			several++
		}
		if a.Bytes() != max(d.Bytes(l), alignment) || len(d.Table(l)) != len(a.names) {
			t.Fatalf("arena of %d bytes, forecast of %d", a.Bytes(), d.Bytes(l))
		}
		checkPlaces(t, a, l, limit)
	}
	if refused < 100 || several < 500 {
		t.Errorf("%d refused, %d in several buffers: the test tests little", refused, several)
	}
}

func checkPlaces(t *testing.T, a *Arena, l *Layout, limit uint64) {
	t.Helper()
	for _, c := range a.chunks {
		if c.size > limit || c.size == 0 {
			t.Fatalf("a buffer of %d bytes, the limit is %d", c.size, limit)
		}
	}
	all, pairs := together(l)
	spans := map[*Layout]span{}
	for _, leaf := range all {
		s := Region[byte]{leaf, int(leaf.bytes)}.In(a)
		if leaf.bytes > 0 && (s.span().from < s.in.base || s.span().to > s.in.base+s.in.size) {
			t.Fatalf("region %v outside of its buffer", s.span())
		}
		if c := a.dev.find(s.addr); leaf.bytes > 0 && c != s.in {
			t.Fatal("the buffer of an address is not the region's")
		}
		spans[leaf] = s.span()
	}
	for _, p := range pairs {
		if spans[p[0]].touches(spans[p[1]]) {
			t.Fatalf("%v and %v share bytes", spans[p[0]], spans[p[1]])
		}
	}
}

// If a layout fits into one buffer, its regions have the offsets of Layout.Table on every device.
func TestPlacementInOneBuffer(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		l, _ := randomLayout(rng, 5000, 3)
		d := Dry(Info{MaxBuffer: l.Bytes()})
		have, want := d.Table(l), l.Table()
		for i := range want {
			if have[i] != want[i] {
				t.Fatalf("%+v, want %+v", have[i], want[i])
			}
		}
		if d.Bytes(l) != l.Bytes() {
			t.Fatalf("%d bytes, want %d", d.Bytes(l), l.Bytes())
		}
	}
}

// TestLargestRegion checks MaxRegion and the size of buffers for several devices. Buffers on AMD's
// GPUs have 2 GiB if all regions fit into 2 GiB. Drivers that allow larger allocations than they
// guarantee are limited only by the largest buffer.
func TestLargestRegion(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		info                 Info
		region, small, large uint64 // of layouts of 1 and of 3 GiB
	}{
		{Info{}, 0, 0, 0},
		{Info{Family: "amd", Driver: "radv", MaxBuffer: 4*gib - 4, MaxAllocation: 4*gib - 4}, 4*gib - 4, 2 * gib, 4*gib - 4},
		{Info{Family: "amd", MaxBuffer: 2 * gib, MaxAllocation: 2 * gib}, 2 * gib, 2 * gib, 2 * gib},
		{Info{Family: "intel", MaxBuffer: 4 * gib, MaxAllocation: 2 * gib}, 2 * gib, 2 * gib, 2 * gib},
		{Info{Family: "nvidia", Driver: "NVIDIA", MaxBuffer: 1 << 40, MaxAllocation: 4 * gib}, 1 << 40, 1 << 40, 1 << 40},
		{Info{Family: "nvidia", Driver: "NVK", MaxBuffer: 1 << 40, MaxAllocation: 4 * gib}, 4 * gib, 4 * gib, 4 * gib},
		{Info{Family: "cpu", MaxBuffer: 4 * gib, MaxAllocation: 2 * gib}, 4 * gib, 4 * gib, 4 * gib},
		{Info{MaxAllocation: gib}, gib, gib, gib},
	} {
		small, large := Reserve[byte]("small", gib), Reserve[byte]("large", 3*gib)
		if r, s, l := c.info.MaxRegion(), c.info.cell(Together(small)), c.info.cell(Together(small, large)); r != c.region || s != c.small || l != c.large {
			t.Errorf("%+v: %d, %d, %d; want %d, %d, %d", c.info, r, s, l, c.region, c.small, c.large)
		}
	}
}
