package panel

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TestPanelQRWhole factors panels with one dispatch for all columns and with one dispatch for each
// column. For every panel, the two ways must give the same bits. The test uses several workgroups
// only if the device has as many compute units.
func TestPanelQRWhole(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	for _, g := range panelGroups(t) {
		for _, kind := range panelKinds {
			for _, s := range [][2]int{{1, 1}, {1, 3}, {2, 1}, {2, 3}, {5, 4}, {9, 8}, {4, 3}, {7, 3}, {8, 3}, {50, 3}, {50, 8}, {200, 8}} {
				m, b := s[0], s[1]
				panel := randomPanel(m, b, kind.at)
				tune := SmallestTuning()
				tune.Panel.Groups, tune.Panel.Polls = g, 1<<24
				sameFactors(t, fmt.Sprintf("%s, %d×%d, %d groups", kind.name, m, b, g), m, b, panel, tune)
			}
		}
	}
}

// TestPanelQRWholeLarge checks panels with 32 columns. On a GPU it uses the device's own tuning,
// and elsewhere that of NVIDIA's GPUs with chunks that fit 32 KiB of shared memory. A workgroup has
// one chunk of rows in some cases, and several chunks in others.
func TestPanelQRWholeLarge(t *testing.T) {
	t.Run("float64", func(t *testing.T) {
		testPanelQRWholeLarge(t, func(m, b int) []float64 { return randomPanel(m, b, panelKinds[0].at) })
	})
	stagetest.EachComplex(t, testComplexPanelQRWholeLarge[complex128], testComplexPanelQRWholeLarge[complex64])
}

func testComplexPanelQRWholeLarge[T stagetest.Complex](t *testing.T) {
	testPanelQRWholeLarge(t, func(m, b int) []T { return stagetest.ComplexOf[T](randomComplexPanel(m, b, complexPanels[0].at)) })
}

func testPanelQRWholeLarge[T spirv.Scalar](t *testing.T, random func(m, b int) []T) {
	const b = 32
	info := stagetest.Device(t).Info()
	tune := TuningFor(info)
	if info.Type == "cpu" {
		tune.Panel, tune.Waits = tuningFor("nvidia").Panel, SmallestTuning().Waits
		tune.Panel.TileBytes = 9 << 10
	}
	tune.Panel.Groups, tune.Panel.Polls = min(tune.Panel.Groups, max(info.Units, 1)), 1<<24
	rows := []int{b + 1, 100, 2345}
	if tune.Panel.Groups > 1 {
		all := tune.Panel.Groups * int(panelSpec[T](tune.Panel, b).Chunk)
		rows = append(rows, all+77, 2*all+77) // two chunks in registers, and three that are not
	}
	for _, m := range rows {
		sameFactors(t, fmt.Sprintf("%d×%d", m, b), m, b, random(m, b), tune)
	}
}

// TestComplexPanelQRWhole does the same as TestPanelQRWhole for complex panels.
func TestComplexPanelQRWhole(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	stagetest.EachComplex(t, testComplexPanelQRWhole[complex128], testComplexPanelQRWhole[complex64])
}

func testComplexPanelQRWhole[T stagetest.Complex](t *testing.T) {
	for _, g := range panelGroups(t) {
		for _, kind := range complexPanels {
			for _, s := range [][2]int{{1, 1}, {1, 3}, {2, 3}, {5, 4}, {9, 8}, {4, 3}, {50, 3}, {50, 8}, {200, 8}} {
				m, b := s[0], s[1]
				tune := SmallestTuning()
				tune.Panel.Groups, tune.Panel.Polls = g, 1<<24
				panel := stagetest.ComplexOf[T](randomComplexPanel(m, b, kind.at))
				sameFactors(t, fmt.Sprintf("%s, %d×%d, %d groups", kind.name, m, b, g), m, b, panel, tune)
			}
		}
	}
}

// panelGroups returns 1, and those of the numbers 3 and 70 of workgroups for which the device has
// enough compute units.
func panelGroups(t *testing.T) []int {
	return slices.DeleteFunc([]int{1, 3, 70}, func(g int) bool { return g > max(1, stagetest.Device(t).Info().Units) })
}

// sameFactors factors a panel with one dispatch for all columns and with one dispatch for each
// column, and compares the bits.
func sameFactors[T spirv.Scalar](t *testing.T, where string, m, b int, panel []T, tune Tables) {
	t.Helper()
	tune.Panel.Whole = false
	wantY, wantR, wantTau := panelQR(t, m, b, panel, tune)
	tune.Panel.Whole = true
	if q, err := NewQR[T](stagetest.Device(t), b, tune.Waits.Waiting(t, stagetest.Device(t)), tune.Panel); err != nil || q.whole == nil {
		t.Skipf("this device cannot: %v", err)
	}
	y, r, tau := panelQR(t, m, b, panel, tune)
	sameBits(t, where, [3][]T{y, r, tau}, [3][]T{wantY, wantR, wantTau})
}

// sameBits compares two results, each with the reflectors Y, the triangle R and the factors τ of a
// panel: that of one dispatch for all columns, and that of one dispatch for each column.
func sameBits[T spirv.Scalar](t *testing.T, where string, got, want [3][]T) {
	t.Helper()
	for c, name := range []string{"Y", "R", "τ"} {
		for i := range want[c] {
			if bitsOf(got[c][i]) != bitsOf(want[c][i]) {
				t.Fatalf("%s: %s[%d] = %v, a dispatch a column gives %v", where, name, i, got[c][i], want[c][i])
			}
		}
	}
}

func bitsOf[T spirv.Scalar](x T) [2]uint64 {
	switch x := any(x).(type) {
	case float64:
		return [2]uint64{math.Float64bits(x)}
	case complex64:
		return [2]uint64{uint64(math.Float32bits(real(x))), uint64(math.Float32bits(imag(x)))}
	case complex128:
		return [2]uint64{math.Float64bits(real(x)), math.Float64bits(imag(x))}
	}
	panic("no panels of these numbers are compared")
}

// TestPanelQRTwoWorkgroups checks workgroups that wait for each other on every device that runs two
// of them at the same time. A CPU driver with two threads does so, although it reports no compute
// units.
func TestPanelQRTwoWorkgroups(t *testing.T) {
	tune := SmallestTuning().Panel
	tune.Groups, tune.Polls = 2, 1<<26
	d := stagetest.Device(t)
	if !d.Info().Int64Atomics() {
		t.Skip("no workgroup waits for another one on this device")
	}
	if info, err := panelsMeet[float64](context.Background(), d, 8, tune, func() {}); err != nil || info != 0 {
		t.Skipf("two workgroups did not run at the same time: INFO = %d, %v", info, err)
	}
	t.Run("float64", func(t *testing.T) {
		twoWorkgroups(t, d, tune, func(m, b int) []float64 { return randomPanel(m, b, panelKinds[0].at) })
	})
	t.Run("complex128", func(t *testing.T) {
		twoWorkgroups(t, d, tune, func(m, b int) []complex128 { return randomComplexPanel(m, b, complexPanels[0].at) })
	})
	t.Run("complex64", func(t *testing.T) {
		twoWorkgroups(t, d, tune, func(m, b int) []complex64 {
			return stagetest.ComplexOf[complex64](randomComplexPanel(m, b, complexPanels[0].at))
		})
	})
}

func twoWorkgroups[T spirv.Scalar](t *testing.T, d *vk.Device, tune Tuning, random func(m, b int) []T) {
	for _, s := range [][2]int{{9, 8}, {20, 3}, {50, 8}} {
		m, b := s[0], s[1]
		var results [2][3][]T
		for i, together := range []bool{false, true} {
			q, err := newPanelQR[T](d, b, together, tune)
			if err != nil {
				t.Fatal(err)
			}
			q.tall = q.whole
			results[i][0], results[i][1], results[i][2] = factored(t, d, q, m, random(m, b))
		}
		sameBits(t, fmt.Sprintf("%d×%d", m, b), results[1], results[0])
	}
}

// TestPanelQRWholeOfNaN checks that a NaN in the panel gives NaN in the result and does not make a
// workgroup wait. All bits of the NaN are set. The kernel uses the same bits to mark a word of
// memory in which no workgroup has stored a number yet.
func TestPanelQRWholeOfNaN(t *testing.T) {
	const m, b = 30, 4
	nan := math.Float64frombits(math.MaxUint64)
	wholeOfNaN(t, randomPanel(m, b, func(_, _ int, _ float64) float64 { return nan }), m, b)
	for _, z := range []complex128{complex(nan, 1), complex(1, nan), complex(nan, nan)} {
		panel := randomComplexPanel(m, b, func(_, _ int, _ complex128) complex128 { return z })
		wholeOfNaN(t, panel, m, b)
		wholeOfNaN(t, stagetest.ComplexOf[complex64](panel), m, b)
	}
}

func wholeOfNaN[T spirv.Scalar](t *testing.T, panel []T, m, b int) {
	t.Helper()
	tune := SmallestTuning()
	tune.Panel.Groups, tune.Panel.Whole, tune.Panel.Polls = 1, true, 1<<16
	if _, r, _ := panelQR(t, m, b, panel, tune); !slices.ContainsFunc(r, stagetest.IsNaN[T]) {
		t.Errorf("R = %v", r)
	}
}

// TestPanelQRWaitsOnlyWhereAllRun checks that workgroups wait for each other only if all of them
// run at the same time. If the device lacks 64-bit atomic operations, or has fewer compute units
// than the panel has workgroups, there must be one dispatch for each column. With the tables of all
// other vendors than NVIDIA there must always be one dispatch for each column.
func TestPanelQRWaitsOnlyWhereAllRun(t *testing.T) {
	atomics := []string{"shaderBufferInt64Atomics"}
	for _, c := range []struct {
		info vk.Info
		want bool
	}{
		{vk.Info{Units: 132, Features: atomics}, true}, {vk.Info{Units: 128, Features: atomics}, true},
		{vk.Info{Units: 127, Features: atomics}, false}, {vk.Info{Features: atomics}, false}, {vk.Info{Units: 132}, false},
	} {
		tune := tuningFor("nvidia").Panel
		tune.Whole = true
		if have := tune.together(c.info); have != c.want {
			t.Errorf("%d units, %v: %v", c.info.Units, c.info.Features, have)
		}
	}
	for _, family := range []string{"amd", "intel", "apple", "cpu", "other"} {
		if tuningFor(family).Panel.Whole {
			t.Errorf("%s: nothing is known of what runs at once", family)
		}
	}
}

// BenchmarkPanelQR measures one dispatch per column and one dispatch for all columns alternately,
// by the device's clock: go test -bench PanelQR ./stages/panel.
func BenchmarkPanelQR(b *testing.B) {
	b.Run("float64", func(b *testing.B) {
		benchmarkPanelQR(b, func(m, n int) []float64 { return randomPanel(m, n, panelKinds[0].at) })
	})
	b.Run("complex128", func(b *testing.B) {
		benchmarkPanelQR(b, func(m, n int) []complex128 { return randomComplexPanel(m, n, complexPanels[0].at) })
	})
	b.Run("complex64", func(b *testing.B) {
		benchmarkPanelQR(b, func(m, n int) []complex64 {
			return stagetest.ComplexOf[complex64](randomComplexPanel(m, n, complexPanels[0].at))
		})
	})
}

func benchmarkPanelQR[T spirv.Scalar](b *testing.B, random func(m, n int) []T) {
	d := stagetest.Device(b)
	const cols = 32
	for _, m := range []int{1024, 4096, 8192, 16384, 32768} {
		if d.Info().Type == "cpu" && m > 1024 {
			break
		}
		a, r, tau := vk.Reserve[T]("panel", m*cols), vk.Reserve[T]("r", cols*cols), vk.Reserve[T]("tau", cols)
		for _, whole := range []bool{false, true} {
			tune := TuningFor(d.Info())
			tune.Panel.Whole, tune.Panel.Polls = whole, 1<<22
			q, err := NewQR[T](d, cols, tune.Waits.Waiting(b, d), tune.Panel)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%d×%d/whole %v", m, cols, q.whole != nil), func(b *testing.B) {
				ws, err := d.NewArena(vk.Together(a, r, tau, q.Work(), q.Status()))
				if err != nil {
					b.Fatal(err)
				}
				defer ws.Close()
				panel := random(m, cols)
				rec := vk.NewRecorder(d)
				rec.Phase("panel", 0, 1)
				q.Record(rec, ws, product.NewMatrix(a.In(ws), m, cols, m), product.NewMatrix(r.In(ws), cols, cols, cols), tau.In(ws))
				seconds := 0.0
				for b.Loop() {
					stagetest.Put(b, d, a.In(ws), panel)
					seconds += stagetest.Run(b, d, rec).Total()
				}
				b.ReportMetric(seconds/float64(b.N)*1e6, "µs/panel")
			})
		}
	}
}

// TestPanelQRWholeGivesUp checks a factorisation in which a workgroup waits for another workgroup
// that does not run. The wait must end after the poll limit, and INFO must name the column.
func TestPanelQRWholeGivesUp(t *testing.T) {
	t.Run("float64", func(t *testing.T) { wholeGivesUp(t, randomPanel(30, 4, panelKinds[0].at), math.MaxUint64) })
	panel := randomComplexPanel(30, 4, complexPanels[0].at)
	t.Run("complex64", func(t *testing.T) { wholeGivesUp(t, stagetest.ComplexOf[complex64](panel), math.MaxUint64) })
	for i, parts := range [][]uint64{{math.MaxUint64}, {math.MaxUint64, 0}, {0, math.MaxUint64}} {
		t.Run(fmt.Sprintf("complex128, %d", i), func(t *testing.T) { wholeGivesUp(t, panel, parts...) })
	}
}

// wholeGivesUp factors a 30×4 panel with two workgroups, of which only the first one runs. The
// workgroups exchange numbers through 64-bit words (slots). Before the dispatch the words hold the
// numbers in `empty`, one after another, in a cycle.
func wholeGivesUp[T spirv.Scalar](t *testing.T, panel []T, empty ...uint64) {
	d, tune := stagetest.Device(t), SmallestTuning()
	tune.Panel.Groups, tune.Panel.Whole, tune.Panel.Polls = 1, true, 1<<10
	const m, b, groups = 30, 4, 2
	q, err := NewQR[T](d, b, tune.Waits.Waiting(t, d), tune.Panel)
	if err != nil {
		t.Fatal(err)
	}
	a, r, tau := vk.Reserve[T]("panel", m*b), vk.Reserve[T]("r", b*b), vk.Reserve[T]("tau", b)
	slots := vk.Reserve[uint64]("slots", slotsOf[T]()*b*b*(1+groups))
	exponents, state := vk.Reserve[int32]("exponents", 1+groups), vk.Reserve[T]("state", b*(1+groups))
	ws := stagetest.Arena(t, d, vk.Together(a, r, tau, slots, exponents, state, q.Status()))
	stagetest.Put(t, d, a.In(ws), panel)
	stagetest.Put(t, d, slots.In(ws), slices.Repeat(empty, slots.In(ws).Len()/len(empty)))
	rec := vk.NewRecorder(d)
	vk.Fill(rec, q.Info(ws), 0)
	vk.Fill(rec, exponents.In(ws), 0)
	vk.Fill(rec, state.In(ws), 0)
	q.whole.Dispatch(rec, vk.Grid(groups-1), shaders.GeqrfPanelWholePush[T]{
		Panel: a.In(ws).Addr(), State: state.In(ws).Addr(), Slots: slots.In(ws).Addr(), Exponents: exponents.In(ws).Addr(),
		R: r.In(ws).Addr(), Tau: tau.In(ws).Addr(), Info: q.Info(ws).Addr(), AbortWord: d.Abort(),
		M: m, Ld: m, Ldr: b, Rows: m, Groups: groups, Polls: tune.Panel.Polls,
	})
	stagetest.Run(t, d, rec)
	if info := stagetest.Get(t, d, q.Info(ws))[0]; info != 1+1 {
		t.Errorf("INFO = %d, column 1 was waited for", info)
	}
}
