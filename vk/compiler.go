package vk

// OpenCompiler opens a device for its driver's compiler alone. Kernels are compiled as on the
// device, and Statistics lists what the compiler says of them. In all else it is a Dry device: Run
// and transfers return an error. Of the options, only Device, Validate, Logger, CacheDir and
// Statistics count.
//
// It also opens devices that are not there. Mesa's driver for AMD describes a GPU for which there
// is no hardware, and compiles for it, if its name is in the environment: RADV_FORCE_FAMILY=navi31.
//
// change may change what Info says of the device, before kernels are chosen by it: for example to
// the limits of another driver for the same GPU. nil changes nothing. The caller closes the device.
// Errors are as for Open.
func OpenCompiler(opt Options, change func(*Info)) (*Device, error) {
	opt = opt.withDefaults()
	opt.DebugShaders = false
	in, all, err := examineAll(opt.Validate)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if c.onlyCompiles {
			c.problem, c.info.Problem = nil, ""
		}
	}
	best, err := choose(all, opt.Device)
	if err != nil {
		in.Destroy()
		return nil, err
	}
	d := newDevice(best, in, opt)
	d.dry = true
	if change != nil {
		change(&d.info)
	}
	if err := d.openPipelines(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}
