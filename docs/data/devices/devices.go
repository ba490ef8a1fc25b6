// Package devices, internal to vkevd, holds the files that vkevd bench --share has written, one for
// each device and driver. docs/devices.md says how to add one.
package devices

import "embed"

//go:embed *.json
var Files embed.FS
