//go:build !inexact

package machine

const dividesInexactly = false
