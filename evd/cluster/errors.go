package cluster

import "fmt"

// A NotBuiltError says that the program was built without the engine, the library that solves,
// which the argument of Start names.
type NotBuiltError struct{ Engine Engine }

func (e *NotBuiltError) Error() string {
	return fmt.Sprintf("this program was built without the engine %s; go build -tags %s adds it", e.Engine, e.Engine)
}

// A ProcessError says that another process of the job has failed. Process is the lowest rank among
// the processes that failed, and Text is the error of that process. Err is the error of this
// process, or nil.
type ProcessError struct {
	Process int
	Text    string
	Err     error
}

func (e *ProcessError) Unwrap() error { return e.Err }

func (e *ProcessError) Error() string { return fmt.Sprintf("process %d: %s", e.Process, e.Text) }

// An EngineError is an error of the engine, the library that solves. Code is the number that the
// library returned.
type EngineError struct {
	Engine  Engine
	Routine string
	Code    int
	Text    string // "" if the library gives no text
}

func (e *EngineError) Error() string {
	if e.Text != "" {
		return fmt.Sprintf("%s: %s returned %d: %s", e.Engine, e.Routine, e.Code, e.Text)
	}
	return fmt.Sprintf("%s: %s returned %d", e.Engine, e.Routine, e.Code)
}

// A NonFiniteError says that an entry of the matrix is NaN or infinite. Row and Col are its
// indices, counted from 0.
type NonFiniteError struct{ Row, Col int }

func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("a(%d,%d) is not finite (rows and columns from 1)", e.Row+1, e.Col+1)
}

// A NotSymmetricError says that the entries (Row, Col) and (Col, Row) differ by more than rounding
// errors. Difference is |a(Row, Col) − a(Col, Row)|, the largest such difference in the matrix.
type NotSymmetricError struct {
	Row, Col   int // counted from 0
	Difference float64
}

func (e *NotSymmetricError) Error() string {
	return fmt.Sprintf("not symmetric: a(%d,%d) and a(%d,%d) differ by %.3g (rows and columns from 1)",
		e.Row+1, e.Col+1, e.Col+1, e.Row+1, e.Difference)
}

// An OverflowError says that an eigenvalue is beyond the largest double. Index is its index, counted
// from 0 at the smallest eigenvalue. If several eigenvalues overflow, Index is that of the first one
// in the result. Value is +Inf or −Inf. The result is returned beside this error.
type OverflowError struct {
	Index int
	Value float64
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("eigenvalue %d is beyond the largest float64, and is %v in the result (indices from 0)", e.Index, e.Value)
}
