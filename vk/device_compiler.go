package vk

// OpenCompiler opens a device only for its driver's compiler. Kernels are compiled as on the
// device, and Statistics lists what the compiler reports about them. In all other respects the
// result is a Dry device: Run and transfers return an error. The options Kernels, Batch and
// MaxBuffer have no effect, and the only effect of DebugShaders is that CacheDir is ignored.
//
// The hardware need not be present. Mesa's driver for AMD can describe a GPU that the machine does
// not have, and compile for this GPU. The environment variable RADV_FORCE_FAMILY names the GPU, for
// example RADV_FORCE_FAMILY=navi31.
//
// Before any kernel is compiled, `change` may modify the device's Info, for example to the limits
// of another driver for the same GPU. `change` may be nil. The caller closes the device. The errors
// are those of Open.
func OpenCompiler(opt Options, change func(*Info)) (*Device, error) {
	opt = opt.withDefaults()
	opt.DebugShaders = false
	d, err := newDevice(opt, true)
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(&d.info)
	}
	if err := d.openPipelines(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}
