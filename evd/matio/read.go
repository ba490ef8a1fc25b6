package matio

import (
	"io"
	"os"
)

// Options say how to read a file where its content does not decide it. The zero value is what
// ReadFile, Read, ReadTridiagonalFile and ReadTridiagonal use.
type Options struct {
	// Array is the name of the array to take from a .npz file. If empty, it is the only array, or
	// the one called A. Arrays in other files have no names, so the option is ignored for them.
	Array string

	// MatrixMarket says that text is in Matrix Market format, even if it lacks the banner. The text
	// is then general and real: a list of entries if the first line has three numbers, all elements
	// by columns if it has two. If MatrixMarket is false, a file without the banner is a table of
	// numbers.
	MatrixMarket bool
}

// ReadFile reads the matrix in a file, whatever the ending of its name: the content decides between
// Matrix Market, .npy, .npz and tables of text. Each may be compressed with gzip. A file called
// .mtx or .mtx.gz is never read as a table. Without Matrix Market's banner it is refused.
//
// Errors name the file. They are *FormatError, *TooLargeError, or those of the operating system.
func ReadFile(path string) (*Dense, error) { return Options{}.ReadFile(path) }

// Read reads the matrix in a stream in the same way as ReadFile. name stands for the file's name.
// The stream is read to its end, and not closed.
func Read(r io.Reader, name string) (*Dense, error) { return Options{}.Read(r, name) }

// ReadFile does the same as the function ReadFile, with these options.
func (o Options) ReadFile(path string) (*Dense, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return o.Read(f, path)
}

// Read does the same as the function Read, with these options. The first bytes, after gzip is
// unpacked, decide in this order:
//
//	PK\x03\x04       .npz; a file is read by random access, a stream is held in memory
//	\x93NUMPY        .npy
//	%%MatrixMarket   Matrix Market; capital or small letters
//	anything else    Matrix Market without a banner, if Options.MatrixMarket is true
//	text             a table, if it begins like one (see ReadCSV) and is not called .mtx
//
// Any other content is a *FormatError. A zip archive inside gzip is read, too. Only .npy files of
// an archive are used.
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

// ReadMatrixMarket reads a matrix in Matrix Market format, compressed with gzip or not. The banner
// is required. If the file is symmetric, both triangles are filled, and DeclaredSymmetric is true.
// name stands for the file in errors, which are *FormatError, *TooLargeError and those of r.
func ReadMatrixMarket(r io.Reader, name string) (*Dense, error) {
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	defer in.done()
	return readMarket(in, mostElements)
}

// ReadNPY reads an array of two dimensions in .npy format, compressed with gzip or not. An array in
// C order is transposed (see the package documentation about memory). name stands for the file in
// errors, which are *FormatError, *TooLargeError and those of r.
func ReadNPY(r io.Reader, name string) (*Dense, error) {
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	defer in.done()
	return readNPY(in, mostElements)
}
