package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeSystem makes a folder with files of proc and sys, from which memoryLeft reads until the end
// of the test. The arguments are names and contents.
func fakeSystem(t testing.TB, files ...string) {
	t.Helper()
	folder := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(folder, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	real := systemFolder
	systemFolder = folder
	t.Cleanup(func() { systemFolder = real })
}

// TestMemoryLimits reads the memory that a process has left from the files of several systems.
func TestMemoryLimits(t *testing.T) {
	const (
		mib      = 1 << 20
		mounted2 = "34 28 0:29 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate\n"
		machine  = "MemTotal:  8388608 kB\nMemFree: 1024 kB\nMemAvailable:  4194304 kB\nSwapFree: 1048576 kB\n"
	)
	for _, c := range []struct {
		name  string
		want  int64 // MiB
		files []string
	}{
		{"a machine without groups", 5120, []string{"proc/meminfo", machine}},
		{"a container, version 2", 700, []string{
			"proc/meminfo", machine, "proc/self/cgroup", "0::/\n", "proc/self/mountinfo", "1 2 0:3 / / rw - overlay overlay rw\n" + mounted2,
			"sys/fs/cgroup/memory.max", fmt.Sprintln(1000 * mib), "sys/fs/cgroup/memory.current", fmt.Sprintln(300 * mib),
		}},
		{"pages of files count as free", 950, []string{
			"proc/self/cgroup", "0::/\n", "proc/self/mountinfo", mounted2,
			"sys/fs/cgroup/memory.max", fmt.Sprintln(1000 * mib), "sys/fs/cgroup/memory.current", fmt.Sprintln(300 * mib),
			"sys/fs/cgroup/memory.stat", fmt.Sprintf("anon %d\nfile %d\ninactive_file %d\nactive_file %d\n", 50*mib, 250*mib, 200*mib, 50*mib),
		}},
		{"an outer group is tighter", 100, []string{
			"proc/meminfo", machine, "proc/self/cgroup", "0::/a.slice/b.slice/job.scope\n", "proc/self/mountinfo", mounted2,
			"sys/fs/cgroup/a.slice/memory.max", fmt.Sprintln(500 * mib), "sys/fs/cgroup/a.slice/memory.current", fmt.Sprintln(400 * mib),
			"sys/fs/cgroup/a.slice/b.slice/memory.max", "max\n", "sys/fs/cgroup/a.slice/b.slice/memory.current", fmt.Sprintln(300 * mib),
			"sys/fs/cgroup/a.slice/b.slice/job.scope/memory.max", fmt.Sprintln(2000 * mib), "sys/fs/cgroup/a.slice/b.slice/job.scope/memory.current", fmt.Sprintln(100 * mib),
			"sys/fs/cgroup/other/memory.max", "1\n", "sys/fs/cgroup/other/memory.current", "1\n",
		}},
		{"an inner group is tighter", 40, []string{
			"proc/self/cgroup", "0::/a/b\n", "proc/self/mountinfo", mounted2,
			"sys/fs/cgroup/a/memory.max", fmt.Sprintln(500 * mib), "sys/fs/cgroup/a/memory.current", fmt.Sprintln(60 * mib),
			"sys/fs/cgroup/a/b/memory.max", fmt.Sprintln(100 * mib), "sys/fs/cgroup/a/b/memory.current", fmt.Sprintln(60 * mib),
		}},
		{"no limit in any group", 5120, []string{
			"proc/meminfo", machine, "proc/self/cgroup", "0::/a\n", "proc/self/mountinfo", mounted2,
			"sys/fs/cgroup/a/memory.max", "max\n", "sys/fs/cgroup/a/memory.current", fmt.Sprintln(60 * mib),
		}},
		{"a container of version 1, which shows its own group as the root", 212, []string{
			"proc/meminfo", machine, "proc/self/cgroup", "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n1:name=systemd:/docker/x\n",
			"proc/self/mountinfo", "40 39 0:33 /docker/x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n41 39 0:34 /docker/x /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes", fmt.Sprintln(512 * mib), "sys/fs/cgroup/memory/memory.usage_in_bytes", fmt.Sprintln(400 * mib),
			"sys/fs/cgroup/memory/memory.stat", fmt.Sprintf("inactive_file 1\ntotal_inactive_file %d\ntotal_active_file %d\n", 60*mib, 40*mib),
		}},
		{"nested groups of version 1 beside version 2", 12, []string{
			"proc/meminfo", machine, "proc/self/cgroup", "4:memory:/job/step\n0::/elsewhere\n",
			"proc/self/mountinfo", "40 39 0:33 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n42 39 0:35 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes", fmt.Sprintln(9000 * mib),
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes", fmt.Sprintln(32 * mib), "sys/fs/cgroup/memory/job/memory.usage_in_bytes", fmt.Sprintln(20 * mib),
			"sys/fs/cgroup/memory/job/step/memory.limit_in_bytes", "9223372036854771712\n", "sys/fs/cgroup/memory/job/step/memory.usage_in_bytes", fmt.Sprintln(20 * mib),
		}},
		{"a group outside of the mounted folder", 33, []string{
			"proc/self/cgroup", "0::/../other\n", "proc/self/mountinfo", mounted2,
			"sys/fs/cgroup/memory.max", fmt.Sprintln(64 * mib), "sys/fs/cgroup/memory.current", fmt.Sprintln(31 * mib),
			"sys/fs/other/memory.max", "1\n", "sys/fs/other/memory.current", "0\n",
			"sys/fs/cgroup/other/memory.max", "1\n", "sys/fs/cgroup/other/memory.current", "0\n",
		}},
		{"another part of the groups is mounted", 33, []string{
			"proc/self/cgroup", "0::/elsewhere\n", "proc/self/mountinfo", strings.Replace(mounted2, " / ", " /job ", 1),
			"sys/fs/cgroup/memory.max", fmt.Sprintln(64 * mib), "sys/fs/cgroup/memory.current", fmt.Sprintln(31 * mib),
		}},
		{"a group inside the container's", 7, []string{
			"proc/self/cgroup", "0::/docker/x/job\n", "proc/self/mountinfo", strings.Replace(mounted2, " / ", " /docker/x ", 1),
			"sys/fs/cgroup/memory.max", fmt.Sprintln(64 * mib), "sys/fs/cgroup/memory.current", fmt.Sprintln(31 * mib),
			"sys/fs/cgroup/job/memory.max", fmt.Sprintln(9 * mib), "sys/fs/cgroup/job/memory.current", fmt.Sprintln(2 * mib),
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeSystem(t, c.files...)
			if got := memoryLeft(); got != c.want*mib {
				t.Errorf("%.2f MiB are left, want %d", float64(got)/mib, c.want)
			}
		})
	}
	if got := memoryLeft(); got < mib {
		t.Errorf("this machine has %d bytes left", got)
	}
}
