package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// machineWide looks for loader, drivers and the device; the answer is the device.
func (d *examination) machineWide() (vk.Info, bool) {
	for _, name := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES"} {
		if files, set := d.lookup(name); set {
			d.add(name, noted, "", "is set: the loader looks at no drivers but %s", files)
		}
	}
	infos, err := d.machine.list()
	if err != nil {
		d.add("loader", missing, d.system.get(d.system.loader, d.system.cpu), "%s", describe(cause(err)))
		return vk.Info{}, false
	}
	d.add("loader", fine, "", "found")
	if len(infos) == 0 {
		d.add("drivers", missing, d.system.get(d.system.drivers, d.system.cpu)+"; for NVIDIA: "+d.system.nvidia, "the loader found none")
		return vk.Info{}, false
	}
	var names []string
	nvidia := false
	for _, i := range infos {
		names = append(names, i.Driver+" "+i.DriverVersion)
		nvidia = nvidia || i.Family == "nvidia"
	}
	d.add("drivers", fine, "", "%s", strings.Join(names, ", "))
	if _, err := os.Stat("/proc/driver/nvidia/version"); err == nil && !nvidia {
		d.add("NVIDIA's Vulkan driver", noted, d.system.nvidia+"; in a container: NVIDIA_DRIVER_CAPABILITIES=all",
			"the kernel has NVIDIA's driver, the loader has not")
	}
	return d.choose(infos)
}

// cause is the last of what an error wraps: vk's begin with there being no device, and end with where to get one.
func cause(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		all := several.Unwrap()
		return all[len(all)-1]
	}
	return err
}

// choose is the device that open would take, or else the first that is not used for want of something.
func (d *examination) choose(infos []vk.Info) (vk.Info, bool) {
	dev, err := d.open(vk.Options{Device: d.word}, d.stderr)
	if err == nil {
		info := dev.Info()
		dev.Close()
		d.add("device", fine, "", "%s (%s)", info.Name, info.Type)
		return info, true
	}
	if i := slices.IndexFunc(infos, func(i vk.Info) bool { return i.Problem != "" }); d.word == "" && i >= 0 {
		info := infos[i]
		remedy := d.system.get(d.system.cpu) + " to go on with the CPU"
		if info.Type == "cpu" { // that is there, and the problem is what it lacks
			remedy = ""
		}
		d.add("device", missing, remedy, "%s (%s) cannot be used: %s", info.Name, info.Type, strings.TrimPrefix(info.Problem, info.Name+": "))
		return info, true
	}
	d.add("device", missing, "", "%s", describe(err))
	return vk.Info{}, false
}

// offers looks at what the device says of itself; the answer is whether it can be used.
func (d *examination) offers(info vk.Info) bool {
	update := "a newer driver, or another device"
	d.okIf(!older(info.API, vk.MinimumAPI), "Vulkan "+vk.MinimumAPI, update, "%s", info.API)
	for _, f := range vk.Features() {
		switch {
		case len(info.Features) == 0 && info.Problem != "":
			// It was refused before anybody asked for its features.
		case slices.Contains(info.Features, f.Name):
			d.add(f.Name, fine, "", "offered")
		case f.Required:
			d.add(f.Name, missing, update, "not offered")
		default:
			d.add(f.Name, noted, "", "not offered; it is not needed")
		}
	}
	if info.Problem != "" && d.verdict() == nil {
		d.add("driver", missing, update, "%s", info.Problem)
	}
	piece := ""
	if most := info.MaxRegion(); most > 0 && most < info.Memory {
		piece = fmt.Sprintf(", at most %s in one piece", human(most))
	}
	d.add("memory", noted, "", "%s, %s of it free%s", human(info.Memory), human(info.Free), piece)
	d.add("a workgroup", noted, "", "%s shared, %d invocations, subgroups of %d", human(uint64(info.SharedBytes)), info.MaxLocal, info.Subgroup)
	return d.verdict() == nil
}

// older compares versions, number by number.
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

// opened tries the device out.
func (d *examination) opened(ctx context.Context) {
	dev, err := d.open(vk.Options{Device: d.word}, d.stderr)
	if err != nil {
		d.add("opening the device", missing, "", "%s", describe(err))
		return
	}
	defer dev.Close()
	d.arithmetic(ctx, dev)
	d.progress(dev)
	d.settings(dev.Info())
	d.room(dev.Info())
	d.smallSolve(ctx, dev)
}

// progress tells whether workgroups that others wait for get on.
func (d *examination) progress(dev device) {
	const name = "forward progress"
	ok, err := dev.handsOn()
	switch {
	case err != nil:
		d.add(name, missing, "", "%s", describe(err))
	case !ok:
		d.add(name, noted, "", "workgroups that wait keep others from going on: bulges are chased in waves, which is slower")
	default:
		d.add(name, fine, "", "workgroups that others wait for get on")
	}
}

// goodEnough is the error of a division, in ulps, that the kernels are written for.
const goodEnough = 2

func (d *examination) arithmetic(ctx context.Context, dev device) {
	a, err := dev.probe(ctx)
	if err != nil {
		d.add("FP64 arithmetic", missing, "", "%s", describe(err))
		return
	}
	for _, op := range []struct {
		name string
		ulps float64
	}{{"FP64 division", a.Division}, {"FP64 square root", a.Sqrt}} {
		rounding := ""
		if op.ulps <= 0.5 {
			rounding = ", correctly rounded"
		}
		d.okIf(op.ulps <= goodEnough, op.name, "a newer driver, or another device", "at most %.4g ulp off in %d hard cases%s", op.ulps, a.Operands, rounding)
	}
	d.add("FP64 fma", noted, "", "%s", map[bool]string{true: "fused", false: "not fused: a product and a sum"}[a.Fused])
	d.add("FP64 subnormals", noted, "", "%s", map[bool]string{true: "kept", false: "flushed to zero"}[a.Subnormals])
}

// room says what fits into free memory.
func (d *examination) room(info vk.Info) {
	for _, what := range []struct {
		name    string
		vectors bool
	}{{"largest n with vectors", true}, {"largest n, values only", false}} {
		n, err := largestOrder(func(n int) (bool, error) {
			f, err := d.machine.forecast(info, n, false, evd.Options{Vectors: what.vectors})
			if full := (*vk.OutOfMemoryError)(nil); errors.As(err, &full) {
				return false, nil
			} else if err != nil {
				return false, err
			}
			return f.Bytes() <= info.Free, nil
		})
		if err != nil {
			d.add(what.name, noted, "", "%s", describe(err))
		} else {
			d.add(what.name, noted, "", "about %d", n)
		}
	}
}

// largestOrder is the largest multiple of 100 whose plan fits.
func largestOrder(fits func(n int) (bool, error)) (int, error) {
	const step, most = 100, 1 << 20
	low, high := 0, most/step // in steps: low fits, high does not
	for high-low > 1 {
		mid := (low + high) / 2
		ok, err := fits(mid * step)
		if err != nil {
			return 0, err
		}
		if ok {
			low = mid
		} else {
			high = mid
		}
	}
	return low * step, nil
}

// smallSolve solves a matrix and measures the answer on the host.
func (d *examination) smallSolve(ctx context.Context, dev device) {
	const n = 100
	a := evd.Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n)}
	for j := range n {
		for i := range n {
			a.Data[i+j*n] = 1 / float64(1+i+j) // Hilbert's
		}
	}
	found, err := solveAndMeasure(ctx, dev, a)
	if err == nil {
		err = found.verdict()
	}
	if err != nil {
		d.add("a matrix of order 100", missing, "vkevd selftest says more", "%s", describe(err))
		return
	}
	d.add("a matrix of order 100", fine, "", "solved: residual %.2g, orthogonality %.2g (below %d is fine)", found[0].ratio, found[1].ratio, evd.Threshold)
}

// solveAndMeasure solves on the device and measures on the host. a has both triangles.
func solveAndMeasure(ctx context.Context, dev device, a evd.Sym[float64]) (measures, error) {
	p, err := dev.plan(a.N, evd.Options{Vectors: true, Progress: func(evd.Progress) {}})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	res, err := p.Solve(ctx, a)
	if err != nil {
		return nil, err
	}
	return onHost(a, res), nil
}

// folders looks at where files are kept between runs.
func (d *examination) folders() {
	dir := d.pipelineCache()
	if dir == "" {
		d.add("cache of kernels", noted, "", "none: kernels are compiled in every run")
		return
	}
	if err := writable(dir); err != nil {
		d.add("cache of kernels", noted, "VKEVD_CACHE names another folder", "%s: %v", dir, reason(err))
		return
	}
	d.add("cache of kernels", fine, "", "%s", dir)
}

// settings looks at what tune has kept for the device.
func (d *examination) settings(info vk.Info) {
	path := d.tunedFile(info)
	t, found, err := readTuned(path, info)
	switch {
	case err != nil:
		d.add("tuning", noted, "vkevd tune --save makes it again", "%s is not used: %s", path, describe(err))
	case found:
		d.add("tuning", fine, "", "%v, from %s", t.Choice, path)
	default:
		d.add("tuning", fine, "", "the table for %s devices", info.Family)
	}
}

// writable makes a file in the folder, or, where there is none yet, the folder.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(filepath.Join(dir, filepath.Base(f.Name())))
}
