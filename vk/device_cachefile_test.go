package vk

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestBadCacheFileIsAMiss(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "pipelines.bin")
	if readCache(path).data != nil {
		t.Error("a missing file was read")
	}
	data := []byte("what the driver said")
	if err := writeCache(path, data); err != nil {
		t.Fatal(err)
	}
	if got := readCache(path).data; !bytes.Equal(got, data) {
		t.Fatalf("read %q", got)
	}
	if st, err := os.Stat(filepath.Dir(path)); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("folder %v, %v", st.Mode(), err)
	}
	good, _ := os.ReadFile(path)
	for name, bad := range map[string][]byte{
		"empty": {}, "magic only": cacheMagic, "torn": good[:len(good)-1], "foreign": []byte("VkPipelineCache"),
		"flipped": append(append([]byte{}, good[:len(good)-1]...), good[len(good)-1]^1),
	} {
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if readCache(path).data != nil {
			t.Errorf("%s file was taken", name)
		}
	}
}

// A cache file that another user may have written is not used, because drivers execute its
// contents.
func TestCacheThatOthersMayWriteIsAMiss(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipelines.bin")
	if err := writeCache(path, []byte("data")); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("file %v, %v", st.Mode(), err)
	}
	for mode, taken := range map[os.FileMode]bool{0o600: true, 0o644: true, 0o620: false, 0o606: false, 0o666: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if got := readCache(path).data; (got != nil) != taken {
			t.Errorf("mode %v: read %q", mode, got)
		}
	}
	folder := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if readCache(folder).data != nil {
		t.Error("a folder was read")
	}
}

func FuzzReadCache(f *testing.F) {
	f.Add([]byte{}, []byte("data"))
	f.Fuzz(func(t *testing.T, junk, data []byte) {
		path := filepath.Join(t.TempDir(), "c")
		os.WriteFile(path, junk, 0o600)
		readCache(path)
		if err := writeCache(path, data); err != nil {
			t.Fatal(err)
		}
		if got := readCache(path).data; !bytes.Equal(got, data) {
			t.Errorf("wrote %q, read %q", data, got)
		}
	})
}
