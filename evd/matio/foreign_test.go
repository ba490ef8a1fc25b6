package matio

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// inUTF16 returns a text in UTF-16, with or without a byte order mark.
func inUTF16(order binary.ByteOrder, mark bool, text string) string {
	units := utf16.Encode([]rune(text))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	var b bytes.Buffer
	binary.Write(&b, order, units)
	return b.String()
}

func inTar(content string) string {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	w.WriteHeader(&tar.Header{Name: "A.csv", Size: int64(len(content)), Mode: 0o600})
	io.WriteString(w, content)
	w.Close()
	return b.String()
}

// foreignFiles has the beginnings of files of other programs, and a part of the message about each.
var foreignFiles = []struct{ file, want string }{
	{"BZh91AY&SY\xd0\xb5\x1d=\x00\x00\x02X", "bzip2 is not read: unpack it, with bunzip2 FILE"},
	{"\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4F", "xz is not read: unpack it, with unxz FILE"},
	{"(\xb5/\xfd$\x08A\x00\x001 2\n3 4\n", "zstd is not read: unpack it, with unzstd FILE"},
	{"\x04\"M\x18d@\xa7\x08\x00\x00\x801 2\n3 4\n", "lz4 is not read"},
	{"]\x00\x00\x80\x00\xff\xff\xff\xff", "lzma is not read"},
	{"LZIP\x01\x0c\x00\x18\x88", "lzip is not read"},
	{"\x1f\x9d\x901@\xc8P\x00\x03\x04", "compress (.Z) is not read"},
	{gzipped(gzipped("1 2\n2 3\n")), "gzip inside gzip is not read: unpack it once"},
	{"7z\xbc\xaf\x27\x1c\x00\x04", "7-Zip is not read"},
	{"Rar!\x1a\x07\x01\x00", "RAR is not read"},
	{inTar("1 2\n2 3\n"), "a tar archive is not read: unpack it, with tar xf FILE"},
	{gzipped(inTar("1 2\n2 3\n")), "a tar archive is not read: unpack it, with tar xf FILE"},
	{npz(zip.Store), "an empty zip archive is not read"},
	{"\x89HDF\r\n\x1a\n\x00", `HDF5 (also MATLAB 7.3) is not read: in Python, numpy.save("A.npy", h5py.File(FILE)["A"][:])`},
	{"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: x HDF5 schema 1.00 .", "MATLAB 7.3 (HDF5) is not read: in Python"},
	{"MATLAB 5.0 MAT-file Platform: posix, Created on: Sat Nov 28 02:49:19 2026" + strings.Repeat("\x00", 52) + "\x01IM", "MATLAB is not read: in Python"},
	{gzipped("X\n\x00\x00\x00\x03"), `R (saveRDS) is not read: in R, write.csv(readRDS(FILE), "A.csv")`},
	{gzipped("RDX3\nX\n\x00\x00\x00\x03"), "R (save) is not read: in R"},
	{"PAR1\x15\x04\x15\x20", "Parquet is not read: in Python"},
	{"ARROW1\x00\x00\xff\xff", "Arrow (Feather) is not read"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", "Excel (.xls) is not read: in Excel"},
	{"\x80\x04\x95", `Python's pickle is not read: in Python, numpy.save("A.npy", A)`},
	{"%PDF-1.7\n%\xb5\xb5\n", "PDF is not read"},
	{"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "a pointer of Git LFS, not the file itself, is not read: fetch the file, with git lfs pull"},
	{"/annex/objects/SHA256E-s32--4d7a\n", "a pointer of git-annex"},
	{inUTF16(binary.LittleEndian, true, "1\t2\r\n2\t3\r\n"), "text in UTF-16 is not read: iconv -f UTF-16 -t UTF-8 FILE > NEW converts it"},
	{inUTF16(binary.BigEndian, true, "1\t2\r\n2\t3\r\n"), "text in UTF-16 is not read"},
	{inUTF16(binary.LittleEndian, false, "1\t2\r\n2\t3\r\n"), "text in UTF-16 is not read"},
	{inUTF16(binary.BigEndian, false, "a\tb\n2\t3"), "text in UTF-16 is not read"},
	{"\n <!DOCTYPE html>\n<html><body>404</body></html>\n", "HTML or XML is not read: perhaps a server sent this page instead of the file"},
	{byteOrderMark + "<?xml version=\"1.0\"?>\n<table/>\n", "HTML or XML is not read"},
	{"\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x00@", "binary data of an unknown format is not read: if the file has only doubles, in Python"},
}

// TestForeignFormatsAreNamed checks that every reader names a format that this package does not
// read, and says what to do.
func TestForeignFormatsAreNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, c := range foreignFiles {
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		for name, read := range readers {
			if name == "OpenNPYColumns" || name == "NPYColumns.Read" || name == "ReadAll" {
				continue // they say that they need a .npy file without compression, or read any bytes
			}
			for _, stream := range []func() io.Reader{
				func() io.Reader { return strings.NewReader(c.file) }, func() io.Reader { return streamed(c.file) },
			} {
				if err := read(someFile{stream, path}); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s of %.20q: %v\nwant %s", name, c.file, err, c.want)
				}
			}
		}
	}
	for _, table := range []string{"BZh,LZIP\n1,2\n3,4\n", "PAR1,PAR2\n1,2\n3,4\n", "RDX2 RDX3\n1 2\n3 4\n"} {
		if d, err := Read(strings.NewReader(table), "f"); err != nil || !same(d.Data, []float64{1, 3, 2, 4}) {
			t.Errorf("%q: %v, %v", table, d, err)
		}
	}
}

// TestArchivesOfOtherFiles checks the message about a zip archive without arrays.
func TestArchivesOfOtherFiles(t *testing.T) {
	table := "1,2\n2,3\n"
	for _, c := range []struct{ file, want string }{
		{npz(zip.Deflate, "a.csv", table), "the archive holds no .npy array, but a.csv: unpack it, with unzip FILE"},
		{npz(zip.Deflate, "a.csv", table, "b.csv", table), "but a.csv, b.csv: unpack it"},
		{npz(zip.Deflate, "a", "", "b", "", "c", "", "d", ""), "but 4 other files: unpack it"},
		{npz(zip.Deflate, strings.Repeat("a", 300), ""), "but 1 other file: unpack it"},
		{npz(zip.Deflate, "[Content_Types].xml", "", "xl/workbook.xml", ""), "an Excel workbook (.xlsx) is not read: in Excel"},
		{npz(zip.Store, "mimetype", "", "content.xml", ""), "an OpenDocument file (.ods) is not read"},
		{npz(zip.Store, "A/data.pkl", "", "A/data/0", ""), "a file of PyTorch is not read: in Python"},
	} {
		for _, name := range []string{"Read", "ReadNPZ", "ReadTridiagonal", "Options.ReadStacks"} {
			err := readers[name](someFile{stream: func() io.Reader { return streamed(c.file) }})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v\nwant %s", name, err, c.want)
			}
		}
	}
	err := readers["ReadVector"](someFile{stream: func() io.Reader { return streamed(npz(zip.Store, "v.npy", "")) }})
	if err == nil || !strings.Contains(err.Error(), "a vector is not read from an archive: in Python, numpy.save") {
		t.Error(err)
	}
}
