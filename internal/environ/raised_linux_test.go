package environ

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// printing makes the test program print the user, the effective user and the variable VKEVD_CACHE,
// and run no tests.
var printing = flag.Bool("print", false, "print the user, the effective user and VKEVD_CACHE")

func TestMain(m *testing.M) {
	flag.Parse()
	if *printing {
		value, set := Lookup("VKEVD_CACHE")
		println(os.Getuid(), os.Geteuid(), value, set)
		return
	}
	os.Exit(m.Run())
}

// TestSetUserID runs this test program as another user: as it is, and as a set-user-ID program.
func TestSetUserID(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: only root can make a set-user-ID program of root")
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{filepath.Dir(dir), dir} { // other users may enter them
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run := func() string {
		c := exec.Command(program, "-print")
		c.Env = append(os.Environ(), "VKEVD_CACHE=/tmp/x")
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Skipf("NOT TESTED: another user cannot run %s: %v %s", program, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if got := run(); got != "65534 65534 /tmp/x true" {
		t.Errorf("a program of the same user prints %q", got)
	}
	if err := os.Chmod(program, 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	got := run()
	if strings.HasPrefix(got, "65534 65534 ") {
		t.Skip("NOT TESTED: set-user-ID has no effect here (nosuid or no_new_privs)")
	}
	if got != "65534 0  false" {
		t.Errorf("a set-user-ID program prints %q", got)
	}
}
