package memory

import (
	"bytes"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// systemFolder is the folder in which memoryLeft finds proc and sys. A test replaces it.
var systemFolder = "/"

// memoryLeft returns how many bytes this process may still allocate before the kernel ends a
// process: what the machine has (MemAvailable and SwapFree of /proc/meminfo), or less if a control
// group limits the process, as in a container. Pages of files count as free, because the kernel
// drops them when it needs memory. A limit that cannot be read is no limit.
func memoryLeft() int64 {
	left := int64(math.MaxInt64)
	facts := numbersOf(filepath.Join(systemFolder, "proc/meminfo"))
	if kib, ok := facts["MemAvailable:"]; ok {
		left = (kib + facts["SwapFree:"]) << 10
	}
	for dir, version := range controlGroups() {
		left = min(left, version.left(dir))
	}
	return left
}

// A groupVersion has the names of a control group's files, and of the numbers in its memory.stat.
type groupVersion struct{ limit, use, active, inactive string }

var (
	groups1 = groupVersion{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file", "total_inactive_file"}
	groups2 = groupVersion{"memory.max", "memory.current", "active_file", "inactive_file"}
)

func (v groupVersion) left(dir string) int64 {
	limit, ok := numberIn(filepath.Join(dir, v.limit))
	use, ok2 := numberIn(filepath.Join(dir, v.use))
	if !ok || !ok2 {
		return math.MaxInt64 // also for the word max
	}
	stat := numbersOf(filepath.Join(dir, "memory.stat"))
	return limit - (use - stat[v.active] - stat[v.inactive])
}

// controlGroups returns the folders of the control groups for memory to which this process belongs:
// its own group, and all groups around it that are visible, because each may have a limit.
func controlGroups() map[string]groupVersion {
	// A line of the file cgroup is NUMBER:CONTROLLERS:PATH. Version 2 has no controllers there.
	path := map[groupVersion]string{}
	for line := range linesOf(filepath.Join(systemFolder, "proc/self/cgroup")) {
		f := strings.SplitN(line, ":", 3)
		switch {
		case len(f) != 3:
		case f[1] == "":
			path[groups2] = f[2]
		case slices.Contains(strings.Split(f[1], ","), "memory"):
			path[groups1] = f[2]
		}
	}
	folders := map[string]groupVersion{}
	// A line of mountinfo is ID PARENT DEVICE ROOT MOUNTPOINT … - TYPE SOURCE OPTIONS. ROOT is the
	// group that the mounted folder shows; in a container this may be the container's own group.
	for line := range linesOf(filepath.Join(systemFolder, "proc/self/mountinfo")) {
		before, after, _ := strings.Cut(line, " - ")
		mount, kind := strings.Fields(before), strings.Fields(after)
		if len(mount) < 5 || len(kind) < 3 {
			continue
		}
		version := groups2
		if kind[0] == "cgroup" && slices.Contains(strings.Split(kind[2], ","), "memory") {
			version = groups1
		} else if kind[0] != "cgroup2" {
			continue
		}
		own, ok := path[version]
		if !ok {
			continue
		}
		top := filepath.Join(systemFolder, mount[4])
		dir := top
		// A group outside of the mounted folder is not visible. Then the mounted folder is the
		// innermost one.
		inside, err := filepath.Rel(mount[3], own)
		if err == nil && filepath.IsLocal(inside) && !strings.HasPrefix(own, "/..") {
			dir = filepath.Join(top, inside)
		}
		for ; dir != top; dir = filepath.Dir(dir) {
			folders[dir] = version
		}
		folders[top] = version
	}
	return folders
}

func linesOf(file string) iter.Seq[string] {
	text, _ := os.ReadFile(file)
	return strings.SplitSeq(string(bytes.TrimSpace(text)), "\n")
}

func numberIn(file string) (int64, bool) {
	text, _ := os.ReadFile(file)
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return n, err == nil
}

func numbersOf(file string) map[string]int64 {
	numbers := map[string]int64{}
	for line := range linesOf(file) {
		if f := strings.Fields(line); len(f) >= 2 {
			if n, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				numbers[f[0]] = n
			}
		}
	}
	return numbers
}
