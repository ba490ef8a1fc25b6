package vk_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// neighbours is a guarded arena with four regions. The kernel probe_fma uses the regions `factors`
// and `fused`. These lie between the regions `first` and `last`, which no kernel may change.
type neighbours struct {
	d           *vk.Device
	a           *vk.Arena
	first, last vk.Region[uint64]
	factors     vk.Region[float64]
	fused       vk.Region[uint32]
	kernel      *vk.Kernel[shaders.ProbeFmaSpec, shaders.ProbeFmaPush]
	other       *vk.Kernel[shaders.RandomFillSpec, shaders.RandomFillPush[float64]]
}

// `down` downloads a region to the host.
func down[T any](t *testing.T, d *vk.Device, from vk.Slice[T]) []T {
	t.Helper()
	v := make([]T, from.Len())
	if err := vk.Download(context.Background(), d, vk.Vector(v), from); err != nil {
		t.Fatal(err)
	}
	return v
}

// probing makes a guarded arena for the given numbers of input pairs and results of the kernel
// probe_fma. The sizes of all regions are multiples of the regions' alignment, so that no padding
// follows a region.
//
// If the device has buffers of at most maxBuffer bytes, and this is less than the guard bytes
// between two regions, then each region is paged.
func probing(t *testing.T, pairs, results int, maxBuffer uint64) *neighbours {
	t.Helper()
	ctx, n := context.Background(), &neighbours{d: open(t, vk.Options{DebugShaders: true, MaxBuffer: maxBuffer})}
	n.first, n.last = vk.Reserve[uint64]("first", 32), vk.Reserve[uint64]("last", 32)
	n.factors, n.fused = vk.Reserve[float64]("factors", 2*pairs), vk.Reserve[uint32]("fused", results)
	var err error
	if n.a, err = n.d.NewGuardedArena(vk.Together(n.first, n.factors, n.fused, n.last)); err != nil {
		t.Fatal(err)
	}
	if n.kernel, err = vk.Build(n.d, shaders.ProbeFma(), shaders.ProbeFmaDefaults()); err != nil {
		t.Fatal(err)
	}
	if n.other, err = vk.Build(n.d, shaders.RandomFill[float64](), shaders.RandomFillDefaults()); err != nil {
		t.Fatal(err)
	}
	rec := vk.NewRecorder(n.d)
	n.a.Poison(rec)
	if _, err = n.d.Run(ctx, rec, nil); err != nil {
		t.Fatal(err)
	}
	x := make([]float64, n.factors.Len())
	for i := range x {
		x[i] = 1 + float64(i)*0x1p-30
	}
	if err := vk.Upload(ctx, n.d, n.factors.In(n.a), vk.Vector(x)); err != nil {
		t.Fatal(err)
	}
	return n
}

// run runs the kernel probe_fma, checks that only the results change, and returns the error of Run.
func (n *neighbours) run(t *testing.T, push shaders.ProbeFmaPush) error {
	t.Helper()
	first, last, factors := down(t, n.d, n.first.In(n.a)), down(t, n.d, n.last.In(n.a)), down(t, n.d, n.factors.In(n.a))
	rec := vk.NewRecorder(n.d)
	rec.Phase("quiet", 0, 2)
	vk.Fill(rec, n.fused.In(n.a), 7)
	n.other.Dispatch(rec, vk.Grid(1), shaders.RandomFillPush[float64]{Rows: 1}) // of no column
	rec.Phase("loud", 1, 2)
	n.kernel.Dispatch(rec, vk.Grid(1), push)
	rec.Phase("end", 2, 2)
	_, err := n.d.Run(context.Background(), rec, nil)
	if !slices.Equal(first, down(t, n.d, n.first.In(n.a))) || !slices.Equal(last, down(t, n.d, n.last.In(n.a))) ||
		!slices.Equal(factors, down(t, n.d, n.factors.In(n.a))) {
		t.Error("a region that the kernel has no business in has changed")
	}
	if err := n.a.CheckGuards(context.Background()); err != nil {
		t.Error(err)
	}
	return err
}

// The kernel probe_fma reads or writes an element past the end of a region, before its beginning or
// across its end, or at the address 0. Run returns an error that names the kernel, the phase, the
// region and the distance of the access from the region. The kernel changes only results that are
// in range.
func TestAccessesOutOfRange(t *testing.T) {
	const pairs, results = 16, 64 // 256 bytes each
	for _, c := range []struct {
		name string
		push func(n *neighbours) shaders.ProbeFmaPush
		want vk.OutOfRangeError
		text string
		kept int // results that are not written
	}{
		{"a load", func(n *neighbours) shaders.ProbeFmaPush {
			return shaders.ProbeFmaPush{Factors: n.factors.In(n.a).Addr(), Fused: n.fused.In(n.a).Addr(), Pairs: pairs + 1}
		}, vk.OutOfRangeError{Access: "load", Bytes: 8, Of: "Factors.at", Invocation: [3]uint32{pairs}, Region: "factors", Size: 256, Offset: 256},
			`load of 8 bytes of Factors.at in main, 0 bytes past the end of region "factors" (invocation 16,0,0)`, results - pairs - 1},
		{"a store", func(n *neighbours) shaders.ProbeFmaPush {
			return shaders.ProbeFmaPush{Factors: n.factors.In(n.a).Addr(), Fused: n.fused.In(n.a).Addr().Plus(results - pairs + 1), Pairs: pairs}
		}, vk.OutOfRangeError{Access: "store", Bytes: 4, Of: "Fused.at", Invocation: [3]uint32{pairs - 1}, Region: "fused", Size: 256, Offset: 256},
			`store of 4 bytes of Fused.at in main, 0 bytes past the end of region "fused" (invocation 15,0,0)`, results - pairs + 1},
		{"a load before", func(n *neighbours) shaders.ProbeFmaPush {
			return shaders.ProbeFmaPush{Factors: n.factors.In(n.a).Addr().Plus(-1), Fused: n.fused.In(n.a).Addr(), Pairs: 1}
		}, vk.OutOfRangeError{Access: "load", Bytes: 8, Of: "Factors.at", Region: "factors", Size: 256, Offset: -8},
			`load of 8 bytes of Factors.at in main, 8 bytes before the beginning of region "factors" (invocation 0,0,0)`, results - 1},
		{"a load across the end", func(n *neighbours) shaders.ProbeFmaPush {
			return shaders.ProbeFmaPush{Factors: n.factors.In(n.a).Addr().Plus(2*pairs-2) + 4, Fused: n.fused.In(n.a).Addr(), Pairs: 1}
		}, vk.OutOfRangeError{Access: "load", Bytes: 8, Of: "Factors.at", Region: "factors", Size: 256, Offset: 252},
			`load of 8 bytes of Factors.at in main, the last 4 of them past the end of region "factors" (invocation 0,0,0)`, results - 1},
		{"no address", func(n *neighbours) shaders.ProbeFmaPush {
			return shaders.ProbeFmaPush{Factors: n.factors.In(n.a).Addr(), Pairs: 1}
		}, vk.OutOfRangeError{Access: "store", Bytes: 4, Of: "Fused.at"},
			`store of 4 bytes of Fused.at in main, 0 bytes from the null address (invocation 0,0,0)`, results},
	} {
		outOfRange := func(t *testing.T, maxBuffer uint64) {
			n := probing(t, pairs, results, maxBuffer)
			push := c.push(n)
			err := n.run(t, push)
			var have *vk.OutOfRangeError
			var where *vk.Error
			if !errors.As(err, &have) || !errors.As(err, &where) {
				t.Fatalf("the error is %v", err)
			}
			if where.Kernel != "probe_fma" || where.Phase != "loud" {
				t.Errorf("kernel %q, phase %q", where.Kernel, where.Phase)
			}
			want := c.want
			want.Kernel, want.Function, want.Address = "probe_fma", "main", have.Address
			if want.Region == "" { // near address 0 no region is meant
				want.Region, want.Size, want.Offset = have.Region, have.Size, have.Offset
			}
			if *have != want {
				t.Errorf("have %+v\nwant %+v", *have, want)
			}
			if text := "vulkan: memory access of kernel probe_fma in phase loud: " + c.text; err.Error() != text {
				t.Errorf("have %v\nwant %v", err, text)
			}
			kept := 0
			for _, v := range down(t, n.d, n.fused.In(n.a)) {
				if v == 7 {
					kept++
				}
			}
			if kept != c.kept {
				t.Errorf("%d of %d results are not written, not %d", kept, results, c.kept)
			}
			// The next run must have no error.
			good := shaders.ProbeFmaPush{Factors: n.factors.In(n.a).Addr(), Fused: n.fused.In(n.a).Addr(), Pairs: pairs}
			if err := n.run(t, good); err != nil {
				t.Errorf("in range: %v", err)
			}
		}
		t.Run(c.name, func(t *testing.T) { outOfRange(t, 0) })
		t.Run(c.name+", paged", func(t *testing.T) { outOfRange(t, 1<<12) })
	}
}

// The kernel probe_progress has atomic operations, and loads and stores with operands of the Vulkan
// memory model. If an atomic operation is out of range, Run returns an error that names it. If all
// accesses are in range, including accesses to the abort word, workgroups exchange data as they do
// without checks.
func TestAtomicsOutOfRange(t *testing.T) {
	for name, maxBuffer := range map[string]uint64{"plain": 0, "paged": 1 << 12} {
		t.Run(name, func(t *testing.T) { atomicsOutOfRange(t, maxBuffer) })
	}
}

func atomicsOutOfRange(t *testing.T, maxBuffer uint64) {
	ctx, d := context.Background(), open(t, vk.Options{DebugShaders: true, MaxBuffer: maxBuffer})
	spec := shaders.ProbeProgressDefaults()
	const groups = 3
	words, flags := vk.Reserve[uint32]("words", 2), vk.Reserve[uint32]("flags", groups*int(spec.FlagStride))
	data := vk.Reserve[uint32]("data", groups*int(spec.Rounds*spec.LocalSize))
	a, err := d.NewArena(vk.Together(words, flags, data))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	k, err := vk.Build(d, shaders.ProbeProgress(), spec)
	if err != nil {
		t.Fatal(err)
	}
	probe := func(workgroups int) (uint32, error) {
		rec := vk.NewRecorder(d)
		rec.Phase("probe", 0, 1)
		vk.Fill(rec, words.In(a), 0)
		vk.Fill(rec, flags.In(a), 0)
		w := words.In(a)
		k.Dispatch(rec, vk.Grid(workgroups), shaders.ProbeProgressPush{
			Ticket: w.Addr(), Info: w.From(1).Addr(), Flags: flags.In(a).Addr(), AbortWord: d.Abort(), Data: data.In(a).Addr(), Polls: 1 << 20,
		})
		info := []uint32{7}
		vk.Receive(rec, info, w.From(1))
		_, err := d.Run(ctx, rec, nil)
		return info[0], err
	}
	if info, err := probe(groups); err != nil || info != 0 {
		t.Errorf("in range: INFO = %d, %v", info, err)
	}
	var have *vk.OutOfRangeError
	w := words.In(a)
	rec := vk.NewRecorder(d)
	k.Dispatch(rec, vk.Grid(1), shaders.ProbeProgressPush{
		Ticket: w.Sub(2, 0).Addr(), Info: w.From(1).Addr(), Flags: flags.In(a).Addr(), AbortWord: d.Abort(), Data: data.In(a).Addr(), Polls: 1 << 10,
	})
	if _, err := d.Run(ctx, rec, nil); !errors.As(err, &have) || have.Access != "atomic" || have.Region != "words" || have.Offset != 8 || have.Bytes != 4 {
		t.Errorf("a ticket behind the end: %v", err)
	}
	// If one workgroup too many runs, the last workgroup writes its data or its flag out of range.
	if _, err := probe(groups + 1); !errors.As(err, &have) || have.Kernel != "probe_progress" || have.Region != "data" && have.Region != "flags" || uint64(have.Offset) < have.Size {
		t.Errorf("a workgroup too many: %v", err)
	}
}

// The function InTurn lets two regions share their bytes, but with Options.DebugShaders the regions
// are checked separately. An access past the end of the shorter region is out of range, although
// the longer region has these bytes.
func TestRegionsInTurnAreToldApart(t *testing.T) {
	ctx, d := context.Background(), open(t, vk.Options{DebugShaders: true})
	long, short := vk.Reserve[float64]("long", 64), vk.Reserve[float64]("short", 32)
	fused := vk.Reserve[uint32]("fused", 64)
	a, err := d.NewArena(vk.Together(vk.InTurn(long, short), fused))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	k, err := vk.Build(d, shaders.ProbeFma(), shaders.ProbeFmaDefaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from vk.Region[float64]
		want bool
	}{{long, false}, {short, true}} {
		rec := vk.NewRecorder(d)
		vk.Fill(rec, c.from.In(a), 0)
		k.Dispatch(rec, vk.Grid(1), shaders.ProbeFmaPush{Factors: c.from.In(a).Addr(), Fused: fused.In(a).Addr(), Pairs: 17})
		_, err := d.Run(ctx, rec, nil)
		if have := errors.As(err, new(*vk.OutOfRangeError)); have != c.want {
			t.Errorf("reading 34 of %d elements: %v", c.from.Len(), err)
		}
	}
}

// With Options.DebugShaders, accesses to the regions of a closed arena are out of range. Accesses
// to the regions of an arena that is made later are in range.
func TestRangesFollowTheArenas(t *testing.T) {
	ctx, d := context.Background(), open(t, vk.Options{DebugShaders: true})
	k, err := vk.Build(d, shaders.ProbeFma(), shaders.ProbeFmaDefaults())
	if err != nil {
		t.Fatal(err)
	}
	factors, fused := vk.Reserve[float64]("factors", 64), vk.Reserve[uint32]("fused", 32)
	run := func(push shaders.ProbeFmaPush) error {
		rec := vk.NewRecorder(d)
		k.Dispatch(rec, vk.Grid(1), push)
		_, err := d.Run(ctx, rec, nil)
		return err
	}
	var last shaders.ProbeFmaPush
	for i := range 3 {
		a, err := d.NewArena(vk.Together(factors, fused))
		if err != nil {
			t.Fatal(err)
		}
		last = shaders.ProbeFmaPush{Factors: factors.In(a).Addr(), Fused: fused.In(a).Addr(), Pairs: 32}
		if err := run(last); err != nil {
			t.Errorf("arena %d: %v", i, err)
		}
		a.Close()
	}
	if err := run(last); !errors.As(err, new(*vk.OutOfRangeError)) {
		t.Errorf("a closed arena: %v", err)
	}
}

// Kernels whose memory accesses are checked (Options.DebugShaders) are not written to the cache of
// compiled kernels.
func TestDebugShadersKeepNoCache(t *testing.T) {
	dir := t.TempDir()
	probe(t, vk.Options{CacheDir: dir, DebugShaders: true})
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), CacheDir: dir, DebugShaders: true})
	if err != nil {
		t.Fatal(err)
	}
	d.ProbeOnce("x", func() (string, error) { return "y", nil })
	d.Close()
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) > 0 {
		t.Errorf("left in the cache: %s", strings.Join(files, ", "))
	}
}
