// Package devices, internal to vkevd, holds files with the speed of devices. The command vkevd bench
// --share writes such a file for a device and its driver. docs/devices.md says how to add one.
package devices

import "embed"

//go:embed *.json
var Files embed.FS
