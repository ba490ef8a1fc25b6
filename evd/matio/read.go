package matio

import (
	"io"
	"os"
)

// Options says how to read what a file's content does not tell by itself. The zero value is what
// Read, ReadFile and ReadTridiagonal use.
type Options struct {
	// Array is the name of the array to take from a .npz file. Empty: the only array, or the one
	// called A. Other files have no names, and ignore it.
	Array string

	// MatrixMarket says that text is Matrix Market though it may lack the banner. It is general and
	// real then: a list of entries if the first line has three numbers, all elements column by
	// column if it has two.
	MatrixMarket bool
}

// ReadFile reads the matrix in a file, whatever its name ends in: content decides
// between Matrix Market, .npy, .npz and tables of text, and each may be compressed with gzip.
// But a file called .mtx or .mtx.gz is not taken for a table: without its banner it is refused.
// Errors name the file: *FormatError, *TooLargeError, or the operating system's own.
func ReadFile(path string) (*Dense, error) { return Options{}.ReadFile(path) }

// Read is ReadFile for a stream; name stands for the file's.
func Read(r io.Reader, name string) (*Dense, error) { return Options{}.Read(r, name) }

// ReadFile is the function ReadFile with these options.
func (o Options) ReadFile(path string) (*Dense, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return o.Read(f, path)
}

// Read is the function Read with these options.
func (o Options) Read(r io.Reader, name string) (*Dense, error) {
	if at, size, ok := zipped(r); ok {
		return o.fromZip(at, size, name)
	}
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	defer in.done()
	switch {
	case in.starts(npyMagic):
		return readNPY(in, mostElements)
	case in.starts(zipMagic):
		at, err := in.slurp()
		if err != nil {
			return nil, err
		}
		return o.fromZip(at, at.Size(), name)
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
	return nil, &FormatError{name, 0, "neither Matrix Market (no " + bannerWord + " banner), .npy, .npz nor a table of numbers"}
}

// ReadMatrixMarket reads a Matrix Market stream, compressed with gzip or not.
func ReadMatrixMarket(r io.Reader, name string) (*Dense, error) {
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	defer in.done()
	return readMarket(in, mostElements)
}

// ReadNPY reads a two-dimensional .npy stream, compressed with gzip or not.
func ReadNPY(r io.Reader, name string) (*Dense, error) {
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	defer in.done()
	return readNPY(in, mostElements)
}
