package trials

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

func measure(d *vk.Device) (emulated.Facts, error) {
	return emulated.Measured[float64](context.Background(), d, tuning.On(d.Info()).Products)
}

// TestEmulatedProductsThatDoNotCompile checks a driver that cannot compile a kernel of emulated
// products. The error must name the kernel. The error must not be stored: a later driver call may
// succeed.
func TestEmulatedProductsThatDoNotCompile(t *testing.T) {
	d := device(t, vk.Options{})
	end := watch(t, func(c call) driver.Result {
		if c.kernel && c.name == "vkCreateComputePipelines" {
			return -13 // VK_ERROR_UNKNOWN
		}
		return driver.Success
	})
	for range 5 {
		failed := (*vk.Error)(nil)
		if f, err := measure(d); !errors.As(err, &failed) || failed.Kernel == "" || f != (emulated.Facts{}) {
			t.Errorf("%+v, %v", f, err)
		}
	}
	end()
	if f := emulated.Known[float64](d); f != (emulated.Facts{}) {
		t.Errorf("%+v is stored", f)
	}
}

const crashVariable = "VKEVD_TRIALS_CRASH"

// crash is the child process of TestDriverThatCrashesIsNotAskedForever. It measures emulated
// products with a driver that crashes when it compiles a kernel.
func crash(folder string) error {
	d, err := open(vk.Options{CacheDir: folder})
	if err != nil {
		return err
	}
	defer d.Close()
	driver.Fault = func(call string) driver.Result {
		if call == "vkCreateComputePipelines" {
			os.Exit(crashed)
		}
		return driver.Success
	}
	f, err := measure(d)
	fmt.Println(f.Fault)
	return err
}

const crashed = 9 // exit status

// TestDriverThatCrashesIsNotAskedForever starts processes whose driver crashes when it compiles a
// kernel of emulated products. For each kind of integer units, exactly three processes must crash:
// after three crashes with matrix units, packed dot products are tried. Later processes must not
// try again, and must refuse emulated products.
func TestDriverThatCrashesIsNotAskedForever(t *testing.T) {
	folder := t.TempDir()
	tries := 3 * len(emulated.Candidates(device(t, vk.Options{}).Info()))
	for k := range tries + 2 {
		p := exec.Command(os.Args[0])
		p.Env = append(os.Environ(), crashVariable+"="+folder)
		out, err := p.Output()
		if ended := p.ProcessState.ExitCode(); k < tries && ended != crashed || k >= tries && (err != nil || strings.TrimSpace(string(out)) == "") {
			t.Errorf("process %d ended with status %d, %q, %v", k, ended, out, err)
		}
	}
	d, err := open(vk.Options{CacheDir: folder})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	refused := (*vk.UnsupportedError)(nil)
	if _, err := emulated.Force[float64](context.Background(), d, tuning.On(d.Info()).Products); !errors.As(err, &refused) {
		t.Errorf("emulated products are not refused: %v", err)
	}
}
