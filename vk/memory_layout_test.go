package vk

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders"
)

func TestLayoutSumsAndMaxima(t *testing.T) {
	a, b, c := Reserve[float64]("a", 32), Reserve[float64]("b", 33), Reserve[uint32]("c", 1)
	if got := Together(a, b, c).Bytes(); got != 256+512+256 {
		t.Errorf("Together: %d bytes", got)
	}
	if got := InTurn(a, b, c).Bytes(); got != 512 {
		t.Errorf("InTurn: %d bytes", got)
	}
	nested := Together(InTurn(a, b), c)
	want := []Placed{{"a", 0, 256, false}, {"b", 0, 264, false}, {"c", 512, 4, false}}
	for i, row := range nested.Table() {
		if row != want[i] {
			t.Errorf("row %d: %+v, want %+v", i, row, want[i])
		}
	}
	if empty := Together(); empty.Bytes() != 0 || len(Together(empty, c).Table()) != 1 {
		t.Error("an empty layout is a region")
	}
	if nested.Bytes() != 768 {
		t.Errorf("nested: %d bytes", nested.Bytes())
	}
}

func TestLayoutKeepsStrangersApart(t *testing.T) {
	d := Dry(Info{})
	a, b, c, e := Reserve[float64]("a", 5), Reserve[float64]("b", 100), Reserve[float64]("c", 7), Reserve[float64]("e", 3)
	ws, err := d.NewArena(Together(a, InTurn(Together(b, c), e)))
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]span{{a.In(ws).span(), b.In(ws).span()}, {b.In(ws).span(), c.In(ws).span()}, {a.In(ws).span(), e.In(ws).span()}} {
		if pair[0].touches(pair[1]) {
			t.Errorf("%v touches %v", pair[0], pair[1])
		}
	}
	if !b.In(ws).span().touches(e.In(ws).span()) {
		t.Error("InTurn does not share")
	}
	if name := d.nameOf(uint64(c.In(ws).From(2).Addr())); name != "c+16" {
		t.Errorf("address printed as %q", name)
	}
}

func TestMisuseOfMemoryPanics(t *testing.T) {
	d := Dry(Info{})
	a, stranger := Reserve[float64]("a", 4), Reserve[float64]("stranger", 4)
	ws, _ := d.NewArena(Together(a))
	for name, misuse := range map[string]func(){
		"negative size":    func() { Reserve[int32]("x", -1) },
		"foreign region":   func() { stranger.In(ws) },
		"slice past end":   func() { a.In(ws).Sub(2, 3) },
		"negative slice":   func() { a.In(ws).From(5) },
		"region twice":     func() { d.NewArena(Together(a, a)) },
		"overlapping copy": func() { Copy(NewRecorder(d), a.In(ws), a.In(ws)) },
		"grid that some devices refuse": func() {
			(&Kernel[struct{}, struct{}]{core: &kernel{name: "k"}}).Dispatch(NewRecorder(d), Groups{1, MaxGroups() + 1, 1}, struct{}{})
		},
		"nested concurrency": func() {
			r := NewRecorder(d)
			r.Concurrently(func() { r.Concurrently(func() {}) })
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
}

func TestFoldedGridsCoverAndFit(t *testing.T) {
	for _, n := range []int{0, 1, 65535, 65536, 131070, 131071, 1 << 22} {
		g := Folded(n)
		if g.X*g.Y*g.Z < n || max(g.X, g.Y) > MaxGroups() {
			t.Errorf("Folded(%d) = %v", n, g)
		}
		if g.X*g.Y*g.Z > n+g.Y {
			t.Errorf("Folded(%d) = %v wastes more than a row", n, g)
		}
	}
}

// TestFillRefusesAPartOfAWord fills numbers of two bytes. Vulkan fills words of four bytes, so the
// index of the first element and the number of elements must be even.
func TestFillRefusesAPartOfAWord(t *testing.T) {
	when.Pick(t, when.GPUAV)
	halves := Reserve[uint16]("halves", 8)
	d := Dry(Info{})
	ws, err := d.NewArena(Together(halves))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, count int
		refused     bool
	}{{0, 8, false}, {2, 4, false}, {0, 7, true}, {1, 7, true}, {1, 2, true}} {
		func() {
			defer func() {
				if got := recover() != nil; got != c.refused {
					t.Errorf("%d elements from %d: refused %v", c.count, c.from, got)
				}
			}()
			Fill(NewRecorder(d), halves.In(ws).Sub(c.from, c.count), 0)
		}()
	}
}

func TestRecorderNamesPhasesAndFills(t *testing.T) {
	when.Pick(t, when.GPUAV)
	d := Dry(Info{})
	a := Reserve[float64]("a", 4)
	ws, _ := d.NewArena(Together(a))
	rec := NewRecorder(d)
	rec.Phase("one", 0, 10)
	Fill(rec, a.In(ws).From(1), 0)
	rec.Costs(5)
	rec.Phase("two", 5, 10)
	Copy(rec, a.In(ws).Sub(0, 2), a.In(ws).Sub(2, 2))
	var text strings.Builder
	if _, err := rec.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	want := `phase one 0/10
fill a+8 24 bytes 0x0
barrier
phase two 5/10
copy a from a+16 16 bytes
barrier
`
	if text.String() != want {
		t.Errorf("recorded\n%s", text.String())
	}
	if rec.cmds[1].cost != 5 {
		t.Error("the cost went astray")
	}
}

// TestCostsAfterAnEmptyDispatch checks that the estimate of a Dispatch without workgroups, which
// records nothing, does not replace that of the command before.
func TestCostsAfterAnEmptyDispatch(t *testing.T) {
	d := Dry(Info{})
	k, err := Build(d, shaders.Slag2d(), shaders.Slag2dDefaults())
	if err != nil {
		t.Fatal(err)
	}
	rec := NewRecorder(d)
	dispatch := func(groups int, cost float64) {
		k.Dispatch(rec, Grid(groups), shaders.Slag2dPush{})
		rec.Costs(cost)
	}
	dispatch(0, 7)
	dispatch(1, 1e12)
	dispatch(0, 0)
	k.Dispatch(rec, Groups{X: 3, Y: 0, Z: 1}, shaders.Slag2dPush{})
	rec.Phase("next", 0, 0)
	rec.Costs(3)
	dispatch(1, 5)
	dispatch(0, 6)
	if got := rec.Estimates(); !slices.Equal(got, []float64{1e12, 5}) {
		t.Errorf("estimates %v", got)
	}
}

// Slice.Sub must panic if the range is not inside of the slice, even if the end of the range is too
// large for an int.
func TestSliceRefusesWhatIsOutside(t *testing.T) {
	d := Dry(Info{})
	r := Reserve[float64]("r", 10)
	ws, err := d.NewArena(Together(r))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ i, n int }{{0, 11}, {10, 1}, {11, 0}, {-1, 1}, {1, -1}, {math.MaxInt, 1}, {1, math.MaxInt}, {math.MaxInt, math.MaxInt}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("[%d : %d + %d] of 10 elements was taken", c.i, c.i, c.n)
				}
			}()
			r.In(ws).Sub(c.i, c.n)
		}()
	}
}
