package main

import "fmt"

// human prints a size as people say it.
func human(bytes uint64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	if bytes < 1<<10 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	x, unit := float64(bytes)/(1<<10), 0
	for x >= 1<<10 && unit+1 < len(units) {
		x, unit = x/(1<<10), unit+1
	}
	return fmt.Sprintf("%.1f %s", x, units[unit])
}
