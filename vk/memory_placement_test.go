package vk

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/vk/spirv"
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

// For any limit of a buffer, no buffer is larger than the limit, and regions that are in use at the
// same time share no byte. A region lies in one buffer unless it is larger than the limit, or
// unless the free memory is too small for gaps between regions. A layout is refused if and only if
// it does not fit into the free memory in one buffer.
func TestPlacementInSmallBuffers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	refused, several, paged, dense := 0, 0, 0, 0
	for range 2000 {
		limit := uint64(1+rng.IntN(64)) << (8 + rng.IntN(4))
		l, _ := randomLayout(rng, int(limit)*[]int{9, 30}[rng.IntN(2)]/8, 4)
		least := l.Bytes()
		free := least + uint64(rng.IntN(3)*rng.IntN(int(limit))) - 1
		d := Dry(Info{Memory: 1 << 40, Free: free, MaxBuffer: limit})
		roomy := Dry(Info{MaxBuffer: limit})
		a, err := d.NewArena(l)
		if want := max(least, alignment) > free; (err != nil) != want {
			t.Fatalf("limit %d, %d bytes, %d free: %v", limit, least, free, err)
		}
		if err != nil {
			refused++
			continue
		}
		if len(a.chunks) > 1 {
			several++
		}
		if a.Bytes() != max(d.Bytes(l), alignment) || a.Bytes() > free || len(d.Table(l)) != len(a.names) {
			t.Fatalf("arena of %d bytes, forecast of %d, %d free", a.Bytes(), d.Bytes(l), free)
		}
		tight := max(roomy.Bytes(l), alignment) > free
		if tight {
			dense++
		}
		for i, r := range d.Table(l) {
			if r.Paged {
				paged++
			}
			if large := alignUp(r.Bytes) > limit&^(d.info.page()-1); r.Paged && !large && !tight {
				t.Fatalf("region %d of %d bytes is paged, the limit is %d", i, r.Bytes, limit)
			}
		}
		checkPlaces(t, a, l, limit)
	}
	if refused < 50 || several < 500 || paged < 500 || dense < 100 {
		t.Errorf("%d refused, %d in several buffers, %d regions paged, %d dense: the test tests little", refused, several, paged, dense)
	}
}

// checkPlaces checks that regions that are in use at the same time share no byte of a buffer, that
// only paged regions lie in several buffers, and that no buffer is larger than `limit`.
func checkPlaces(t *testing.T, a *Arena, l *Layout, limit uint64) {
	t.Helper()
	for _, c := range a.chunks {
		if c.size > limit || c.size == 0 {
			t.Fatalf("a buffer of %d bytes, the limit is %d", c.size, limit)
		}
	}
	all, pairs := together(l)
	spans := map[*Layout][]span{} // device addresses
	for _, leaf := range all {
		s := Region[byte]{leaf, int(leaf.bytes)}.In(a)
		at := s.span()
		for from := at.from; from < at.to; {
			c, off := a.dev.find(from)
			if c == nil || c.arena != a {
				t.Fatalf("address %#x of region %v is not in the arena", from, at)
			}
			n := min(at.to-from, c.size-off)
			spans[leaf] = append(spans[leaf], span{c.base + off, c.base + off + n})
			from += n
		}
		if paged := a.regions[leaf].Paged; paged != spirv.Virtual(s.addr) || len(spans[leaf]) > 1 && !paged {
			t.Fatalf("a region of %d bytes in %d buffers, paged %v, at %#x", leaf.bytes, len(spans[leaf]), paged, s.addr)
		}
	}
	for _, p := range pairs {
		for _, x := range spans[p[0]] {
			for _, y := range spans[p[1]] {
				if x.touches(y) {
					t.Fatalf("%v and %v share bytes", x, y)
				}
			}
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

// TestLargestRegion checks MaxRegion, the largest size of a buffer, for several devices. Drivers
// that allow larger allocations than they guarantee are limited only by the largest buffer.
func TestLargestRegion(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		info Info
		want uint64
	}{
		{Info{}, 0},
		{Info{Family: "amd", Driver: "radv", MaxBuffer: 4*gib - 4, MaxAllocation: 4*gib - 4}, 2 * gib},
		{Info{Family: "amd", MaxBuffer: gib, MaxAllocation: 2 * gib}, gib},
		{Info{Family: "intel", MaxBuffer: 4 * gib, MaxAllocation: 2 * gib}, 2 * gib},
		{Info{Family: "nvidia", Driver: "NVIDIA", MaxBuffer: 1 << 40, MaxAllocation: 4 * gib}, 1 << 40},
		{Info{Family: "nvidia", Driver: "NVK", MaxBuffer: 1 << 40, MaxAllocation: 4 * gib}, 4 * gib},
		{Info{Family: "cpu", MaxBuffer: 4 * gib, MaxAllocation: 2 * gib}, 4 * gib},
		{Info{MaxAllocation: gib}, gib},
	} {
		if most := c.info.MaxRegion(); most != c.want {
			t.Errorf("%+v: %d, want %d", c.info, most, c.want)
		}
	}
}

// Mesa's driver for AMD's GPUs allows buffers of 4 GiB, but its users have reported wrong reads
// beyond 2 GiB. So no buffer on these GPUs is larger than 2 GiB, and a larger region is paged. A
// driver that reports no limits is treated in the same way.
func TestBuffersOnAMDHaveAtMostTwoGiB(t *testing.T) {
	const gib = 1 << 30
	for _, most := range []uint64{4*gib - 4, 0} {
		d := Dry(Info{Family: "amd", Driver: "radv", MaxBuffer: most, MaxAllocation: most})
		small, large := Reserve[byte]("small", gib), Reserve[byte]("large", 3*gib)
		l := Together(small, large)
		a, err := d.NewArena(l)
		if err != nil {
			t.Fatal(err)
		}
		checkPlaces(t, a, l, 2*gib)
		if a.regions[small.leaf].Paged || !a.regions[large.leaf].Paged {
			t.Errorf("largest buffer %d: %+v", most, a.Table())
		}
	}
}
