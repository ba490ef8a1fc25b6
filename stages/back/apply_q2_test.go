package back

import (
	"errors"
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// q2Case is a test case of ApplyQ2: reflectors that package ref computed, and vectors as rows.
type q2Case struct {
	n, b, m, ld int
	v, tau      []float64
	xt          []float64 // m×n, with NaN in the padding
}

func newQ2Case(n, b, m int) q2Case {
	_, _, v, tau := ref.BulgeChasing(n, b, stagetest.RandomBand(n, b))
	c := q2Case{n: n, b: b, m: m, ld: m + 3, v: v, tau: tau}
	c.xt = make([]float64, c.ld*n)
	for i := range c.xt {
		c.xt[i] = math.NaN()
	}
	for r := range n {
		for k := range m {
			c.xt[k+r*c.ld] = math.Sin(float64(1 + k*n + r))
		}
	}
	return c
}

// identity overwrites X with the identity matrix, and returns the test case. The number of vectors
// m must be equal to the order n.
func (c q2Case) identity() q2Case {
	for r := range c.n {
		for k := range c.m {
			c.xt[k+r*c.ld] = 0
		}
		c.xt[r+r*c.ld] = 1
	}
	return c
}

// columns returns the vectors, which are the rows of xt, as the columns of a packed matrix.
func (c q2Case) columns(xt []float64) []float64 {
	x := make([]float64, c.n*c.m)
	for k := range c.m {
		for r := range c.n {
			x[r+k*c.n] = xt[k+r*c.ld]
		}
	}
	return x
}

type q2Bench struct {
	*ApplyQ2[float64]
	ws         *vk.Arena
	v, tau, xt vk.Slice[float64]
}

func (c q2Case) bench(t testing.TB, op product.Op, tune ApplyQ2Tuning) q2Bench {
	t.Helper()
	dev, prepare := stagetest.Device(t), NewApplyQ2[float64]
	if op == product.Adjoint {
		prepare = NewApplyQ2Adjoint[float64]
	}
	s, err := prepare(dev, Size{c.n, c.b, c.m}, roomtest.Waits{}.Waiting(t, dev), tune)
	if err != nil {
		t.Fatal(err)
	}
	v, tau, xt := vk.Reserve[float64]("v", len(c.v)), vk.Reserve[float64]("tau", len(c.tau)), vk.Reserve[float64]("x", len(c.xt))
	ws := stagetest.Arena(t, dev, vk.Together(s.Work(), v, tau, xt))
	stagetest.Put(t, dev, v.In(ws), c.v)
	stagetest.Put(t, dev, tau.In(ws), c.tau)
	stagetest.Put(t, dev, xt.In(ws), c.xt)
	return q2Bench{s, ws, v.In(ws), tau.In(ws), xt.In(ws)}
}

// apply runs ApplyQ2 on the test case and returns all elements of the vectors, including the
// padding.
func (c q2Case) apply(t testing.TB, op product.Op, tune ApplyQ2Tuning) []float64 {
	t.Helper()
	dev, s := stagetest.Device(t), c.bench(t, op, tune)
	rec := vk.NewRecorder(dev)
	s.Record(rec, s.ws, stages.Reflectors[float64]{V: s.v, Tau: s.tau}, stages.NewMatrix(s.xt, c.m, c.n, c.ld))
	stagetest.Run(t, dev, rec)
	if word := s.Info(s.ws); word.Len() > 0 {
		if info := stagetest.Get(t, dev, word); info[0] != 0 {
			t.Fatalf("INFO %d", info[0])
		}
	}
	got := stagetest.Get(t, dev, s.xt)
	for r := range c.n {
		for k := c.m; k < c.ld; k++ {
			if !math.IsNaN(got[k+r*c.ld]) {
				t.Fatalf("n=%d b=%d m=%d: padding written", c.n, c.b, c.m)
			}
		}
	}
	return got
}

const q2Threshold = 2

// q2Tunings returns tunings that reach every path of the kernel. Among them are groups of one
// sweep, and groups with more and with fewer sweeps than the band has subdiagonals.
func q2Tunings() []ApplyQ2Tuning {
	return []ApplyQ2Tuning{
		SmallestTuning().ApplyQ2,
		{Threads: 4, Group: 2, Chunk: 2, Batch: 2, Dispatch: 1},
		{Threads: 4, Group: 4, Chunk: 2, Batch: 2, Dispatch: 1e3},
		{Threads: 8, Group: 12, Chunk: 4, Batch: 4, Dispatch: 1e9},
		{Flags: true, Workgroups: 2, Polls: 1 << 30, Threads: 8, Group: 6, Chunk: 6, Batch: 6, Dispatch: 1e9},
		{Threads: 8, Pipe: 4, Lanes: 1000, Group: 4, Chunk: 2, Batch: 2, Dispatch: 1e9},
		{Threads: 8, Pipe: 2, Lanes: 1000, Group: 8, Chunk: 4, Batch: 2, Dispatch: 2e3},
		{Flags: true, Workgroups: 5, Polls: 1 << 30, Threads: 4, Group: 4, Chunk: 4, Batch: 4, Dispatch: 2e3},
		{Flags: true, Workgroups: 5, Polls: 1 << 30, Threads: 4, Group: 2, Chunk: 2, Batch: 2, Private: true, Dispatch: 1e9},
		// With the next four tunings, several invocations share a vector if the half-bandwidth is
		// large enough.
		{Threads: 8, Group: 4, Chunk: 2, Batch: 2, Rows: 2, Dispatch: 1e4},
		{Flags: true, Workgroups: 3, Polls: 1 << 30, Threads: 8, Group: 4, Chunk: 4, Batch: 4, Rows: 2, Private: true, Dispatch: 1e9},
		{Threads: 8, Pipe: 2, Lanes: 1000, Group: 8, Chunk: 4, Batch: 4, Rows: 1, Dispatch: 1e9},
		{Flags: true, Workgroups: 2, Polls: 1 << 30, Threads: 16, Group: 4, Chunk: 4, Batch: 4, Rows: 1, Dispatch: 2e3},
		// With the last two tunings, a workgroup has several subgroups. CPU drivers run one
		// subgroup after another, each up to the next barrier. So with these tunings a missing
		// barrier gives wrong results.
		{Flags: true, Workgroups: 3, Polls: 1 << 30, Threads: 32, Group: 4, Chunk: 2, Batch: 2, Rows: 2, Dispatch: 1e9},
		{Threads: 32, Pipe: 2, Lanes: 1000, Group: 4, Chunk: 2, Batch: 2, Dispatch: 1e9},
	}
}

// TestApplyQ2 compares Q2·X and Q2ᵀ·X with package ref. The error of each vector x is measured in
// units of √n·ulp·‖x‖.
func TestApplyQ2(t *testing.T) {
	when.Skip(t, when.Quick, "TestApplyQ2Squares")
	when.Skip(t, when.Validation, "other tests record the same kernels")
	worst := 0.0
	// some[b] lists the indices of the tunings to test for half-bandwidth b. It is a selection,
	// because compiling kernels takes time. TestApplyQ2Tunings runs all tunings.
	some := [][]int{1: {0}, 2: {0}, 3: {0, 5}, 4: {0, 3, 5, 8, 9, 10, 11}, 5: {4, 9}, 6: {10}, 8: {12}}
	for b := range some {
		for _, i := range some[b] {
			tune := q2Tunings()[i]
			for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 14, 31, 50} {
				m := []int{n, 1, 9, 17, 0}[(n+i)%5]
				c := newQ2Case(n, b, m)
				for _, op := range []product.Op{product.NoTrans, product.Adjoint} {
					want := c.columns(c.xt)
					if op == product.Adjoint {
						ref.ApplyQ2Transposed(n, b, c.v, c.tau, m, want, max(1, n))
					} else {
						ref.ApplyQ2(n, b, c.v, c.tau, m, want, max(1, n))
					}
					got := c.columns(c.apply(t, op, tune))
					for k := range m {
						var diff, norm float64
						for r := range n {
							diff = math.Hypot(diff, got[r+k*n]-want[r+k*n])
							norm = math.Hypot(norm, want[r+k*n])
						}
						err := diff / max(1e-300, norm*ratio.Ulp*math.Sqrt(float64(n)))
						if worst = max(worst, err); !(err < q2Threshold) {
							t.Fatalf("n=%d b=%d m=%d transposed %v, tuning %d: vector %d is off by %.3g √n·ulp", n, b, m, op, i, k, err)
						}
					}
				}
			}
		}
	}
	t.Logf("worst: %.3g √n·ulp", worst)
}

// TestApplyQ2IsOrthogonal applies Q2 and Q2ᵀ to the identity matrix, and checks that the two
// results are orthogonal and transposes of each other.
func TestApplyQ2IsOrthogonal(t *testing.T) {
	const n, b = 41, 4
	c := newQ2Case(n, b, n).identity()
	q, qt := c.columns(c.apply(t, product.NoTrans, q2Tunings()[0])), c.columns(c.apply(t, product.Adjoint, q2Tunings()[0]))
	for _, x := range [][]float64{q, qt} {
		if r := ratio.Orthogonality(n, n, x, n); !(r < q2Threshold) {
			t.Errorf("‖QᵀQ − I‖ %.3g", r)
		}
	}
	for j := range n {
		for i := range n {
			if diff := math.Abs(q[i+j*n] - qt[j+i*n]); !(diff < 1e-14) {
				t.Fatalf("Q2 and Q2ᵀ differ by %g at (%d, %d)", diff, i, j)
			}
		}
	}
}

// TestApplyQ2Tunings checks that the bits of the result do not depend on how many sweeps are
// applied together, nor on how many vectors a workgroup processes at a time. The bits may depend on
// the number of invocations that share a vector, because this number changes the order of the sums
// in dot products.
func TestApplyQ2Tunings(t *testing.T) {
	when.Long(t, "TestApplyQ2, with other sizes of the kernel")
	c := newQ2Case(40, 4, 29)
	for _, op := range []product.Op{product.NoTrans, product.Adjoint} {
		first := map[uint32][]float64{} // by the number of threads that share a vector
		for i, tune := range q2Tunings() {
			spec, err := q2Spec[float64](tune, stagetest.Device(t).Info(), Size{c.n, c.b, c.m}, op)
			if err != nil {
				t.Fatal(err)
			}
			got := c.columns(c.apply(t, op, tune))
			if want, ok := first[spec.Share]; !ok {
				first[spec.Share] = got
			} else if !stagetest.SameBits(got, want) {
				t.Errorf("transposed %v: tuning %d gives other bits", op, i)
			}
		}
	}
}

// TestApplyQ2TunesToTheDevice checks that the sizes of the tuning tables fit the devices. If shared
// memory is too small, q2Spec must first choose smaller sizes. Only if the smallest sizes do not
// fit may q2Spec refuse the device.
func TestApplyQ2TunesToTheDevice(t *testing.T) {
	for _, c := range []struct {
		family       string
		shared, b, m int
		pipe         uint32 // number of teams; 0 if the sizes are refused
	}{
		{"nvidia", 48 << 10, 32, 1 << 14, 1}, {"nvidia", 48 << 10, 64, 100, 1}, {"nvidia", 12 << 10, 32, 100, 1},
		{"cpu", 32 << 10, 16, 100, 1}, {"cpu", 32 << 10, 64, 100, 1}, {"other", 32 << 10, 64, 100, 2}, {"other", 16 << 10, 32, 100, 2}, {"other", 1 << 10, 32, 1, 0},
	} {
		info := vk.Info{Name: c.family, Family: c.family, SharedBytes: c.shared, MaxLocal: 1024}
		s, err := NewApplyQ2[float64](vk.Dry(info), Size{1000, c.b, c.m}, stages.Waiting{Allowed: true}, tuningFor(c.family).ApplyQ2)
		var refused *vk.UnsupportedError
		if c.pipe == 0 {
			if !errors.As(err, &refused) {
				t.Errorf("%s in %d bytes: error %v", c.family, c.shared, err)
			}
		} else if err != nil {
			t.Errorf("%s, b=%d in %d bytes: %v", c.family, c.b, c.shared, err)
		} else if got := s.spec; got.Pipe != c.pipe || mostQ2Shared(t, got) > c.shared {
			t.Errorf("%s, b=%d in %d bytes: %+v", c.family, c.b, c.shared, got)
		}
	}
}

// TestApplyQ2Groups checks that the groups of small problems have few sweeps, so that more groups
// are in flight. It also checks how many invocations share a vector, and that the kernel needs
// little shared memory even for wide bands.
func TestApplyQ2Groups(t *testing.T) {
	info := vk.Info{Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32}
	for _, c := range []struct{ n, b, m, group, share, most int }{
		{1024, 32, 1024, 16, 1, 5 << 10}, {4096, 32, 4096, 32, 1, 5 << 10}, {8192, 32, 8192, 64, 1, 5 << 10}, {32768, 32, 100, 16, 1, 5 << 10},
		{8192, 64, 8192, 64, 2, 9 << 10}, {8192, 128, 8192, 64, 4, 18 << 10}, {8192, 40, 8192, 64, 2, 6 << 10}, {8192, 33, 8192, 64, 1, 5 << 10},
	} {
		s, err := NewApplyQ2[float64](vk.Dry(info), Size{c.n, c.b, c.m}, stages.Waiting{Allowed: true}, tuningFor("nvidia").ApplyQ2)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.spec; int(got.G) != c.group || int(got.Share) != c.share || mostQ2Shared(t, got) > c.most {
			t.Errorf("n=%d b=%d m=%d: groups of %d, %d threads a vector, %d bytes; want %d, %d, at most %d", c.n, c.b, c.m, got.G, got.Share, mostQ2Shared(t, got), c.group, c.share, c.most)
		}
	}
}

// TestApplyQ2AccessesAreNotPrivate checks that no access of the kernel to the vectors is private
// (unordered with other invocations), because a workgroup loads elements that another workgroup has
// stored.
func TestApplyQ2AccessesAreNotPrivate(t *testing.T) {
	for name, code := range map[string][]byte{"flags": shaders.OrmtrQ2Flags[float64]().Code, "teams": shaders.OrmtrQ2Teams[float64]().Code} {
		const input = 2 // V and Tau, which no workgroup writes
		if got := stagetest.AccessesOf(code); got.Loads <= input || got.PrivateLoads != input || got.Stores == 0 || got.PrivateStores != 0 {
			t.Errorf("%s: %+v; want %d private loads, no private store", name, got, input)
		}
	}
}

// TestApplyQ2GivesUp checks a wait that never succeeds. Each group of sweeps waits for the previous
// group. If the first group never runs, the next group must set INFO and end, and all later groups
// must end, too.
func TestApplyQ2GivesUp(t *testing.T) {
	dev := stagetest.Device(t)
	c := newQ2Case(40, 4, 9)
	tune := SmallestTuning().ApplyQ2
	tune.Polls = 300 // a short wait
	s := c.bench(t, product.NoTrans, tune)
	rec := vk.NewRecorder(dev)
	s.flags.Clear(rec, s.ws)
	// Workgroups claim their work by tickets, and the first tickets belong to the first group of
	// sweeps. Filling the counter of tickets marks these tickets as taken, so no workgroup
	// processes the first group.
	vk.Fill(rec, s.flags.Ticket(s.ws, 0), uint32(s.strips(c.m)))
	s.waiting.Dispatch(rec, vk.Grid(2), shaders.OrmtrQ2FlagsPush[float64]{
		X: s.xt.Addr(), V: s.v.Addr(), Tau: s.tau.Addr(), N: uint32(c.n), M: uint32(c.m), Ld: uint32(c.ld),
		Group: uint32(s.place(0)), Groups: 3, Polls: tune.Polls,
		Info: s.Info(s.ws).Addr(), Ticket: s.flags.Ticket(s.ws, 0).Addr(), Flags: s.flags.First(s.ws), AbortWord: dev.Abort(),
	})
	stagetest.Run(t, dev, rec)
	if info := stagetest.Get(t, dev, s.Info(s.ws)); info[0] == 0 {
		t.Error("no INFO")
	}
}

// TestApplyQ2Waits checks that a group of sweeps processes exactly those blocks of reflectors for
// which the previous group has done its part. There are two groups. The test itself sets the flag
// of the first group to a number of finished blocks. The rows that the first group has not finished
// are NaN.
func TestApplyQ2Waits(t *testing.T) {
	const n, b, m, g, end = 60, 4, 3, 4, math.MaxUint32
	dev, c := stagetest.Device(t), newQ2Case(n, b, m)
	blocks := func(group int) int { return vk.Tiles(n-1-group*g, b) }
	for _, tune := range []ApplyQ2Tuning{{}, {Rows: 2}, {Private: true}} {
		// These sizes let one workgroup process all vectors at the same time (one strip), whatever
		// the size of a subgroup is.
		tune.Flags, tune.Workgroups, tune.Polls, tune.Threads, tune.Group, tune.Chunk, tune.Batch, tune.Dispatch = true, 1, 300, 8, g, 4, 2, 1e9
		for _, op := range []product.Op{product.NoTrans, product.Adjoint} {
			s := c.bench(t, op, tune)
			before, after := 6, 5
			if op == product.Adjoint {
				before, after = 5, 6
			}
			for finished := range blocks(before) + 1 {
				// Block j of the second group of sweeps needs block j of the first group.
				want := finished
				if op == product.Adjoint {
					want -= blocks(before) - blocks(after)
				}
				want = max(0, want)
				word, info := uint32(finished), uint32(1)
				ready := func(row int) bool { return row <= before*g+finished*b }
				stored := func(row int) bool { return row > after*g && row <= after*g+want*b }
				if op == product.Adjoint {
					ready = func(row int) bool { return row >= after*g+(blocks(before)-finished)*b }
					stored = func(row int) bool { return row >= (after+1)*g+(blocks(after)-want)*b }
				}
				if finished == blocks(before) {
					word, want, info = end, end, 0
					ready, stored = func(int) bool { return true }, func(int) bool { return true }
				}
				x := make([]float64, len(c.xt))
				copy(x, c.xt)
				for i := range x {
					if !ready(i / c.ld) {
						x[i] = math.NaN()
					}
				}
				stagetest.Put(t, dev, s.xt, x)
				rec := vk.NewRecorder(dev)
				s.flags.Clear(rec, s.ws)
				vk.Fill(rec, s.flags.Ticket(s.ws, 0), 1) // no workgroup receives the first group's ticket
				vk.Fill(rec, s.flags.Flag(s.ws, 0), word)
				s.waiting.Dispatch(rec, vk.Grid(1), shaders.OrmtrQ2FlagsPush[float64]{
					X: s.xt.Addr(), V: s.v.Addr(), Tau: s.tau.Addr(), N: n, M: m, Ld: uint32(c.ld), Group: uint32(before), Groups: 2, Polls: tune.Polls,
					Info: s.Info(s.ws).Addr(), Ticket: s.flags.Ticket(s.ws, 0).Addr(), Flags: s.flags.First(s.ws), AbortWord: dev.Abort(),
				})
				stagetest.Run(t, dev, rec)
				got := stagetest.Get(t, dev, s.Info(s.ws))
				if done := stagetest.Get(t, dev, s.flags.Flag(s.ws, 1))[0]; done != uint32(want) || got[0] != info {
					t.Fatalf("%+v, transposed %v, %d blocks finished: the next group did %d, INFO %d; want %d, INFO %d", tune, op, finished, done, got[0], uint32(want), info)
				}
				x = stagetest.Get(t, dev, s.xt)
				for row := range n {
					if stored(row) && math.IsNaN(x[row*c.ld]) {
						t.Fatalf("%+v, transposed %v, %d blocks finished: row %d was not", tune, op, finished, row)
					}
				}
			}
		}
	}
}

// mostQ2Shared returns the bytes of shared memory that the kernel ormtr_q2 needs: the larger number
// of its two forms (with flags, and with teams).
func mostQ2Shared(t *testing.T, spec shaders.OrmtrQ2TeamsSpec) int {
	t.Helper()
	bytes, err := stages.MostShared(stages.SharedOf(shaders.OrmtrQ2Teams[float64], spec), stages.SharedOf(shaders.OrmtrQ2Flags[float64], flagsSpec(spec, false)))
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}
