package cluster

// A Forecast says how much memory and how many operations a solve needs. The function Plan makes it
// without MPI.
type Forecast struct {
	// Rows and Cols are the shape of the process grid. Rows·Cols may be less than the number of
	// processes. Block is the order of a block of the block-cyclic distribution.
	Rows, Cols, Block int
	// Matrix is the number of bytes of the largest part of an n×n matrix on one process.
	Matrix uint64
	// Bytes is the memory in bytes that the process with the largest part needs.
	Bytes uint64
	// Flops is the number of operations of all processes together.
	Flops float64
}

const (
	// programBytes is the memory of a process without the matrix: Go, MPI and ScaLAPACK.
	programBytes = 48 << 20
	// matricesHeld is an upper bound for the memory of a solve, in multiples of Forecast.Matrix. It
	// includes ScaLAPACK's copies and ELPA's workspace. Measurements gave 5.0 on one process and
	// 4.7 on four processes (n = 4000, vectors, ELPA 2022.11 and ScaLAPACK 2.2.1).
	matricesHeld = 5
)

// Plan returns a forecast of a solve of order n on the given number of processes. With
// Options.Vectors, k = wanted vectors are computed. The operations are those of the two-stage
// method: 4/3·n³ for the reduction, at most 4/3·n²·k for divide and conquer, and 4·n²·k for the two
// back transformations. The error is an *OptionError, which Solve would return, too.
func Plan(n, processes int, opt Options, wanted int) (Forecast, error) {
	s := arrange(n, processes)
	rows, cols := cyclic{n, s.block, s.rows, 0}, cyclic{n, s.block, s.cols, 0} // part 0 has the most
	f := Forecast{Rows: s.rows, Cols: s.cols, Block: s.block}
	f.Matrix = 8 * uint64(rows.count()) * uint64(cols.count())
	slab := 8 * uint64(n) * uint64(slabColumns(n, s.rows*s.cols))
	held := uint64(matricesHeld)
	if opt.Check && opt.Vectors {
		held++
	}
	f.Bytes = programBytes + held*f.Matrix + 2*slab
	order := float64(n)
	f.Flops = 4. / 3 * order * order * order
	if opt.Vectors {
		f.Flops += (4./3 + 4) * order * order * float64(wanted)
	}
	return f, s.check(n)
}
