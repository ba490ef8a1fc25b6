package evd_test

import (
	"context"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// TestLeadingDimensionsBeyond32Bits solves matrices whose columns are about 2³¹ or 2³² elements
// apart. Pages of this array that are never touched need no memory.
func TestLeadingDimensionsBeyond32Bits(t *testing.T) {
	ctx := context.Background()
	d := device(t, vk.Options{})
	const n = 3
	near := evd.Sym[float64]{N: n, Ld: n, Data: full(random(n))}
	for _, vectors := range []bool{false, true} {
		p, err := evd.NewPlan[float64](d, n, evd.Options{Vectors: vectors, Overwrite: vectors, Tuning: small()})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		want, err := p.Solve(ctx, evd.Sym[float64]{N: n, Ld: n, Data: slices.Clone(near.Data)})
		if err != nil {
			t.Fatal(err)
		}
		for _, ld := range []int{1<<31 - 1, 1<<31 + 1, 1<<32 + 1} {
			elements := (n-1)*ld + n
			const noReserve = syscall.MAP_PRIVATE | syscall.MAP_ANON | syscall.MAP_NORESERVE
			pages, err := syscall.Mmap(-1, 0, 8*elements, syscall.PROT_READ|syscall.PROT_WRITE, noReserve)
			if err != nil {
				t.Skipf("%d bytes of addresses: %v", 8*elements, err)
			}
			far := evd.Sym[float64]{N: n, Ld: ld, Data: unsafe.Slice((*float64)(unsafe.Pointer(&pages[0])), elements)}
			for j := range n {
				copy(far.Data[j*ld:], near.Data[j*n:(j+1)*n])
			}
			got, err := p.Solve(ctx, far)
			switch {
			case err != nil:
				t.Errorf("ld = %d: %v", ld, err)
			case !slices.Equal(got.Values, want.Values):
				t.Errorf("ld = %d: other values", ld)
			case vectors:
				for j := range n {
					if !slices.Equal(far.Data[j*ld:j*ld+n], want.Vectors.Col(j)) {
						t.Errorf("ld = %d: other vector %d", ld, j)
					}
				}
			}
			if err := syscall.Munmap(pages); err != nil {
				t.Error(err)
			}
		}
	}
}
