package cluster

import "testing"

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
