//go:build elpa || scalapack

package cluster

/*
#cgo !nopkgconfig pkg-config: mpi-c
#include <mpi.h>

// Open MPI's handles are C macros, which cgo cannot read. The function `world` returns the handle
// MPI_COMM_WORLD.
static MPI_Comm world(void) { return MPI_COMM_WORLD; }
static int largest(double *x, int n, MPI_Comm c) { return MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_MAX, c); }
static int sum(double *x, int n, MPI_Comm c) { return MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_SUM, c); }
static int share(char *b, int n, int from, MPI_Comm c) { return MPI_Bcast(b, n, MPI_CHAR, from, c); }
static int part(int member, MPI_Comm c, MPI_Comm *p) { return MPI_Comm_split(c, member ? 0 : MPI_UNDEFINED, 0, p); }
static int start(int *needed) {
	int ready, provided;
	MPI_Initialized(&ready);
	*needed = !ready;
	return ready ? MPI_SUCCESS : MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
}
*/
import "C"

import "fmt"

func init() { begin = startMPI }

// communicator implements the interface `group` by an MPI communicator. Its methods do not test the
// results of MPI calls, because MPI's default error handler ends the job if a call fails.
type communicator struct {
	c      C.MPI_Comm
	me, of int
	// The method `end` must also call MPI_Finalize if `last` is true. `world` says that c is
	// MPI_COMM_WORLD.
	last, world bool
}

func startMPI() (group, error) {
	var needed C.int
	if code := C.start(&needed); code != 0 {
		return nil, fmt.Errorf("MPI_Init_thread returned %d", code)
	}
	g := communicatorOf(C.world())
	g.world, g.last = true, needed != 0
	return g, nil
}

func communicatorOf(c C.MPI_Comm) *communicator {
	var me, of C.int
	C.MPI_Comm_rank(c, &me)
	C.MPI_Comm_size(c, &of)
	return &communicator{c: c, me: int(me), of: int(of)}
}

func (g *communicator) rank() int { return g.me }
func (g *communicator) size() int { return g.of }

func (g *communicator) largest(x []float64) { C.largest((*C.double)(&x[0]), C.int(len(x)), g.c) }
func (g *communicator) sum(x []float64)     { C.sum((*C.double)(&x[0]), C.int(len(x)), g.c) }

// share copies b from one process to all others. It sends pieces of at most 2³⁰ bytes, because MPI
// counts with 32 bits.
func (g *communicator) share(b []byte, from int) {
	for len(b) > 0 {
		now := b[:min(len(b), 1<<30)]
		C.share((*C.char)(pointer(now)), C.int(len(now)), C.int(from), g.c)
		b = b[len(now):]
	}
}

func (g *communicator) part(p int) group {
	var c C.MPI_Comm
	member := C.int(0)
	if g.me < p {
		member = 1
	}
	C.part(member, g.c, &c)
	if g.me >= p {
		return nil
	}
	return communicatorOf(c)
}

func (g *communicator) end() {
	switch {
	case g.last:
		C.MPI_Finalize()
	case !g.world:
		C.MPI_Comm_free(&g.c)
	}
}
