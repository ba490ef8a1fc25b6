// Package matio reads and writes matrices and vectors in the formats of other programs: Matrix
// Market, NumPy's .npy and .npz, CSV and other tables of numbers, text of Octave and Armadillo,
// lists of entries, and JSON for vectors.
//
//	d, err := matio.ReadFile("bcsstk09.mtx.gz") // the content decides the format; gzip is unpacked
//	if err == nil {
//		err = d.Symmetric() // exact: a file may say general and still be symmetric
//	}
//
// # Formats
//
// docs/formats.md has the grammar of all formats of text: separators, headers, names of rows,
// quotes, decimal marks, and the files that are refused because they may be read in two ways. These
// are the formats, and the files that are refused with a reason:
//
//	Matrix Market   coordinate and array; real, integer, complex and pattern (each entry is 1);
//	                general, symmetric and hermitian (lower triangle listed, both filled here),
//	                and skew-symmetric (read as general; strictly lower triangle listed). A complex
//	                symmetric matrix is read as general.
//	                Entries listed twice are added up. One entry per line. Allowed are
//	                blank lines, comments, CRLF, Fortran's 1.0D+00, nan and inf.
//	                Refused: an entry above the diagonal of a symmetric or hermitian file,
//	                imaginary parts on the diagonal of a hermitian one that are larger than
//	                rounding errors, and any count that is wrong.
//	.npy 1, 2, 3    C and Fortran order; floats of 16, 32 and 64 bits, integers of 8 to 64
//	                bits with and without sign, booleans, either byte order; all converted to
//	                float64 (integers beyond 2⁵³ are rounded to nearest). Complex numbers of two
//	                floats of 32 or 64 bits, converted to complex128. The names of types
//	                are those that numpy.load reads, except those whose size depends on the
//	                machine.
//	                Refused: structured, object and every other type.
//	.npz            the array that Options or a path FILE.npz:NAME names, else the only array,
//	                else the array called A; stored or deflated. A matrix that
//	                scipy.sparse.save_npz wrote in the formats coo, csc or csr.
//	                Refused: two arrays of one name.
//	CSV, text       numbers between commas, semicolons, tabs or blanks; one row per line, with or
//	                without a header and names of rows, as NumPy, pandas, R, spreadsheets,
//	                MATLAB and Fortran write them; # or % begins a comment. Options.Triangle
//	                reads one triangle of a symmetric matrix.
//	                Refused: tables with two readings, without Options that choose; files
//	                called .mtx, which must have Matrix Market's banner unless Options say
//	                that they are Matrix Market.
//	entries         row, column and value in each line, if Options.Format is Triplets.
//	Octave          save -text: real and boolean matrices, scalars, diagonal and sparse matrices;
//	                Options.Array names the variable.
//	Armadillo       arma_ascii of real numbers.
//
// Other known formats, such as HDF5, MATLAB's, bzip2 or UTF-16, are refused by their names.
//
// Options.ReadEither reads real and complex matrices. All other readers take real ones only.
// ReadTridiagonal reads tridiagonal matrices as two diagonals, from all of these formats.
// ReadVector reads lists of numbers, from fewer of these formats.
//
// Sources: R. Boisvert, R. Pozo and K. Remington, The Matrix Market exchange formats, NISTIR 5935
// (1996); NumPy's documentation of numpy.lib.format.
//
// # Functions
//
//	                      matrix               tridiagonal           vector
//	from a file           ReadFile             ReadTridiagonalFile   ReadVectorFile
//	from a stream         Read                 ReadTridiagonal       ReadVector
//	with Options          Options.Read         Options.ReadTridiagonal
//	real or complex       Options.ReadEither, Options.ReadEitherFile
//	one format only       ReadMatrixMarket, ReadNPY, ReadNPZ, ReadCSV
//	many from a file      Options.ReadStacksFile, ReadStackFile
//	many from a stream    Options.ReadStacks, ReadStack
//	many, real or complex Options.ReadEitherStacksFile, Options.ReadEitherStacks
//	to .npy               WriteNPY, NPYWriter                        WriteNPYVector
//	many to .npy          WriteStack                                 WriteRows
//	to .npz               NPZWriter, which takes what writes .npy
//	to Matrix Market      WriteMatrixMarket, WriteMatrixMarketSymmetric
//	to text, JSON                                                    WriteValues, WriteValuesJSON
//
// All readers of this table unpack gzip. Write to an AtomicFile if the result must be complete or not exist.
//
// # Limits
//
//	a matrix              2⁴⁰ numbers (8 TiB), or fewer if the system has less memory
//	a line of text        1 MiB; a table of numbers has no limit
//	a field of a table    1024 bytes
//	a .npy header         64 KiB
//
// # Memory
//
// A Dense matrix is stored by columns (Fortran order), as the solvers need it. A square matrix in
// row order is transposed in place. A matrix in row order that is not square needs memory for two
// copies while it is read, and so does a stack in Fortran order. Writing never needs a second copy:
// WriteNPY uses the caller's leading dimension, and an NPYWriter takes columns block by block.
//
// The sizes that a file declares are not trusted: memory grows with the data that the file really
// has, after decompression. The exception is a sparse file, because few entries may describe a
// large matrix. All readers ask for memory before they allocate 4 MiB or more, and if there is
// none, the error is a TooLargeError. On Linux they know what the machine has left, and the limits
// of the process's control groups, as in a container. On other systems they know what the system
// refuses.
//
// # Errors
//
// An error about the content of a file is a *FormatError with the file's name and the line. NaN and
// infinity are read and written as they are: the solver refuses them and says where they are. A
// table that may be read in several ways is an *AmbiguousError, which lists them. Functions of this
// package share no state, so several goroutines may call them at the same time.
package matio
