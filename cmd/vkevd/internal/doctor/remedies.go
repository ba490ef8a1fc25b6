package doctor

import (
	"bufio"
	"slices"
	"strings"
)

// A distribution says how to install missing packages on one operating system. The field `install`
// is the command, in which {} stands for the names of the packages.
type distribution struct {
	ids     []string // in os-release(5)
	install string
	loader  string // package
	drivers string // packages for all GPUs except NVIDIA's
	cpu     string // package of lavapipe
	nvidia  string // the whole command: it may be more than one package
}

var distributions = []distribution{
	{[]string{"ubuntu"}, "sudo apt install {}", "libvulkan1", "mesa-vulkan-drivers", "mesa-vulkan-drivers",
		"sudo ubuntu-drivers install"},
	{[]string{"debian"}, "sudo apt install {}", "libvulkan1", "mesa-vulkan-drivers", "mesa-vulkan-drivers",
		"sudo apt install nvidia-driver (from non-free)"},
	{[]string{"fedora", "rhel", "centos"}, "sudo dnf install {}", "vulkan-loader", "mesa-vulkan-drivers", "mesa-vulkan-drivers",
		"sudo dnf install akmod-nvidia (from RPM Fusion)"},
	{[]string{"arch"}, "sudo pacman -S {}", "vulkan-icd-loader", "vulkan-radeon vulkan-intel", "vulkan-swrast",
		"sudo pacman -S nvidia-utils"},
	{[]string{"opensuse", "suse", "opensuse-tumbleweed", "opensuse-leap"}, "sudo zypper install {}", "libvulkan1",
		"libvulkan_radeon libvulkan_intel", "libvulkan_lvp", "sudo zypper install-new-recommends (from NVIDIA's repository)"},
	{[]string{"alpine"}, "apk add {}", "vulkan-loader", "mesa-vulkan-ati mesa-vulkan-intel", "mesa-vulkan-swrast",
		"NVIDIA's driver does not run on musl"},
}

// elsewhere is doctor's advice for unknown operating systems. Its fields describe in words what to
// install, instead of commands and package names.
var elsewhere = distribution{
	install: "install {}", loader: "the Vulkan loader (libvulkan.so.1)", drivers: "Mesa's Vulkan drivers",
	cpu: "Mesa's lavapipe", nvidia: "install NVIDIA's driver",
}

// distributionOf returns the advice for an operating system. `osRelease` is the content of its file
// os-release(5). If the system itself is unknown, the advice is that for a similar system, which
// the file names in ID_LIKE.
func distributionOf(osRelease string) distribution {
	for _, key := range []string{"ID=", "ID_LIKE="} {
		lines := bufio.NewScanner(strings.NewReader(osRelease))
		for lines.Scan() {
			value, found := strings.CutPrefix(lines.Text(), key)
			if !found {
				continue
			}
			for _, id := range strings.Fields(strings.Trim(value, `"'`)) {
				for _, d := range distributions {
					if slices.Contains(d.ids, id) {
						return d
					}
				}
			}
		}
	}
	return elsewhere
}

func (d distribution) get(packages ...string) string {
	var distinct []string
	for _, p := range packages {
		if !strings.Contains(" "+strings.Join(distinct, " ")+" ", " "+p+" ") {
			distinct = append(distinct, p)
		}
	}
	between := " "
	if d.ids == nil { // words, not a command
		between = " and "
	}
	return strings.Replace(d.install, "{}", strings.Join(distinct, between), 1)
}
