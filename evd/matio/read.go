package matio

import (
	"io"
	"os"
	"strings"
)

// Options say how to read a file if the content of the file does not decide it. The functions
// ReadFile, Read, ReadTridiagonalFile and ReadTridiagonal use the zero value.
type Options struct {
	// Array is the name of the array to read from a .npz file, or from a text file of Octave. If
	// Array is empty, the only array is read, or the first of Usual that the file has. For a file of
	// another format a name is an error.
	Array string

	// Usual has names of arrays, with blanks between them, to choose among several arrays. Empty
	// means A.
	Usual string

	// Format is the format of text that begins with no Matrix Market banner.
	Format Format

	// Base is the number of the first row and of the first column in Triplets, 0 or 1.
	Base int

	// Header says whether the first line of a table is a header. Names says whether the first field
	// of each row is the name of the row. With Auto, the file decides, as docs/formats.md explains.
	// If it does not, Square or Rows and Cols decide. Without them the error is an *AmbiguousError.
	Header, Names Choice

	// Square says that the matrix must be square. If a table may be read in several ways, one that
	// makes the matrix square is chosen.
	Square bool

	// Rows and Cols are the shape that the matrix should have, or 0. If a table may be read in
	// several ways, one with these rows is chosen, and if possible with these columns. The shape is
	// not checked.
	Rows, Cols int

	// Triangle is the part of a table that is read. The other part is not used, and may be missing:
	// its fields may be empty, or the rows may be shorter. The matrix is symmetric. For files of
	// other formats, Triangle means nothing.
	Triangle Triangle

	complexToo bool // the caller takes complex elements: ReadEither
}

// wanted are the names of arrays to look for, the best one first.
func (o Options) wanted() []string {
	switch {
	case o.Array != "":
		return []string{o.Array}
	case o.Usual != "":
		return strings.Fields(o.Usual)
	}
	return []string{"A"}
}

// A Format is a format of text that its content does not tell from a table of numbers.
type Format int

const (
	// AnyFormat means that the content decides: a table, or a file that is refused because it may
	// be something else.
	AnyFormat Format = iota
	// MatrixMarket is Matrix Market without its banner. The matrix is general and real. It is a
	// list of entries if the first line has three numbers, or a list of all elements by columns if
	// the first line has two numbers.
	MatrixMarket
	// Triplets is a list of entries, one per line: row, column, value. Entries of the same place
	// are added up. Without values, each is 1. The largest row and column are the shape.
	// Options.Base says how rows and columns are counted.
	Triplets
	// TextTable is a table of numbers, even if it looks like triplets, or if all its decimal marks
	// may separate thousands.
	TextTable
)

// A Choice answers a question about a file.
type Choice int

const (
	Auto Choice = iota // the content of the file decides
	Yes
	No
)

// ReadFile reads the matrix in a file. The content of the file decides the format: Matrix Market,
// .npy, .npz or a table of text, each compressed with gzip or not. The ending of the name matters
// in one case: a file called .mtx or .mtx.gz without Matrix Market's banner is refused, and not
// read as a table.
//
// The errors name the file. They are *FormatError, *TooLargeError, *AmbiguousError, or those of the
// operating system.
func ReadFile(path string) (*Dense, error) { return Options{}.ReadFile(path) }

// Read reads the matrix in a stream, to its end, as ReadFile reads a file. `name` stands for the
// file's name. The stream is not closed.
func Read(r io.Reader, name string) (*Dense, error) { return Options{}.Read(r, name) }

// ArrayOf splits FILE.npz:ARRAY into the name of the file and that of the array. If `path` has another
// form, or if a file with the whole name exists, `array` is empty.
func ArrayOf(path string) (file, array string) {
	const ending = ".npz"
	at := strings.LastIndex(path, ending+":")
	if at < 0 {
		return path, ""
	}
	if _, err := os.Stat(path); err == nil {
		return path, ""
	}
	return path[:at+len(ending)], path[at+len(ending)+1:]
}

// arrayOf is ArrayOf for options that name no array. It returns options that do.
func (o Options) arrayOf(path string) (string, Options) {
	if o.Array == "" {
		path, o.Array = ArrayOf(path)
	}
	return path, o
}

// ReadFile is the function ReadFile with the options o. FILE.npz:ARRAY means the array with the
// name ARRAY in FILE.npz.
func (o Options) ReadFile(path string) (*Dense, error) {
	path, o = o.arrayOf(path)
	return fromFile(path, o.Read)
}

// Read does the same as the function Read, with the options o. The first bytes, after gzip is
// unpacked and a byte order mark is removed, decide the format. The first rule that holds is used:
//
//	PK\x03\x04 begins the data       .npz; a file is read by random access, a stream is held in
//	                                 memory
//	# name: and # type: are comments a text file of Octave
//	\x93NUMPY begins the data        .npy
//	%%MatrixMarket begins a line     Matrix Market; capital or small letters. Before it there may be
//	                                 blank lines and comments; % and blanks may be missing or added
//	Format is MatrixMarket, Triplets that format
//	ARMA_MAT_TXT begins the data     a text file of Armadillo
//	Format is TextTable              a table (see ReadCSV)
//	the data begin like a table      a table, if the file is not called .mtx
//
// If no rule holds, Read returns a *FormatError. A zip archive may be inside gzip. Of a zip archive
// only the .npy files are read.
func (o Options) Read(r io.Reader, name string) (*Dense, error) {
	return readAs(o, r, name, denseOf)
}

// ReadEitherFile reads the matrix in a file, real or complex, and the other result is nil. It does
// the same as ReadFile if the matrix is real. Complex matrices are in .npy and .npz files, matrices
// of scipy.sparse.save_npz among them, and in Matrix Market files. A file that is declared
// hermitian, with an imaginary part on its diagonal beyond rounding errors, is an error.
func (o Options) ReadEitherFile(path string) (*Dense, *Complex, error) {
	path, o = o.arrayOf(path)
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return o.ReadEither(f, path)
}

// ReadEither reads the matrix in a stream, as ReadEitherFile does from a file. `name` stands for
// the file's name in errors.
func (o Options) ReadEither(r io.Reader, name string) (*Dense, *Complex, error) {
	o.complexToo = true
	e, err := readAs(o, r, name, eitherOf)
	if err != nil {
		return nil, nil, err
	}
	return e.real, e.complex, nil
}

// readAs reads a matrix, and returns it as the function `of` stores it.
func readAs[T any](o Options, r io.Reader, name string, of func(*matrix, error) (*T, error)) (*T, error) {
	return packedOrPlain(r, name, func(z *archive) (*T, error) { return of(o.packed(z)) },
		func(in *input) (*T, error) { return of(o.plain(in)) })
}

// plain reads a matrix from a file in any format except .npz.
func (o Options) plain(in *input) (*matrix, error) {
	if c, err := o.marked(in); c != nil || err != nil {
		return c, err
	}
	if o.Format != TextTable {
		if err := mayBeText(in); err != nil {
			return nil, err
		}
		if !hasNumbers(in) {
			return nil, unknownFormat(in)
		}
	}
	d, err := o.readTable(in)
	return &matrix{in.source, d, nil}, err
}

// marked reads a file in a format that the first bytes or the options name. It returns nil for
// tables, which may also be read as two diagonals.
func (o Options) marked(in *input) (*matrix, error) {
	read := o.readOctave
	if !isOctave(in) {
		if err := o.hasNoArrays(in); err != nil {
			return nil, err
		}
		switch {
		case in.starts(npyMagic):
			return o.readNPY(in)
		case hasBanner(in):
			return o.readMarket(in)
		case o.Format == MatrixMarket:
			return bareMarket(in)
		case o.Format == Triplets:
			read = o.readTriplets
		case in.starts(armadilloMagic):
			read = readArmadillo
		default:
			return nil, nil
		}
	}
	d, err := read(in)
	return &matrix{in.source, d, nil}, err
}

// ReadMatrixMarket reads a matrix in Matrix Market format, compressed with gzip or not. The file
// must have the banner. If the file is symmetric, the result has both triangles, and
// DeclaredSymmetric is true. `name` stands for the file in errors. The errors are *FormatError,
// *TooLargeError and those of the reader `r`.
func ReadMatrixMarket(r io.Reader, name string) (*Dense, error) {
	return opened(r, name, func(in *input) (*Dense, error) { return denseOf(Options{}.readMarket(in)) })
}

// ReadNPY reads an array of two dimensions in .npy format, compressed with gzip or not. An array in
// C order is transposed to column order. The package documentation says in the section Memory how
// much memory this needs. `name` stands for the file in errors. The errors are *FormatError,
// *TooLargeError and those of the reader `r`.
func ReadNPY(r io.Reader, name string) (*Dense, error) {
	return opened(r, name, func(in *input) (*Dense, error) { return denseOf(Options{}.readNPY(in)) })
}
