package vk

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
)

// cacheMagic is the beginning of a cache file. The SHA-256 hash of the data follows, and then the
// data. Drivers do not check the data that they are given. The hash therefore keeps the data of
// damaged files away from drivers.
var cacheMagic = []byte("vkevd pipelines 1\n")

// readCache returns the data of a cache file. It returns nil if the file is missing or damaged, if
// it is not a cache file, or if another user may have written it.
func readCache(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || !trusted(info) {
		return nil
	}
	file, err := io.ReadAll(f)
	if err != nil {
		return nil
	}
	body, ok := bytes.CutPrefix(file, cacheMagic)
	if !ok || len(body) < sha256.Size {
		return nil
	}
	sum, data := body[:sha256.Size], body[sha256.Size:]
	if want := sha256.Sum256(data); !bytes.Equal(sum, want[:]) {
		return nil
	}
	return data
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
