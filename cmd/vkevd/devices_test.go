package main

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/doctor"
	"github.com/vkevd/vkevd/vk"
)

func TestDevices(t *testing.T) {
	s := newFixture(t)
	s.machine.info.Features = []string{doctor.DoublePrecision, "storageBuffer16BitAccess"}
	stdout, stderr, status := s.run("devices")
	const want = `   name           type      memory   free     driver      Vulkan
0  Pretence 9000  discrete  3.0 GiB  2.0 GiB  gonum 0.17  1.3.0
`
	if stdout != want || stderr != "" || status != cli.StatusSuccess {
		t.Errorf("status %d\n%s\nwant\n%s\nstderr %q", status, stdout, want, stderr)
	}
	s.machine.info.Problem = "Pretence 9000: shaderFloat64: needs yes, has no"
	if stdout, _, _ := s.run("devices"); stdout != want+"0 cannot be used: "+s.machine.info.Problem+"\n" {
		t.Errorf("the problem is not told:\n%s", stdout)
	}
	s.machine.info.Problem, s.machine.info.Features = "", nil
	const lacks = "0 cannot store numbers in half precision: it has no storageBuffer16BitAccess\n"
	if stdout, _, _ := s.run("devices"); stdout != want+lacks {
		t.Errorf("no 16-bit storage:\n%s", stdout)
	}
}

func TestDevicesJSON(t *testing.T) {
	s := newFixture(t)
	stdout, _, status := s.run("devices", "--json", "-")
	var infos []vk.Info
	if err := json.Unmarshal([]byte(stdout), &infos); err != nil || status != cli.StatusSuccess {
		t.Fatalf("status %d, %v in\n%s", status, err, stdout)
	}
	if len(infos) != 1 || infos[0].Name != fakeInfo.Name || infos[0].Free != fakeInfo.Free {
		t.Errorf("got %+v", infos)
	}
}

func TestNoDevices(t *testing.T) {
	s := newFixture(t)
	s.machine.listErr = fmt.Errorf("%w: no loader", vk.ErrNoDevice)
	s.fails(cli.StatusDevice, "no usable Vulkan device: no loader", "devices")
	s.machine.listErr, s.machine.none = nil, true
	s.fails(cli.StatusDevice, "no usable Vulkan device: the Vulkan loader found no driver; on Debian and Ubuntu: apt install mesa-vulkan-drivers", "devices", "--json", "-")
}
