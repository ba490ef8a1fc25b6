//go:build elpa || scalapack

package cluster

/*
#cgo !nopkgconfig pkg-config: scalapack-openmpi
#include <mpi.h>
#include <stdlib.h>

// ScaLAPACK has no C header, so the routines are declared here.
int Csys2blacs_handle(MPI_Comm);
void Cfree_blacs_system_handle(int);
void Cblacs_gridinit(int *, const char *, int, int);
void Cblacs_gridinfo(int, int *, int *, int *, int *);
void Cblacs_gridexit(int);
void Cpdgemr2d(int, int, double *, int, int, int *, double *, int, int, int *, int);
void pdtran_(int *, int *, double *, double *, int *, int *, int *, double *, double *, int *, int *, int *);
void pdgemm_(char *, char *, int *, int *, int *, double *, double *, int *, int *, int *, double *, int *, int *, int *, double *, double *, int *, int *, int *);
double pdlange_(char *, int *, int *, double *, int *, int *, int *, double *);
void pdsyevd_(char *, char *, int *, double *, int *, int *, int *, double *, double *, int *, int *, int *, double *, int *, int *, int *, int *);
void pdsyevr_(char *, char *, char *, int *, double *, int *, int *, int *, double *, double *, int *, int *, int *, int *, double *, double *, int *, int *, int *, double *, int *, int *, int *, int *);

// The following functions pass 1 for the first row and the first column of a matrix, because
// Fortran counts from 1.
static void transpose(int n, double *a, double *c, int *desc) {
	int one = 1; double plus = 1, zero = 0;
	pdtran_(&n, &n, &plus, a, &one, &one, desc, &zero, c, &one, &one, desc);
}
static void multiply(int n, int k, double *a, int *da, double *b, int *db, double *c, int j) {
	int one = 1; double plus = 1, minus = -1;
	pdgemm_("N", "N", &n, &k, &n, &plus, a, &one, &one, da, b, &one, &j, db, &minus, c, &one, &j, db);
}
static void gram(int n, int k, double *a, int *da, int j, double *c, int *dc) {
	int one = 1; double plus = 1, minus = -1;
	pdgemm_("T", "N", &k, &k, &n, &plus, a, &one, &j, da, a, &one, &j, da, &minus, c, &one, &one, dc);
}
static double norm1(int m, int k, double *a, int j, int *da, double *work) {
	int one = 1;
	return pdlange_("1", &m, &k, a, &one, &j, da, work);
}
static int vectors(int n, double *a, int *da, double *w, double *z, double *work, int lwork, int *iwork, int liwork) {
	int one = 1, info;
	pdsyevd_("V", "L", &n, a, &one, &one, da, w, z, &one, &one, da, work, &lwork, iwork, &liwork, &info);
	return info;
}
static int values(int n, double *a, int *da, double *w, double *work, int lwork, int *iwork, int liwork) {
	int one = 1, zero = 0, m, nz, info; double none = 0;
	pdsyevr_("N", "A", "L", &n, a, &one, &one, da, &none, &none, &zero, &zero, &m, &nz, w, a, &one, &one, da, work, &lwork, iwork, &liwork, &info);
	return info;
}
*/
import "C"

import (
	"fmt"
	"unsafe"
)

func init() { built = append(built, ScaLAPACK) }

// processGrid implements the interface `grid` by ScaLAPACK. `system`, `square` and `line` are
// handles of BLACS. The grid `square` has rows and columns of processes. The grid `line` has the
// same processes in one row, for matrices distributed by whole columns.
type processGrid struct {
	system, square, line C.int
	row, col, of         int
	comm                 *communicator
	solver               func(g *processGrid, a, q *matrix, count int) ([]float64, error)
}

func (g *communicator) grid(s shape, engine Engine) (grid, error) {
	p := &processGrid{of: g.of, comm: g, solver: solvers[engine]}
	p.system = C.Csys2blacs_handle(g.c)
	p.square, p.line = p.system, p.system
	order := C.CString("Row")
	defer C.free(unsafe.Pointer(order))
	C.Cblacs_gridinit(&p.square, order, C.int(s.rows), C.int(s.cols))
	C.Cblacs_gridinit(&p.line, order, 1, C.int(g.of))
	var rows, cols, row, col C.int
	C.Cblacs_gridinfo(p.square, &rows, &cols, &row, &col)
	if int(rows) != s.rows || int(cols) != s.cols {
		return nil, fmt.Errorf("BLACS made a grid of %d by %d processes, not %d by %d", rows, cols, s.rows, s.cols)
	}
	p.row, p.col = int(row), int(col)
	return p, nil
}

func (g *processGrid) at() (row, col int) { return g.row, g.col }

func (g *processGrid) free() {
	C.Cblacs_gridexit(g.line)
	C.Cblacs_gridexit(g.square)
	C.Cfree_blacs_system_handle(g.system)
}

type descriptor [9]C.int

func describe(context C.int, rows, cols, rowBlock, colBlock, ld int) *descriptor {
	return &descriptor{1, context, C.int(rows), C.int(cols), C.int(rowBlock), C.int(colBlock), 0, 0, C.int(ld)}
}

func (g *processGrid) of2(m *matrix) *descriptor {
	return describe(g.square, m.rows.n, m.cols.n, m.rows.block, m.cols.block, m.ld)
}

func (d *descriptor) c() *C.int { return &d[0] }

func doubles(x []float64) *C.double { return (*C.double)(unsafe.Pointer(unsafe.SliceData(x))) }

func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

func (g *processGrid) spread(slab []float64, w, columns int, a *matrix, from int) {
	n := a.rows.n
	s := describe(g.line, n, columns, max(1, n), w, max(1, n))
	C.Cpdgemr2d(C.int(n), C.int(columns), doubles(slab), 1, 1, s.c(),
		doubles(a.data), 1, C.int(from+1), g.of2(a).c(), g.line)
}

func (g *processGrid) collect(slab []float64, w, columns int, a *matrix, from int) {
	n := a.rows.n
	s := describe(g.line, n, columns, max(1, n), w, max(1, n))
	C.Cpdgemr2d(C.int(n), C.int(columns), doubles(a.data), 1, C.int(from+1), g.of2(a).c(),
		doubles(slab), 1, 1, s.c(), g.line)
}

func (g *processGrid) transpose(a, c *matrix) {
	C.transpose(C.int(a.rows.n), doubles(a.data), doubles(c.data), g.of2(a).c())
}

func (g *processGrid) multiply(a, b, c *matrix, from, to int) {
	C.multiply(C.int(a.rows.n), C.int(to-from), doubles(a.data), g.of2(a).c(),
		doubles(b.data), g.of2(b).c(), doubles(c.data), C.int(from+1))
}

func (g *processGrid) gram(a *matrix, from, to int, c *matrix) {
	C.gram(C.int(a.rows.n), C.int(to-from), doubles(a.data), g.of2(a).c(), C.int(from+1), doubles(c.data), g.of2(c).c())
}

func (g *processGrid) norm1(a *matrix, from, to int) float64 {
	work := make([]float64, max(1, a.cols.count()+a.cols.block))
	return float64(C.norm1(C.int(a.rows.n), C.int(to-from), doubles(a.data), C.int(from+1), g.of2(a).c(), doubles(work)))
}

func (g *processGrid) solve(a, q *matrix, count int) ([]float64, error) {
	return g.solver(g, a, q, count)
}

var solvers = map[Engine]func(g *processGrid, a, q *matrix, count int) ([]float64, error){ScaLAPACK: scalapack}

// scalapack solves by divide and conquer (pdsyevd) if vectors are wanted, and computes all vectors.
// If only values are wanted, scalapack calls pdsyevr, because pdsyevd cannot compute values alone.
// pdsyevr can compute a part of the vectors, but it is not used for this: in a test the errors of
// its vectors were ten times those of pdsyevd (ScaLAPACK 2.2.1).
func scalapack(g *processGrid, a, q *matrix, _ int) ([]float64, error) {
	n, d, w := a.rows.n, g.of2(a).c(), make([]float64, a.rows.n)
	routine := "pdsyevr"
	if q != nil {
		routine = "pdsyevd"
	}
	call := func(work []float64, lwork int, iwork []C.int, liwork int) C.int {
		if q != nil {
			return C.vectors(C.int(n), doubles(a.data), d, doubles(w), doubles(q.data),
				doubles(work), C.int(lwork), &iwork[0], C.int(liwork))
		}
		return C.values(C.int(n), doubles(a.data), d, doubles(w), doubles(work), C.int(lwork), &iwork[0], C.int(liwork))
	}
	// With lwork = −1 a ScaLAPACK routine returns the sizes of the workspace that it needs. The
	// size that pdsyevd returns may be too small by (rows + columns + 2·block)·block, which its call
	// of pdormtr needs.
	size, isize := make([]float64, 8), make([]C.int, 8)
	info := call(size, -1, isize, -1)
	if info == 0 {
		lwork := int(size[0]) + (a.ld+a.cols.count()+2*a.rows.block)*a.rows.block
		liwork := int(isize[0])
		info = call(make([]float64, lwork), lwork, make([]C.int, max(1, liwork)), liwork)
	}
	if info != 0 {
		return nil, &EngineError{ScaLAPACK, routine, int(info), ""}
	}
	return w, nil
}
