package vk

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"

	"github.com/vkevd/vkevd/internal/ownfile"
)

// cacheMagic is the beginning of a cache file. The SHA-256 hash of the data follows, and then the
// data. Drivers do not check their data, so the hash keeps damaged data from them.
var cacheMagic = []byte("vkevd pipelines 1\n")

type storedCache struct {
	data []byte
	sum  [sha256.Size]byte
}

// mostCached is the largest size of a cache file that is read, in bytes. A file with all kernels of
// vkevd has some megabytes.
const mostCached = 256 << 20

// readCache returns the data of a cache file. It returns no data if the file is missing, damaged or
// larger than mostCached, or if another user may have written it.
func readCache(path string) (c storedCache) {
	file, info, err := ownfile.Read(path, mostCached)
	if err != nil || !trusted(info) {
		return c
	}
	body, ok := bytes.CutPrefix(file, cacheMagic)
	if !ok || len(body) < sha256.Size {
		return c
	}
	sum, data := body[:sha256.Size], body[sha256.Size:]
	if want := sha256.Sum256(data); bytes.Equal(sum, want[:]) {
		c = storedCache{data, want}
	}
	return c
}

// writeCache replaces a cache file in one step: a concurrent reader sees either the old file or the
// new one. If the folder does not exist, writeCache makes a folder that only the user may read.
func writeCache(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".pipelines-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	sum := sha256.Sum256(data)
	_, err = f.Write(bytes.Join([][]byte{cacheMagic, sum[:], data}, nil))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
