package cluster

import (
	"math"
	"testing"
)

// TestCyclic compares the methods `count` and `global` with the definition of the block-cyclic
// distribution: index i is in block i/block, and block k belongs to part k mod parts.
func TestCyclic(t *testing.T) {
	for n := range 40 {
		for block := 1; block <= 9; block++ {
			for parts := 1; parts <= 5; parts++ {
				for me := range parts {
					c := cyclic{n, block, parts, me}
					var want []int
					for i := range n {
						if i/block%parts == me {
							want = append(want, i)
						}
					}
					if c.count() != len(want) {
						t.Fatalf("%+v: count %d, want %d", c, c.count(), len(want))
					}
					for l, i := range want {
						if c.global(l) != i {
							t.Fatalf("%+v: index %d is %d, want %d", c, l, c.global(l), i)
						}
					}
				}
			}
		}
	}
}

// TestArrange checks three properties of the process grid that is chosen for a matrix and p
// processes. The grid has at most p processes. Every process of the grid has elements of the
// matrix. For a large matrix, few of the p processes are left out.
func TestArrange(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, 31, 33, 100, 1000, 100000} {
		for p := 1; p <= 130; p++ {
			s := arrange(n, p)
			if s.rows < 1 || s.cols < s.rows || s.rows*s.cols > p || s.block < 1 {
				t.Fatalf("n = %d, %d processes: %+v", n, p, s)
			}
			last := cyclic{n, s.block, s.cols, s.cols - 1}
			if n > 0 && last.count() == 0 {
				t.Errorf("n = %d, %d processes: %+v leaves the last column of processes without elements", n, p, s)
			}
			if n == 100000 && s.rows*s.cols*10 < 8*p {
				t.Errorf("%d processes: %+v uses too few", p, s)
			}
		}
	}
}

// TestPlan compares the forecast of Plan for a large problem with formulas for the memory and the
// number of operations.
func TestPlan(t *testing.T) {
	const n, p = 500000, 1024
	f, err := Plan(n, p, Options{Vectors: true}, n)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Plan(70000, 4, Options{}, 0); err == nil {
		t.Error("a plan with more than 2³⁰ elements in a process was accepted")
	}
	each := 8. * n * n / p
	if got := float64(f.Matrix); !(got >= each && got <= 1.05*each) {
		t.Errorf("the matrix takes %.3g bytes a process, its elements %.3g", got, each)
	}
	if f.Bytes < 5*f.Matrix || f.Bytes > 5*f.Matrix+1<<28 {
		t.Errorf("%d bytes for a matrix of %d", f.Bytes, f.Matrix)
	}
	if want := 20. / 3 * n * n * n; !(f.Flops >= 0.999*want && f.Flops <= 1.001*want) {
		t.Errorf("%.4g flops, want %.4g", f.Flops, want)
	}
}

// TestPlanOfFewProcesses compares forecasts of order 1000 with numbers that were counted by hand.
// The 1000 rows are 15 blocks of 64 and one of 40, and so are the columns. Some numbers of
// processes make no square grid, and 5 make a grid of 4.
func TestPlanOfFewProcesses(t *testing.T) {
	const n = 1000
	for _, c := range []struct {
		processes  int
		grid       [2]int // rows and columns of processes
		rows, cols int    // of the matrix, at the first process
		slab       int    // columns that a process reads at a time
	}{
		{1, [2]int{1, 1}, 1000, 1000, 1000},
		{2, [2]int{1, 2}, 1000, 8 * 64, 500},
		{3, [2]int{1, 3}, 1000, 5*64 + 40, 334},
		{4, [2]int{2, 2}, 8 * 64, 8 * 64, 250},
		{5, [2]int{2, 2}, 8 * 64, 8 * 64, 250},
		{6, [2]int{2, 3}, 8 * 64, 5*64 + 40, 167},
		{8, [2]int{2, 4}, 8 * 64, 4 * 64, 125},
		{32, [2]int{4, 8}, 4 * 64, 2 * 64, 32},
	} {
		for _, o := range []struct {
			opt    Options
			wanted int
			held   uint64 // matrices
			flops  float64
		}{
			{Options{}, n, 5, 4e9 / 3},
			{Options{Check: true}, n, 5, 4e9 / 3},
			{Options{Vectors: true}, 250, 5, 4e9/3 + 4e9/3/4 + 1e9},
			{Options{Vectors: true, Check: true}, n, 6, 4e9/3 + 4e9/3 + 4e9},
		} {
			f, err := Plan(n, c.processes, o.opt, o.wanted)
			if err != nil {
				t.Fatal(err)
			}
			matrix := uint64(8 * c.rows * c.cols)
			bytes := 48<<20 + o.held*matrix + uint64(2*8*n*c.slab)
			if f.Rows != c.grid[0] || f.Cols != c.grid[1] || f.Block != 64 || f.Matrix != matrix || f.Bytes != bytes || !(math.Abs(f.Flops-o.flops) < 1) {
				t.Errorf("%d processes, %+v: %+v; want a grid of %v, %d bytes, %d for the matrix, %g flops",
					c.processes, o.opt, f, c.grid, bytes, matrix, o.flops)
			}
		}
	}
}

// TestPlanRefusesLargeParts checks the limit for the elements of a part. On a grid of 1×2
// processes, the first process has all rows and at least half of the columns.
func TestPlanRefusesLargeParts(t *testing.T) {
	for _, c := range []struct {
		n, processes int
		fits         bool
	}{{32500, 1, true}, {32512, 1, false}, {45940, 2, true}, {46080, 2, false}, {91900, 8, true}, {92160, 8, false}} {
		if _, err := Plan(c.n, c.processes, Options{}, 0); (err == nil) != c.fits {
			t.Errorf("n = %d, %d processes: %v", c.n, c.processes, err)
		}
	}
}

// TestNotBuilt checks the error of Start in a program that was built without engines, the libraries
// that solve.
func TestNotBuilt(t *testing.T) {
	for _, e := range Engines() {
		if Built(e) {
			continue
		}
		if _, err := Start(e); err == nil {
			t.Errorf("%s starts, but is not built", e)
		}
	}
}
