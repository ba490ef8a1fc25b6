package cluster

import (
	"errors"
	"slices"
	"strings"
)

// An Engine is a library that solves the problem on many processes.
type Engine string

// These are the names of all engines. Not every program is linked with all of them.
const (
	ELPA      Engine = "elpa"
	ScaLAPACK Engine = "scalapack"
)

// Engines returns the names of all engines, also of those with which the program is not linked.
func Engines() []Engine { return []Engine{ELPA, ScaLAPACK} }

// built lists the engines of this program. Each file with a build tag adds its engine.
var built []Engine

// begin starts MPI. It is nil in a program that is not linked with any engine.
var begin func() (group, error)

// Built reports whether this program is linked with the engine.
func Built(e Engine) bool { return slices.Contains(built, e) }

// A World is an MPI job, as one of its processes sees it. The process solves together with all
// other processes of the job.
type World struct {
	engine Engine
	all    group
}

// Start joins the MPI job. It calls MPI_Init_thread, unless MPI has been initialised already. The
// calling goroutine must be locked to its thread (runtime.LockOSThread). The error is a
// *NotBuiltError, or an error of MPI.
func Start(e Engine) (*World, error) {
	if !Built(e) {
		return nil, &NotBuiltError{e}
	}
	all, err := begin()
	if err != nil {
		return nil, err
	}
	return &World{e, all}, nil
}

// Rank is the number of this process in the job, counted from 0.
func (w *World) Rank() int { return w.all.rank() }

// Size is the number of processes of the job.
func (w *World) Size() int { return w.all.size() }

// Close leaves the job. It calls MPI_Finalize if Start has initialised MPI.
func (w *World) Close() { w.all.end() }

// Agree returns nil if err is nil on all processes. Otherwise, among the processes with an error,
// the one of the lowest rank gets its own error back. All other processes get a *ProcessError about
// that error. All processes must call Agree together.
func (w *World) Agree(err error) error { return agree(w.all, err) }

// agree is Agree for the processes of a group. Without it, a process that returned alone after an error
// would leave the others waiting in MPI without end.
func agree(g group, err error) error {
	// A *ProcessError is only a report about another process. So a process whose error is a
	// *ProcessError does not count as failed. The process that really failed then keeps its own
	// error, even if `agree` is called twice: first by a part of the processes, and then by all.
	var heard *ProcessError
	failed := []float64{float64(-g.size())} // the negative of the lowest rank with an error of its own
	if err != nil && !errors.As(err, &heard) {
		failed[0] = float64(-g.rank())
	}
	g.largest(failed)
	first := int(-failed[0])
	if first == g.size() {
		return err
	}
	name := make([]byte, longestText)
	if g.rank() == first {
		copy(name, err.Error())
	}
	g.share(name, first)
	if g.rank() == first || heard != nil {
		return err
	}
	return &ProcessError{first, text(name), err}
}

const longestText = 4096 // bytes of an error's text, or of a file's name, for other processes

func text(b []byte) string {
	text, _, _ := strings.Cut(string(b), "\x00")
	return text
}
