//go:build inexact

package machine

// dividesInexactly says that the kernels divide inexactly on every device. See make test-inexact.
const dividesInexactly = true
