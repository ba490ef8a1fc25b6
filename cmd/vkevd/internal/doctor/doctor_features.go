package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/vk"
)

// machineWide examines the loader and the drivers for vkevd doctor, and chooses a device. It
// returns the device, and whether a device was found.
func (d *examination) machineWide() (vk.Info, bool) {
	chosen := "" // the variable that names drivers
	for _, name := range []string{"VK_ICD_FILENAMES", "VK_DRIVER_FILES"} {
		if files, set := d.Lookup(name); set {
			chosen = name
			d.add(name, noted, "", "is set: the loader looks at no drivers except %s", files)
		}
	}
	infos, err := d.Machine.List()
	if err != nil {
		d.add("loader", Missing, d.system.get(d.system.loader, d.system.cpu), "%s", cli.Describe(cause(err)))
		return vk.Info{}, false
	}
	d.add("loader", fine, "", "found")
	if len(infos) == 0 {
		remedy := d.system.get(d.system.drivers, d.system.cpu) + "; for NVIDIA: " + d.system.nvidia
		if chosen != "" {
			remedy = "unset " + chosen + ", or name a driver that is there; otherwise " + remedy
		}
		d.add("drivers", Missing, remedy, "the loader found none")
		return vk.Info{}, false
	}
	var names []string
	nvidia := false
	for _, i := range infos {
		names = append(names, cli.DriverOf(i))
		nvidia = nvidia || i.Family == "nvidia"
	}
	d.add("drivers", fine, "", "%s", strings.Join(names, ", "))
	if d.HasNVIDIA() && !nvidia {
		d.add("NVIDIA's Vulkan driver", noted, d.system.nvidia+"; in a container: NVIDIA_DRIVER_CAPABILITIES=all",
			"the kernel has NVIDIA's driver, but the loader does not find it")
	}
	return d.choose(infos)
}

// cause is the innermost of the errors that `err` wraps. An error of package vk begins with
// ErrNoDevice and ends with advice what to install. The cause is between these two parts.
func cause(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		all := several.Unwrap()
		return all[len(all)-1]
	}
	return err
}

// choose returns the device that the other commands would open. If no device can be used, `choose`
// returns the first unusable device. The second result tells whether there is any device.
func (d *examination) choose(infos []vk.Info) (vk.Info, bool) {
	dev, err := d.Open(vk.Options{Device: d.word}, d.Stderr)
	if err == nil {
		info := dev.Info()
		dev.Close()
		d.add("device", fine, "", "%s (%s)", info.Name, info.Type)
		return info, true
	}
	if i := slices.IndexFunc(infos, func(i vk.Info) bool { return i.Problem != "" }); d.word == "" && i >= 0 {
		info := infos[i]
		remedy := d.system.get(d.system.cpu) + " to use the CPU"
		if info.Type == "cpu" { // the driver of the CPU device is installed, and is the cause
			remedy = ""
		}
		d.add("device", Missing, remedy, "%s (%s) cannot be used: %s",
			info.Name, info.Type, strings.TrimPrefix(info.Problem, info.Name+": "))
		return info, true
	}
	d.add("device", Missing, "", "%s", cli.Describe(err))
	return vk.Info{}, false
}

// DoublePrecision is Vulkan's name of the feature for double precision.
const DoublePrecision = "shaderFloat64"

// offers examines the properties that the device reports, for vkevd doctor. It tells whether vkevd
// can use the device.
func (d *examination) offers(info vk.Info) bool {
	update := "a newer driver, or another device"
	d.okIf(!older(info.API, vk.MinimumAPI), "Vulkan "+vk.MinimumAPI, update, "%s", info.API)
	for _, f := range vk.Features() {
		switch {
		case len(info.Features) == 0 && info.Problem != "":
			// A device that was refused for another reason may have no list of features.
		case slices.Contains(info.Features, f.Name):
			d.add(f.Name, fine, "", "offered")
		case f.Required:
			d.add(f.Name, Missing, update, "not offered")
		case f.Name == DoublePrecision:
			d.add(f.Name, noted, "", "not offered: %s", cli.SingleOnly)
		default:
			d.add(f.Name, noted, "", "not offered, and not needed")
		}
	}
	if info.Problem != "" && d.verdict() == nil {
		d.add("driver", Missing, update, "%s", info.Problem)
	}
	d.add("memory", noted, "", "%s, %s of it free%s", cli.Human(info.Memory), cli.Human(info.Free), atMost(info))
	d.add("a workgroup", noted, "", "%s shared, %d invocations, subgroups of %d",
		cli.Human(uint64(info.SharedBytes)), info.MaxLocal, info.Subgroup)
	return d.verdict() == nil
}

// atMost returns text about the largest buffer of a device, for vkevd doctor. The text is "" if this
// buffer is as large as the device's memory.
func atMost(info vk.Info) string {
	if most := info.MaxRegion(); most > 0 && most < info.Memory {
		return fmt.Sprintf(", in buffers of at most %s", cli.Human(most))
	}
	return ""
}

// older tells whether the version `have` is older than the version `need`. It compares the numbers
// of the two versions from left to right.
func older(have, need string) bool {
	h, n := strings.Split(have, "."), strings.Split(need, ".")
	for i := range min(len(h), len(n)) {
		var x, y int
		fmt.Sscan(h[i], &x)
		fmt.Sscan(n[i], &y)
		if x != y {
			return x < y
		}
	}
	return len(h) < len(n)
}
