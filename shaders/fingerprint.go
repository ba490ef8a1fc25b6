package shaders

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
)

// Fingerprint is a hash of all kernels. Two builds with the same fingerprint run the same kernels.
func Fingerprint() string {
	h := sha256.New()
	names, _ := fs.Glob(spv, "spv/*.spv") // sorted
	for _, name := range names {
		words, _ := spv.ReadFile(name)
		fmt.Fprintf(h, "%s %d\n", name, len(words))
		h.Write(words)
	}
	return hex.EncodeToString(h.Sum(nil))
}
