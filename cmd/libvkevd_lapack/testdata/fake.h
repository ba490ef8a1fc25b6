/* fake.h declares the data that the test program, the fake LAPACK and the fake engine share. */
#define QUERIED 50000 /* what the fake LAPACK answers to queries for the size of the workspace */

struct fake {
	int calls;        /* number of calls, without queries */
	char last[32];    /* name of the last called routine */
	void *info, *a;   /* arguments of the last call */
	int solves;       /* number of calls of the engine */
	int fails;        /* 1: the engine fails */
	int cpu;          /* 1: the device is a CPU, which solves no order */
	const void *b, *z, *vt; /* members of the last problem */
	long columns, rows, ldb;
	int itype, upper, single, complex;
	double vl, vu;
	void (*meanwhile)(void); /* the engine calls this function while it starts */
	int trap, unblocked; /* the engine's thread: number of traps, and whether signals were unblocked */
};
