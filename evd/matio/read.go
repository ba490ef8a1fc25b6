package matio

import (
	"io"
	"os"
)

// ReadFile reads the matrix in a file, whatever its name ends in: content decides
// between Matrix Market, .npy, .npz and tables of text, and each may be compressed with gzip.
// But a file called .mtx or .mtx.gz is not taken for a table: without its banner it is refused.
// Errors name the file: *FormatError, *TooLargeError, or the operating system's own.
func ReadFile(path string) (*Dense, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path)
}

// Read is ReadFile for a stream; name stands for the file's.
func Read(r io.Reader, name string) (*Dense, error) {
	if at, size, ok := zipped(r); ok {
		return readNPZ(at, size, name, "")
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
		return in.npz("")
	case hasBanner(in):
		return readMarket(in, mostElements)
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
