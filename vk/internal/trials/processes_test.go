package trials

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

const childVariable = "VKEVD_TRIALS_CHILD"

// TestMain runs the tests, or a child process of a test. TestSeveralProcessesOneDevice starts this
// program again with childVariable set. Its child process solves some matrices and prints a hash.
// TestDriverThatCrashesIsNotAskedForever sets crashVariable.
func TestMain(m *testing.M) {
	if dir := os.Getenv(crashVariable); dir != "" {
		if err := crash(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if dir := os.Getenv(childVariable); dir != "" {
		found, err := child(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(found)
		return
	}
	os.Exit(m.Run())
}

// child solves some matrices on a device that shares its cache folder with other processes. It
// returns a hash of all bits of the results.
func child(cacheDir string) (string, error) {
	d, err := open(vk.Options{CacheDir: cacheDir})
	if err != nil {
		return "", err
	}
	defer d.Close()
	hash := sha256.New()
	for n := 10; n <= 70; n += 20 {
		res, err := oneSolve(context.Background(), d, n, evd.Options{Vectors: true})
		if err != nil {
			return "", err
		}
		binary.Write(hash, binary.LittleEndian, res.Values)
		binary.Write(hash, binary.LittleEndian, res.Vectors.Data)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// Processes that use one device and one cache folder at the same time get the same bits as one
// process alone.
func TestSeveralProcessesOneDevice(t *testing.T) {
	when.Skip(t, when.Validation, "the calls of other tests")
	dir := t.TempDir()
	want, err := child(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil { // so that all processes below write it
		t.Fatal(err)
	}
	type process struct {
		*exec.Cmd
		out, err bytes.Buffer
	}
	all := make([]process, 3)
	for i := range all {
		p := &all[i]
		p.Cmd = exec.Command(os.Args[0])
		p.Env = append(os.Environ(), childVariable+"="+dir)
		p.Stdout, p.Stderr = &p.out, &p.err
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range all {
		p := &all[i]
		if err := p.Wait(); err != nil || p.out.String() != want+"\n" {
			t.Errorf("process %d: %v, %q, %q, want %q", i, err, p.out.String(), p.err.String(), want)
		}
	}
}
