package farm

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDoctorOnNullDevices checks commands on a null device, a driver without a GPU. Each command
// must print a message and must not crash. (Mesa's driver crashed if a program read the free memory
// of some of these devices.)
func TestDoctorOnNullDevices(t *testing.T) {
	folder := t.TempDir()
	command := filepath.Join(folder, "vkevd")
	if out, err := exec.Command("go", "build", "-o", command, "../../cmd/vkevd").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const message = "memory: needs some, has none: there is a driver, but no device"
	for _, c := range chips {
		for _, use := range []struct {
			args []string
			exit int
		}{{[]string{"doctor"}, 1}, {[]string{"devices"}, 0}, {[]string{"bench", "peaks"}, 1}} {
			compileFor(t, c.name) // skips where the driver does not know the chip
			cmd := exec.Command(command, use.args...)
			cmd.Env = append(environment(t, c.name), "XDG_CACHE_HOME="+folder)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			text := string(out)
			if code := cmd.ProcessState.ExitCode(); code <= 0 != (use.exit == 0) || !strings.Contains(text, message) || strings.Contains(text, "goroutine ") {
				t.Errorf("%s: vkevd %s: exit status %d\n%s", c.name, strings.Join(use.args, " "), code, text)
			}
		}
	}
}
