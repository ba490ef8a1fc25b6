package driver

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// These are the stages and accesses of three kinds of barriers: a barrier between dispatches, a
// barrier before or after a fill or a copy, and the barrier at the end of a batch, before the host
// reads the results.
const (
	betweenDispatches = "barrier stages 0x800 to 0x800, accesses 0x40 to 0x60"
	withTransfers     = "barrier stages 0x1800 to 0x1800, accesses 0x1040 to 0x1860"
	toTheHost         = "barrier stages 0x1800 to 0x5800, accesses 0x1040 to 0x3860"
)

// The test compiles the C function vke_record with functions that replace those of Vulkan and print
// their arguments. vke_record must give each barrier the pipeline stages and accesses of the
// commands before and after it. The last barrier of a batch must include the host.
func TestRecordedBarriers(t *testing.T) {
	program := filepath.Join(t.TempDir(), "trace")
	if out, err := exec.Command("cc", "-o", program, filepath.Join("testdata", "record_trace.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const dispatch, first = "push 16\ndispatch 1 2 3\n", "bind 7\n"
	for commands, want := range map[string]string{
		"":        toTheHost,
		"D":       first + dispatch + toTheHost,
		"DBDB":    first + dispatch + betweenDispatches + "\n" + dispatch + betweenDispatches + "\n" + toTheHost,
		"FBD":     "fill\n" + withTransfers + "\n" + first + dispatch + toTheHost,
		"DBF":     first + dispatch + withTransfers + "\nfill\n" + toTheHost,
		"DBDBC":   first + dispatch + betweenDispatches + "\n" + dispatch + withTransfers + "\ncopy 5 at 50 to 4 at 40\n" + toTheHost,
		"CBDBD":   "copy 5 at 50 to 4 at 40\n" + withTransfers + "\n" + first + dispatch + betweenDispatches + "\n" + dispatch + toTheHost,
		"FDBD":    "fill\n" + first + dispatch + withTransfers + "\n" + dispatch + toTheHost,
		"DBDF":    first + dispatch + withTransfers + "\n" + dispatch + "fill\n" + toTheHost,
		"TDBFBDT": "reset 2\ntimestamp 0x2000\n" + first + dispatch + withTransfers + "\nfill\n" + withTransfers + "\n" + dispatch + "timestamp 0x2000\n" + toTheHost,
	} {
		out, err := exec.Command(program, commands).Output()
		if err != nil {
			t.Fatal(err)
		}
		if have := strings.TrimSpace(string(out)); have != want {
			t.Errorf("%q gives\n%s\nwant\n%s", commands, have, want)
		}
	}
}
