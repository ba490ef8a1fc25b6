package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

const planOf1000 = `region                                 offset            bytes
A                                           0          8000000
V                                     8000000          8000000
total                                                 16000000  15.3 MiB

stage                                   flops
band reduction                       1.33e+09
bulge chasing                           6e+06  2992 steps in a row and 8 while sweeps wait: 0.003 s
total                                1.34e+09
`

func TestPlan(t *testing.T) {
	s := newFixture(t)
	stdout, stderr, status := s.run("plan", "--n", "1000", "--device", "pre", "--band", "16", "--block", "64")
	if stdout != planOf1000 || stderr != "Plan for Pretence 9000, 2.0 GiB free.\nIt fits: 15.3 MiB of 2.0 GiB, with vectors.\n" || status != statusSuccess {
		t.Errorf("status %d, %q\n%s\nwant\n%s", status, stderr, stdout, planOf1000)
	}
	if word := s.machine.opened[0].Device; word != "pre" {
		t.Errorf("opened %q", word)
	}
	if opt := s.machine.wanted[0]; opt.Band != 16 || opt.Block != 64 || !opt.Vectors {
		t.Errorf("planned with %+v", opt)
	}
	if s.run("plan", "-n", "1000", "--values-only"); s.machine.wanted[1].Vectors {
		t.Error("--values-only planned vectors")
	}
}

func TestPlanThatDoesNotFit(t *testing.T) {
	s := newFixture(t)
	stdout, stderr, status := s.run("plan", "-n", "20000")
	const says = "vkevd: n = 20000 on Pretence 9000: the workspace needs 6.0 GiB of device memory, 2.0 GiB is free"
	if lastLine(stderr) != says || status != statusDevice || !strings.Contains(stdout, "6400000000  6.0 GiB\n") {
		t.Errorf("status %d\n%s\n%s", status, stdout, stderr)
	}
}

func TestPlanWithoutADevice(t *testing.T) {
	s := newFixture(t)
	s.machine.openErr = fmt.Errorf("%w: no loader", vk.ErrNoDevice)
	stdout, stderr, status := s.run("plan", "-n", "1000")
	const note = "No device here: the plan is for a typical one (no usable Vulkan device: no loader).\n"
	if stdout != planOf1000 || stderr != note || status != statusSuccess {
		t.Errorf("status %d, %q\n%s", status, stderr, stdout)
	}
	s.fails(statusDevice, "no usable Vulkan device: no loader", "plan", "-n", "1000", "--device", "nvidia")
	s.variables["VKEVD_DEVICE"] = "nvidia"
	s.fails(statusDevice, "no usable Vulkan device: no loader", "plan", "-n", "1000")
}

func TestPlanRefused(t *testing.T) {
	s := newFixture(t)
	s.machine.planErr = &evd.OptionError{Option: "Band", Reason: "must be even"}
	s.fails(statusInput, "--band: must be even", "plan", "-n", "1000", "--band", "3")
}

// TestPlanJSON checks that the JSON tells whether a matrix fits, and why not.
func TestPlanJSON(t *testing.T) {
	s := newFixture(t)
	var r planReport
	stdout, _, status := s.run("plan", "-n", "1000", "--json", "-")
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != statusSuccess || r.Fits == nil || !*r.Fits ||
		r.Bytes != 16e6 || r.Free != 2<<30 || r.Host != 8e6 || len(r.Memory) != 2 || len(r.Stages) != 2 || !r.Vectors || r.Reason != "" {
		t.Errorf("status %d, %v: %s", status, err, stdout)
	}
	r = planReport{}
	stdout, _, status = s.run("plan", "-n", "20000", "--values-only", "--json", "-")
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != statusDevice || r.Fits == nil || *r.Fits || r.Vectors ||
		r.Reason != "the workspace needs 6.0 GiB of device memory, 2.0 GiB is free" {
		t.Errorf("status %d, %v: %s", status, err, stdout)
	}
	s.machine.openErr = vk.ErrNoDevice
	r = planReport{}
	stdout, _, status = s.run("plan", "-n", "1000", "--json", "-")
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != statusSuccess || r.Fits != nil || !strings.Contains(stdout, `"fits": null`) {
		t.Errorf("without a device: status %d, %v: %s", status, err, stdout)
	}
}
