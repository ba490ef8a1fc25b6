package matio

import (
	"io"
	"os"
	"strings"
)

// Options say how to read a file if the content of the file does not decide it. The functions
// ReadFile, Read, ReadTridiagonalFile and ReadTridiagonal use the zero value.
type Options struct {
	// Array is the name of the array to read from a .npz file. If Array is empty, the only array is
	// read, or the one called A. For a file of another format a name is an error.
	Array string

	// MatrixMarket says that text is in Matrix Market format, even if it lacks the banner. Then the
	// matrix is general and real. It is a list of entries if the first line has three numbers, or a
	// list of all elements by columns if the first line has two numbers. If MatrixMarket is false,
	// text without the banner is a table of numbers.
	MatrixMarket bool
}

// ReadFile reads the matrix in a file. The content of the file decides the format: Matrix Market,
// .npy, .npz or a table of text, each compressed with gzip or not. The ending of the name matters
// in one case: a file called .mtx or .mtx.gz without Matrix Market's banner is refused, and not
// read as a table.
//
// The errors name the file. They are *FormatError, *TooLargeError, or those of the operating
// system.
func ReadFile(path string) (*Dense, error) { return Options{}.ReadFile(path) }

// Read reads the matrix in a stream as ReadFile reads a file. `name` stands for the file's name.
// Read reads the stream to its end, and does not close it.
func Read(r io.Reader, name string) (*Dense, error) { return Options{}.Read(r, name) }

// arrayOf splits FILE.npz:ARRAY into the name of the file and options that give the name of the
// array. It returns the path and the options unchanged if Options.Array is set, or if a file with
// the whole name exists.
func (o Options) arrayOf(path string) (string, Options) {
	const ending = ".npz"
	at := strings.LastIndex(path, ending+":")
	if at < 0 || o.Array != "" {
		return path, o
	}
	if _, err := os.Stat(path); err == nil {
		return path, o
	}
	o.Array = path[at+len(ending)+1:]
	return path[:at+len(ending)], o
}

// ReadFile reads the matrix in a file, as the function ReadFile does, but with the options o. The
// path FILE.npz:ARRAY means the array with the name ARRAY in FILE.npz.
func (o Options) ReadFile(path string) (*Dense, error) {
	path, o = o.arrayOf(path)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return o.Read(f, path)
}

// Read does the same as the function Read, with the options o. The first bytes, after gzip is
// unpacked, decide the format. The first rule that holds is used:
//
//	PK\x03\x04 begins the data       .npz; a file is read by random access, a stream is held in
//	                                 memory
//	\x93NUMPY begins the data        .npy
//	%%MatrixMarket begins the data   Matrix Market; capital or small letters
//	Options.MatrixMarket is true     Matrix Market without a banner
//	the data begin like a table      a table (see ReadCSV), if the file is not called .mtx
//
// If no rule holds, Read returns a *FormatError. A zip archive may be inside gzip. Of a zip archive
// only the .npy files are read.
func (o Options) Read(r io.Reader, name string) (*Dense, error) {
	return readEither(r, name, o.fromZip, func(in *input) (*Dense, error) { return o.readDense(in, name) })
}

// readDense reads a matrix from a file in any format except .npz.
func (o Options) readDense(in *input, name string) (*Dense, error) {
	if err := o.hasNoArrays(name); err != nil {
		return nil, err
	}
	switch {
	case in.starts(npyMagic):
		return readNPY(in, mostElements)
	case hasBanner(in):
		return readMarket(in, mostElements)
	case o.MatrixMarket:
		return readBareMarket(in, mostElements)
	}
	if err := mayBeText(in); err != nil {
		return nil, err
	}
	if hasNumbers(in) {
		return readCSV(in, mostElements)
	}
	return nil, unknownFormat(in, name)
}

// ReadMatrixMarket reads a matrix in Matrix Market format, compressed with gzip or not. The file
// must have the banner. If the file is symmetric, the result has both triangles, and
// DeclaredSymmetric is true. `name` stands for the file in errors. The errors are *FormatError,
// *TooLargeError and those of the reader `r`.
func ReadMatrixMarket(r io.Reader, name string) (*Dense, error) {
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	defer in.done()
	return readMarket(in, mostElements)
}

// ReadNPY reads an array of two dimensions in .npy format, compressed with gzip or not. An array in
// C order is transposed to column order. The package documentation says in the section Memory how
// much memory this needs. `name` stands for the file in errors. The errors are *FormatError,
// *TooLargeError and those of the reader `r`.
func ReadNPY(r io.Reader, name string) (*Dense, error) {
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	defer in.done()
	return readNPY(in, mostElements)
}
