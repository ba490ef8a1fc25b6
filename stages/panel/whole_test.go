package panel

import (
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TestPanelQRWhole factors panels with one dispatch for all columns and with one dispatch for each
// column. The bits must be the same for every panel. The test uses several workgroups only if the
// device has as many compute units.
func TestPanelQRWhole(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	groups := []int{1}
	for _, g := range []int{3, 70} {
		if g <= stagetest.Device(t).Info().Units {
			groups = append(groups, g)
		}
	}
	for _, g := range groups {
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

// TestPanelQRWholeLarge checks panels with 32 columns. On a GPU it uses the device's own tuning. A
// workgroup has one chunk of rows in some cases, and several chunks in others.
func TestPanelQRWholeLarge(t *testing.T) {
	const b = 32
	tune := TuningFor(stagetest.Device(t).Info())
	tune.Panel.Groups, tune.Panel.Polls = min(tune.Panel.Groups, max(stagetest.Device(t).Info().Units, 1)), 1<<24
	for _, m := range []int{b + 1, 100, 2345} {
		sameFactors(t, fmt.Sprintf("%d×%d", m, b), m, b, randomPanel(m, b, panelKinds[0].at), tune)
	}
	if tune.Panel.Groups > 1 {
		m := tune.Panel.Groups*int(panelSpec[float64](tune.Panel, b).Chunk) + 77
		sameFactors(t, fmt.Sprintf("%d×%d", m, b), m, b, randomPanel(m, b, panelKinds[0].at), tune)
	}
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
	for _, c := range []struct {
		name      string
		got, want []T
	}{{"Y", y, wantY}, {"R", r, wantR}, {"τ", tau, wantTau}} {
		for i := range c.want {
			if bitsOf(c.got[i]) != bitsOf(c.want[i]) {
				t.Fatalf("%s: %s[%d] = %v, a dispatch a column gives %v", where, c.name, i, c.got[i], c.want[i])
			}
		}
	}
}

// bitsOf returns the bits of both parts of a number.
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

// TestPanelQRWholeOfNaN checks that a NaN in the panel gives NaN in the result and does not make a
// workgroup wait.
func TestPanelQRWholeOfNaN(t *testing.T) {
	tune := SmallestTuning()
	tune.Panel.Groups, tune.Panel.Whole, tune.Panel.Polls = 1, true, 1<<16
	const m, b = 30, 4
	panel := randomPanel(m, b, func(_, _ int, _ float64) float64 { return math.Float64frombits(math.MaxUint64) })
	if _, r, _ := panelQR(t, m, b, panel, tune); !math.IsNaN(r[0]) {
		t.Errorf("R(0, 0) = %g", r[0])
	}
}

// TestPanelQRWaitsOnlyWhereAllRun checks that workgroups wait for each other only if all of them
// run at the same time. If the device has fewer compute units than the panel has workgroups, there
// must be one dispatch for each column.
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
// by the device's clock: go test -bench PanelQR ./stages.
func BenchmarkPanelQR(b *testing.B) {
	d := stagetest.Device(b)
	const cols = 32
	for _, m := range []int{1024, 4096, 8192, 16384, 32768} {
		if d.Info().Type == "cpu" && m > 1024 {
			break
		}
		a, r, tau := vk.Reserve[float64]("panel", m*cols), vk.Reserve[float64]("r", cols*cols), vk.Reserve[float64]("tau", cols)
		for _, whole := range []bool{false, true} {
			tune := TuningFor(d.Info())
			tune.Panel.Whole, tune.Panel.Polls = whole, 1<<22
			q, err := NewQR[float64](d, cols, tune.Waits.Waiting(b, d), tune.Panel)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%d×%d/whole %v", m, cols, q.whole != nil), func(b *testing.B) {
				ws, err := d.NewArena(vk.Together(a, r, tau, q.Work(), q.Status()))
				if err != nil {
					b.Fatal(err)
				}
				defer ws.Close()
				panel := randomPanel(m, cols, panelKinds[0].at)
				rec := vk.NewRecorder(d)
				rec.Phase("panel", 0, 1)
				q.Record(rec, ws, stages.NewMatrix(a.In(ws), m, cols, m), stages.NewMatrix(r.In(ws), cols, cols, cols), tau.In(ws))
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
	d, tune := stagetest.Device(t), SmallestTuning()
	tune.Panel.Groups, tune.Panel.Whole, tune.Panel.Polls = 1, true, 1<<10
	const m, b, groups = 30, 4, 2
	q, err := NewQR[float64](d, b, tune.Waits.Waiting(t, d), tune.Panel)
	if err != nil {
		t.Fatal(err)
	}
	a, r, tau := vk.Reserve[float64]("panel", m*b), vk.Reserve[float64]("r", b*b), vk.Reserve[float64]("tau", b)
	slots := vk.Reserve[uint64]("slots", b*b*(1+groups))
	exponents, state := vk.Reserve[int32]("exponents", 1+groups), vk.Reserve[float64]("state", b*(1+groups))
	ws := stagetest.Arena(t, d, vk.Together(a, r, tau, slots, exponents, state, q.Status()))
	stagetest.Put(t, d, a.In(ws), randomPanel(m, b, panelKinds[0].at))
	rec := vk.NewRecorder(d)
	vk.Fill(rec, q.Info(ws), 0)
	vk.Fill(rec, exponents.In(ws), 0)
	vk.Fill(rec, state.In(ws), 0)
	vk.Fill(rec, slots.In(ws), math.MaxUint32)
	q.whole.Dispatch(rec, vk.Grid(groups-1), shaders.GeqrfPanelWholePush[float64]{
		Panel: a.In(ws).Addr(), State: state.In(ws).Addr(), Slots: slots.In(ws).Addr(), Exponents: exponents.In(ws).Addr(),
		R: r.In(ws).Addr(), Tau: tau.In(ws).Addr(), Info: q.Info(ws).Addr(), AbortWord: d.Abort(),
		M: m, Ld: m, Ldr: b, Rows: m, Groups: groups, Polls: tune.Panel.Polls,
	})
	stagetest.Run(t, d, rec)
	if info := stagetest.Get(t, d, q.Info(ws))[0]; info != 1+1 {
		t.Errorf("INFO = %d, column 1 was waited for", info)
	}
}
