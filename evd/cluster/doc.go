// Package cluster computes eigenvalues and eigenvectors of a symmetric matrix with the processes of
// an MPI job, for matrices that no single GPU can hold:
//
//	A = Q·diag(λ)·Qᵀ,  λ ascending,  QᵀQ = I.
//
// A library that clusters usually have, here called the engine, solves the problem: ELPA, or a
// library with ScaLAPACK's routines. Package cluster distributes the matrix from its file, checks
// that it is symmetric, scales it, and measures the result. All processes write the vectors to one
// file in parallel. No process ever holds the whole matrix.
//
//	runtime.LockOSThread()                     // in the goroutine that makes all calls
//	w, err := cluster.Start(cluster.ELPA)      // calls MPI_Init, if the caller has not done so
//	defer w.Close()
//	s, err := cluster.Solve(ctx, w, source, cluster.Options{Vectors: true})
//
// Engines are linked with cgo. A build tag selects the engines of a program:
//
//	go build -tags elpa        ELPA and ScaLAPACK
//	go build -tags scalapack   ScaLAPACK alone
//
// pkg-config must have entries for elpa, scalapack-openmpi and mpi-c, which are Debian's names. For
// other installations, add flags by the variables CGO_CFLAGS and CGO_LDFLAGS. Without a tag, Start
// returns a *NotBuiltError, and only the forecasts of Plan work.
//
// # Contracts
//
// All processes of the job call Start, Solve and the methods of a Solution in the same order. Each
// process makes these calls from one goroutine that is locked to its thread. If a step fails on
// some processes, the call returns an error on all processes. Among the processes that failed, the
// one with the lowest rank returns its own error. All other processes return a *ProcessError about
// it.
//
// An engine cannot be interrupted. If the context ends during a step, the call returns after this
// step.
//
// # Method
//
//	start.go solve.go      the steps of a solve on all processes
//	layout.go              the distribution of the elements to the processes
//	load.go                the matrix, from the file to the processes
//	check.go               residual and orthogonality
//	store.go               the vectors, from the processes to the file
//	forecast.go            a forecast of memory and operations, without MPI
//	group.go               the interfaces to MPI, ScaLAPACK and an engine
//	mpi.go scalapack.go elpa.go   the implementations of these interfaces
package cluster
