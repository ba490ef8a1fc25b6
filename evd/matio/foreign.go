package matio

import "fmt"

// foreign lists formats that this package does not read. A file of such a format begins with the
// bytes `magic`. The text `convert` is a command of another program that writes a file that can be
// read.
var foreign = []struct{ magic, name, convert string }{
	{"\x89HDF\r\n\x1a\n", "HDF5 (also MATLAB 7.3)", `in Python, numpy.save("A.npy", h5py.File(FILE)["A"][:])`},
	{"MATLAB 5.0 MAT-file", "MATLAB", `in Python, numpy.save("A.npy", scipy.io.loadmat(FILE)["A"])`},
	{"X\n\x00\x00\x00", "R (saveRDS)", `in R, write.csv(readRDS(FILE), "A.csv")`},
	{"RDX", "R (save)", `in R, load it, and write.csv(A, "A.csv")`},
	{"PAR1", "Parquet", `in Python, numpy.save("A.npy", pandas.read_parquet(FILE).to_numpy())`},
	{"\x80\x02", pickle, fromPickle},
	{"\x80\x03", pickle, fromPickle},
	{"\x80\x04", pickle, fromPickle},
	{"\x80\x05", pickle, fromPickle},
}

const pickle, fromPickle = "Python's pickle", `in Python, numpy.save("A.npy", A)`

// unknownFormat is the error about a file that has no format of this package.
func unknownFormat(in *input, name string) error {
	for _, f := range foreign {
		if in.starts(f.magic) {
			return &FormatError{name, 0, fmt.Sprintf("the format of %s is not read; %s converts it", f.name, f.convert)}
		}
	}
	return &FormatError{name, 0, "neither Matrix Market (no " + bannerWord + " banner), .npy, .npz nor a table of numbers"}
}

// hasNoArrays returns an error if the options name an array and the file is no .npz archive.
func (o Options) hasNoArrays(name string) error {
	if o.Array == "" {
		return nil
	}
	return &FormatError{name, 0, fmt.Sprintf("no .npz archive, so it has no array called %s", o.Array)}
}
