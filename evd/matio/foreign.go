package matio

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/vkevd/vkevd/evd/matio/internal/stream"
)

// foreign lists formats that this package does not read. A file of such a format begins with the
// bytes `magic`. The text `convert` is a command of another program that makes a file that can be
// read. A table may have a header that begins with the same letters. So if `magic` consists of a
// few letters, the file has this format only if there are binary data in its first bytes.
var foreign = []struct{ magic, name, convert string }{
	{"BZh", "bzip2", "unpack it, with bunzip2 FILE"},
	{"\xfd7zXZ\x00", "xz", "unpack it, with unxz FILE"},
	{"\x28\xb5\x2f\xfd", "zstd", "unpack it, with unzstd FILE"},
	{"\x04\x22\x4d\x18", "lz4", "unpack it, with unlz4 FILE"},
	{"\x5d\x00\x00", "lzma", "unpack it, with unlzma FILE"},
	{"LZIP", "lzip", "unpack it, with lzip -d FILE"},
	{"\x1f\x9d", "compress (.Z)", "unpack it, with uncompress FILE"},
	{stream.GzipMagic, "gzip inside gzip", "unpack it once, with gunzip FILE"},
	{"7z\xbc\xaf\x27\x1c", "7-Zip", "unpack it, with 7z x FILE"},
	{"Rar!\x1a\x07", "RAR", "unpack it, with unrar x FILE"},
	{"PK\x05\x06", "an empty zip archive", "numpy.savez(FILE, A=A) stores a matrix"},
	{"\x89HDF\r\n\x1a\n", "HDF5 (also MATLAB 7.3)", fromHDF5},
	{"MATLAB 7.3 MAT-file", "MATLAB 7.3 (HDF5)", fromHDF5},
	{"MATLAB 5.0 MAT-file", "MATLAB", `in Python, numpy.save("A.npy", scipy.io.loadmat(FILE)["A"])`},
	{"Octave-1-L", "Octave (save -binary)", `in Octave, save -7 A.mat A; in Python, numpy.save("A.npy", scipy.io.loadmat("A.mat")["A"])`},
	{"ARMA_MAT_BIN_", "Armadillo (arma_binary)", `in C++, A.save("A.csv", arma::csv_ascii)`},
	{"X\n\x00\x00\x00", "R (saveRDS)", `in R, write.csv(readRDS(FILE), "A.csv")`},
	{"RDX2\n", "R (save)", fromR}, {"RDX3\n", "R (save)", fromR},
	{"RDA2\n", "R (save)", fromR}, {"RDA3\n", "R (save)", fromR},
	{"PAR1", "Parquet", `in Python, numpy.save("A.npy", pandas.read_parquet(FILE).to_numpy())`},
	{"ARROW1\x00\x00", "Arrow (Feather)", `in Python, numpy.save("A.npy", pandas.read_feather(FILE).to_numpy())`},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Excel (.xls)", "in Excel, save the sheet as CSV UTF-8"},
	{"SIMPLE  =", "FITS", `in Python, numpy.save("A.npy", astropy.io.fits.getdata(FILE))`},
	{"CDF\x01", netCDF, fromNetCDF}, {"CDF\x02", netCDF, fromNetCDF}, {"CDF\x05", netCDF, fromNetCDF},
	{"SQLite format 3\x00", "SQLite", `in Python, numpy.save("A.npy", pandas.read_sql(QUERY, sqlite3.connect(FILE)).to_numpy())`},
	{"\x80\x02", pickle, fromPickle}, {"\x80\x03", pickle, fromPickle},
	{"\x80\x04", pickle, fromPickle}, {"\x80\x05", pickle, fromPickle},
	{"%PDF-", "PDF", "ask for the numbers as CSV"},
	{"version https://git-lfs.github.com/", "a pointer of Git LFS, not the file itself,", "fetch the file, with git lfs pull"},
	{"/annex/objects/", "a pointer of git-annex, not the file itself,", "fetch the file, with git annex get FILE"},
}

const (
	pickle, fromPickle = "Python's pickle", `in Python, numpy.save("A.npy", A)`
	netCDF, fromNetCDF = "NetCDF", `in Python, numpy.save("A.npy", xarray.open_dataset(FILE)["A"])`
	fromHDF5           = `in Python, numpy.save("A.npy", h5py.File(FILE)["A"][:])`
	fromR              = `in R, load it, and write.csv(A, "A.csv")`
)

// markup lists the beginnings, in small letters, of pages that a server sends in place of a file.
var markup = []string{"<!doctype", "<html", "<head", "<body", "<!--", "<?xml", "<svg"}

// knownForeign returns an error if the input has a format of another program, which no reader of
// this package reads. It consumes nothing.
func knownForeign(in *input) error {
	const enough = 512 // bytes: a block of a tar archive, in which its magic is in the middle
	start, _ := in.Peek(enough)
	if bytes.HasPrefix(start, []byte(npyMagic)) || bytes.HasPrefix(start, []byte(zipMagic)) {
		return nil
	}
	refused := func(name, convert string) error { return in.errorf("%s is not read: %s", name, convert) }
	binary := bytes.ContainsFunc(start, func(c rune) bool { return c < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1a", c) })
	for _, f := range foreign {
		letters := len(f.magic) < 5 && strings.IndexFunc(f.magic, func(c rune) bool { return c < ' ' || c > '~' }) < 0
		if bytes.HasPrefix(start, []byte(f.magic)) && (binary || !letters) {
			return refused(f.name, f.convert)
		}
	}
	if tar := []byte("ustar"); len(start) == enough && bytes.HasPrefix(start[257:], tar) {
		return refused("a tar archive", "unpack it, with tar xf FILE")
	}
	if isUTF16(start) {
		return refused("text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE > NEW converts it; in Excel, save as CSV UTF-8")
	}
	text := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(start, []byte(byteOrderMark))))
	for _, beginning := range markup {
		if bytes.HasPrefix(text, []byte(beginning)) {
			return refused("HTML or XML", "perhaps a server sent this page instead of the file; look at it, and fetch the file again")
		}
	}
	if bytes.IndexByte(start, 0) >= 0 {
		return refused("binary data of an unknown format", `if the file has only doubles, in Python, numpy.save("A.npy", numpy.fromfile(FILE).reshape(n, n))`)
	}
	return nil
}

// isUTF16 reports whether the beginning of a file is text in UTF-16 or UTF-32: it has their byte
// order mark, or every other byte is zero.
func isUTF16(start []byte) bool {
	if bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")) || bytes.HasPrefix(start, []byte("\x00\x00\xfe\xff")) {
		return true
	}
	zeros := [2]int{} // at even and odd places
	for i, c := range start {
		if c == 0 {
			zeros[i%2]++
		}
	}
	odd := len(start) / 2
	even := len(start) - odd
	return odd > 1 && (zeros == [2]int{0, odd} || zeros == [2]int{even, 0})
}

func unknownFormat(in *input) error {
	if in.starts("[") || in.starts("{") {
		return in.errorf(`JSON is read only for a list of numbers; in Python, numpy.save("A.npy", json.load(open(FILE))) converts a matrix`)
	}
	return in.errorf("neither Matrix Market (no %s banner), .npy, .npz nor a table of numbers", bannerWord)
}

// noArrays is the error about an archive that has no .npy array. It says what the archive holds.
func (z *archive) noArrays() error {
	const what = "the archive holds no .npy array"
	var names []string
	for _, f := range z.files {
		switch names = append(names, f.Name); {
		case f.Name == "xl/workbook.xml":
			return z.errorf("an Excel workbook (.xlsx) is not read: in Excel, save the sheet as CSV UTF-8")
		case f.Name == "content.xml":
			return z.errorf("an OpenDocument file (.ods) is not read: save the sheet as CSV")
		case strings.HasSuffix(f.Name, "/data.pkl"):
			return z.errorf(`a file of PyTorch is not read: in Python, numpy.save("A.npy", torch.load(FILE).numpy())`)
		}
	}
	if len(names) == 0 {
		return z.errorf(what)
	}
	list := strings.Join(names[:min(len(names), 3)], ", ")
	switch {
	case len(names) == 1 && len(list) > 200:
		list = "1 other file"
	case len(names) > 3 || len(list) > 200:
		list = fmt.Sprintf("%d other files", len(names))
	}
	return z.errorf("%s, but %s: unpack it, with unzip FILE", what, list)
}

// hasNoArrays returns an error if the options name an array. The file is no .npz archive.
func (o Options) hasNoArrays(in *input) error {
	if o.Array == "" {
		return nil
	}
	return in.errorf("no .npz archive, so it has no array called %s", o.Array)
}
