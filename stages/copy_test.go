package stages

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

var copySizes = []int{0, 1, 2, 31, 32, 33, 64, 100}

// Whatever stood in the other triangle is gone, and the padding is as it was.
func TestSymmetricLoad(t *testing.T) {
	s, err := NewSymmetricLoad(testDevice(t), SmallestTuning())
	if err != nil {
		t.Fatal(err)
	}
	p := newProductBench(t, 320*323, vk.Together())
	for _, n := range append(copySizes, 320) { // 10 rows of tiles: two swaths
		for _, upper := range []bool{false, true} {
			full := normal(n, n, n+3, 1)
			at := func(i, j int) float64 { return full.data[max(i, j)+min(i, j)*full.ld] }
			given, want := poisoned(n, n, n+3), poisoned(n, n, n+3).fill(func(i, j int) float64 { return 0.25 * at(i, j) })
			for j := range n {
				for i := range n {
					if i == j || upper == (i < j) {
						given.data[i+j*given.ld] = at(i, j)
					}
				}
			}
			got := p.do(t, poisoned(0, 0, 1), poisoned(0, 0, 1), given, func(rec *vk.Recorder, _, _, a Matrix) { s.Record(rec, a, upper, 0.25) })
			if furthest(t, fmt.Sprintf("n=%d upper=%v", n, upper), got, want, want.abs()) != 0 {
				t.Errorf("n=%d upper=%v: a power of two did not scale exactly", n, upper)
			}
		}
	}
}

func TestTranspose(t *testing.T) {
	s, err := NewTranspose(testDevice(t), SmallestTuning())
	if err != nil {
		t.Fatal(err)
	}
	p := newProductBench(t, 105*105, vk.Together())
	for _, rows := range copySizes {
		for _, cols := range copySizes {
			a, b := normal(rows, cols, rows+1, 1), poisoned(cols, rows, cols+2)
			want := poisoned(cols, rows, cols+2).fill(func(i, j int) float64 { return a.data[j+i*a.ld] })
			got := p.do(t, a, poisoned(0, 0, 1), b, func(rec *vk.Recorder, a, _, b Matrix) { s.Record(rec, a, b) })
			if furthest(t, fmt.Sprintf("%d×%d", rows, cols), got, want, want.abs()) != 0 {
				t.Errorf("%d×%d: elements changed", rows, cols)
			}
		}
	}
}
