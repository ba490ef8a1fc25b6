//go:build inexact

package machine

// dividesInexactly is true in a build with the tag `inexact`: then kernels divide inexactly on
// every device. The command make test-inexact uses this build.
const dividesInexactly = true
