//go:build elpa

package cluster

/*
#cgo !nopkgconfig pkg-config: elpa
#include <mpi.h>
#include <elpa/elpa.h>

// problem has the parameters of an eigenproblem for ELPA. The function `prepare` passes them to
// ELPA by ELPA's names.
struct problem { int n, wanted, rows, cols, block, row, col; MPI_Comm comm; };

static elpa_t prepare(struct problem p, int *err) {
	elpa_t e = elpa_allocate(err);
	if (*err) return e;
	struct { const char *key; int value; } keys[] = {
		{"na", p.n}, {"nev", p.wanted}, {"local_nrows", p.rows}, {"local_ncols", p.cols}, {"nblk", p.block},
		{"mpi_comm_parent", MPI_Comm_c2f(p.comm)}, {"process_row", p.row}, {"process_col", p.col},
	};
	for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
		elpa_set(e, keys[i].key, keys[i].value, err);
		if (*err) return e;
	}
	*err = elpa_setup(e);
	if (*err) return e;
	elpa_set(e, "solver", ELPA_SOLVER_2STAGE, err);
	return e;
}

// level returns a number for the instruction set of this processor: 2 for AVX-512, 1 for AVX2 with
// FMA, 0 for any other.
static int level(void) {
#ifdef __x86_64__
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f")) return 2;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 1;
#endif
	return 0;
}

// choose selects the fastest ELPA kernel that the library has and that the processors of all
// processes can execute. ELPA's default depends only on the compiler that built ELPA.
static void choose(elpa_t e, int level, int *err) {
	int kernels[] = {ELPA_2STAGE_REAL_AVX512_BLOCK4, ELPA_2STAGE_REAL_AVX2_BLOCK4, ELPA_2STAGE_REAL_GENERIC};
	for (int i = 2 - level; i < 3; i++) {
		elpa_set(e, "real_kernel", kernels[i], err);
		if (!*err) return;
	}
}
static int run(elpa_t e, double *a, double *w, double *q) {
	int err;
	if (q) elpa_eigenvectors(e, a, w, q, &err);
	else elpa_eigenvalues(e, a, w, &err);
	return err;
}
static void release(elpa_t e) { int err; elpa_deallocate(e, &err); }
*/
import "C"

import "sync"

func init() {
	built = append(built, ELPA)
	solvers[ELPA] = elpa
}

// elpaVersion is the version of ELPA's programming interface that this file uses.
const elpaVersion = 20211125

var startELPA = sync.OnceValue(func() error {
	if code := C.elpa_init(elpaVersion); code != C.ELPA_OK {
		return elpaError("elpa_init", code)
	}
	return nil
})

func elpaError(routine string, code C.int) error {
	return &EngineError{ELPA, routine, int(code), C.GoString(C.elpa_strerr(code))}
}

// elpa solves with ELPA's two-stage method. It returns n numbers, of which the first `count` are
// the smallest eigenvalues of the matrix a, in ascending order. If q is not nil, elpa writes their
// eigenvectors to q. All processes of the grid must call elpa together.
func elpa(g *processGrid, a, q *matrix, count int) ([]float64, error) {
	p := C.struct_problem{
		n: C.int(a.rows.n), wanted: C.int(count), rows: C.int(a.ld), cols: C.int(a.cols.count()),
		block: C.int(a.rows.block), row: C.int(g.row), col: C.int(g.col), comm: g.comm.c,
	}
	var e C.elpa_t
	err := startELPA()
	if err == nil {
		var code C.int
		e = C.prepare(p, &code)
		if e != nil {
			defer C.release(e)
		}
		if code != 0 {
			err = elpaError("elpa_setup", code)
		}
	}
	if err := agree(g.comm, err); err != nil {
		return nil, err
	}
	level := []float64{-float64(C.level())}
	g.comm.largest(level)
	var code C.int
	if C.choose(e, C.int(-level[0]), &code); code != 0 {
		err = elpaError("elpa_set", code)
	}
	if err := agree(g.comm, err); err != nil {
		return nil, err
	}
	w := make([]float64, a.rows.n)
	var vectors *C.double
	if q != nil {
		vectors = doubles(q.data)
	}
	if code := C.run(e, doubles(a.data), doubles(w), vectors); code != 0 {
		return nil, elpaError("elpa_eigenvectors", code)
	}
	return w, nil
}
