// Package matio reads and writes matrices and vectors in the formats that other programs
// speak: Matrix Market text, NumPy's .npy and .npz, CSV and other tables of numbers, and
// JSON for vectors.
//
//	d, err := matio.ReadFile("bcsstk09.mtx.gz") // format by content, gzip seen through
//	if err == nil {
//		err = d.Symmetric() // exact: a file may say general and still be symmetric
//	}
//
// What is read, and what is refused with a reason:
//
//	Matrix Market   coordinate and array; real, integer and pattern (each entry 1);
//	                general and symmetric (lower triangle listed, both filled here).
//	                Entries listed twice are added up. One entry a line. Blank lines,
//	                comments, CRLF, Fortran's 1.0D+00, nan and inf are understood.
//	                Refused: complex, hermitian, skew-symmetric, an entry above the
//	                diagonal of a symmetric file, and any count that does not hold.
//	.npy 1, 2, 3    C and Fortran order; floats of 16, 32 and 64 bits, integers of 8 to 64
//	                bits with and without sign, booleans, either byte order; all turned into
//	                float64 (integers beyond 2⁵³ are rounded to nearest).
//	                Refused: complex, structured, object and every other type.
//	.npz            the array that Options name, the only array, or the one called A; stored or
//	                deflated. A matrix of scipy.sparse.save_npz in the formats coo, csc, csr.
//	CSV, text       numbers between commas, semicolons, or blanks and tabs; one row per line,
//	                with or without a header line and row names, as numpy.savetxt, pandas, R
//	                and Fortran write them; # begins a comment line.
//	                Refused: files called .mtx, which must have Matrix Market's banner unless
//	                Options say that they are Matrix Market.
//
// Tridiagonal matrices are read as two diagonals by ReadTridiagonal.
//
// Writing never needs a second copy of the matrix: WriteNPY goes by the caller's
// leading dimension, and an NPYWriter takes columns block after block.
//
// Matrices are stored column by column (Fortran's order), as the solvers want them.
// NaN and infinity pass through: the solver refuses them, naming their place.
//
// A file's claims about its size are not believed: memory grows with what the file
// really holds, unpacked. The one exception is a coordinate file, whose few entries may span a
// large matrix; if the system has no room for that, the answer is a TooLargeError.
package matio
