package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestMayWait checks that waiting workgroups make progress on the device of the tests. It also
// checks that the probe detects a first workgroup that does nothing.
func TestMayWait(t *testing.T) {
	m := Of(stagetest.Device(t))
	for range 2 {
		if ok, err := m.MayWait(context.Background(), false); !ok || err != nil {
			t.Errorf("workgroups may wait: %v, %v", ok, err)
		}
	}
	info, err := probeProgress(context.Background(), m, 4, 1000, true, false, func() {})
	if err != nil || info == 0 || info > 3 {
		t.Errorf("the first of four workgroups does nothing: INFO = %d, %v; want the ticket that was waited for", info, err)
	}
}

// TestMayWaitAfterACancel checks that no result is stored after a cancelled probe, so that the next
// call runs the probe again.
func TestMayWaitAfterACancel(t *testing.T) {
	m := Of(open(t))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if ok, err := m.MayWait(ctx, false); ok || err == nil {
		t.Errorf("cancelled: %v, %v", ok, err)
	}
	if ok, err := m.MayWait(context.Background(), false); !ok || err != nil {
		t.Errorf("after a cancelled probe: %v, %v", ok, err)
	}
}

// TestMayWaitGivesUpOnADeviceThatIsLost checks a device that is lost in each run of the probe. The
// probe must run three times and then never again. The start of each run must be stored before its
// dispatch, because the process may end when the device is lost.
func TestMayWaitGivesUpOnADeviceThatIsLost(t *testing.T) {
	m := Of(open(t))
	runs := 0
	lost := func(begin func()) (uint32, error) {
		runs++
		begin()
		return 0, fmt.Errorf("run %d: %w", runs, vk.ErrDeviceLost)
	}
	for range mostBegun {
		if ok, err := m.mayWait(lost); ok || !errors.Is(err, vk.ErrDeviceLost) {
			t.Errorf("run %d: %v, %v", runs, ok, err)
		}
	}
	for range 2 {
		if ok, err := m.mayWait(lost); ok || err != nil || runs != mostBegun {
			t.Errorf("after %d runs: %v, %v", runs, ok, err)
		}
	}
}

// TestMayWaitAfterABegunRun checks the case that another process has started the probe and stored
// no result. The probe must run again, and its result must be stored.
func TestMayWaitAfterABegunRun(t *testing.T) {
	for _, c := range []struct {
		info uint32
		want bool
	}{{0, true}, {1, false}} {
		m, runs := Of(open(t)), 0
		m.dev.SetProbe(progressFact, fmt.Sprintf(begun, 1))
		for range 2 {
			ok, err := m.mayWait(func(begin func()) (uint32, error) {
				runs++
				begin()
				return c.info, nil
			})
			if ok != c.want || err != nil || runs != 1 {
				t.Errorf("INFO %d: %v, %v after %d runs", c.info, ok, err, runs)
			}
		}
	}
	if ok, err := Of(vk.Dry(vk.Info{})).MayWait(context.Background(), false); !ok || err != nil {
		t.Errorf("a dry device: %v, %v", ok, err)
	}
}

// TestMayMeet checks that a result of MayMeet is stored under its name, that the start of each run
// is stored before the run, and that the trial does not run again after the device was lost three
// times.
func TestMayMeet(t *testing.T) {
	m, runs := Of(open(t)), map[string]int{}
	trial := func(name string, info uint32, err error) Trial {
		return func(begin func()) (uint32, error) {
			runs[name]++
			begin()
			return info, err
		}
	}
	for range 2 {
		if ok, err := m.MayMeet("few", trial("few", 0, nil)); !ok || err != nil || runs["few"] != 1 {
			t.Errorf("few workgroups: %v, %v after %d runs", ok, err, runs["few"])
		}
	}
	// During a run of the trial, another program may use some compute units, so only three failed
	// runs give the result “no”.
	for k := range mostBegun + 2 {
		ok, err := m.MayMeet("many", trial("many", 7, nil))
		if ok || err != nil || runs["many"] != min(k+1, mostBegun) {
			t.Errorf("many workgroups, call %d: %v, %v after %d runs", k, ok, err, runs["many"])
		}
	}
	if ok, err := m.MayMeet("busy", trial("busy", 7, nil)); ok || err != nil {
		t.Errorf("on a busy device: %v, %v", ok, err)
	}
	for range 2 {
		if ok, err := m.MayMeet("busy", trial("busy", 0, nil)); !ok || err != nil || runs["busy"] != 2 {
			t.Errorf("later: %v, %v after %d runs", ok, err, runs["busy"])
		}
	}
	for range mostBegun {
		if ok, err := m.MayMeet("fatal", trial("fatal", 0, vk.ErrDeviceLost)); ok || !errors.Is(err, vk.ErrDeviceLost) {
			t.Errorf("a lost device: %v, %v", ok, err)
		}
		if kept, _ := m.dev.ProbeOnce(meetingFact+"fatal", nil); kept != fmt.Sprintf(begun, runs["fatal"]) {
			t.Errorf("%q is written down after run %d", kept, runs["fatal"])
		}
	}
	if ok, err := m.MayMeet("fatal", trial("fatal", 0, nil)); ok || err != nil || runs["fatal"] != mostBegun {
		t.Errorf("after %d lost devices: %v, %v", runs["fatal"], ok, err)
	}
	if ok, err := Of(vk.Dry(vk.Info{})).MayMeet("dry", nil); !ok || err != nil {
		t.Errorf("a dry device: %v, %v", ok, err)
	}
}

// open opens a device for one test, which may change the device's facts.
func open(t *testing.T) *vk.Device {
	t.Helper()
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

func TestRatesAreKept(t *testing.T) {
	m := Of(open(t))
	if r := m.Rates(); r != (Rates{}) {
		t.Errorf("%+v before any was measured", r)
	}
	want := Rates{FP64: 1.5e12, INT8: 3e14}
	m.KeepRates(want)
	if r := m.Rates(); r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
}

// TestMayWaitAfterAWaitThatFailed checks that MayWait returns “no” after a wait between workgroups
// failed in a solve, whatever results and runs were stored before, and that the probe does not run
// again. On a dry device the result must be “yes” before the failure, and “no” afterwards.
func TestMayWaitAfterAWaitThatFailed(t *testing.T) {
	run := func(func()) (uint32, error) {
		t.Error("the probe runs again")
		return 0, nil
	}
	for _, before := range []string{"", yes, no, fmt.Sprintf(begun, 1)} {
		m := Of(open(t))
		if before != "" {
			m.dev.SetProbe(progressFact, before)
		}
		m.WaitFailed()
		if ok, err := m.mayWait(run); ok || err != nil {
			t.Errorf("after %q: %v, %v", before, ok, err)
		}
	}
	dry := Of(vk.Dry(vk.Info{}))
	for _, want := range []bool{true, false} {
		if ok, err := dry.MayWait(context.Background(), false); ok != want || err != nil {
			t.Errorf("a dry device: %v, %v, want %v", ok, err, want)
		}
		dry.WaitFailed()
	}
}

// In some kernels each workgroup waits for all others. A trial finds out whether a device allows
// it. TestMeetFailed checks that such waits are not used any more after one of them has failed in a
// solve, even if the trial allowed them. Other kinds of waits must stay allowed. The same must be
// true for a vk.Dry device, which runs no kernels.
func TestMeetFailed(t *testing.T) {
	trial := func(begin func()) (uint32, error) { begin(); return 0, nil }
	for _, m := range []*Machine{Of(open(t)), Of(vk.Dry(vk.Info{}))} {
		if ok, err := m.MayMeet("few", trial); !ok || err != nil || m.MeetingFailed() {
			t.Errorf("before: %v, %v", ok, err)
		}
		m.MeetFailed()
		for _, what := range []string{"few", "others"} {
			if ok, err := m.MayMeet(what, trial); ok || err != nil || !m.MeetingFailed() {
				t.Errorf("%s after a failed wait: %v, %v", what, ok, err)
			}
		}
		if ok, err := m.MayWait(context.Background(), false); !ok || err != nil {
			t.Errorf("other waits: %v, %v", ok, err)
		}
	}
}
