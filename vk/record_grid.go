package vk

import "github.com/vkevd/vkevd/vk/internal/driver"

// Groups is the grid of a dispatch: its number of workgroups in each dimension.
type Groups struct{ X, Y, Z int }

// Grid is a one-dimensional grid of n workgroups.
func Grid(n int) Groups { return Groups{n, 1, 1} }

// Tiles is the number of tiles of the given size that cover n elements.
func Tiles(n int, tile uint32) int { return (n + int(tile) - 1) / int(tile) }

// MaxGroups is the number of workgroups that every Vulkan device accepts in one dimension.
func MaxGroups() int { return driver.MaxGroups }

// Folded is a grid of at least n workgroups in two dimensions that every device accepts. A
// workgroup (x, y) of the kernel computes its index y·X + x, and returns if this index is n or
// more.
func Folded(n int) Groups {
	limit := MaxGroups()
	if n <= limit {
		return Grid(n)
	}
	rows := (n + limit - 1) / limit
	return Groups{(n + rows - 1) / rows, rows, 1}
}
