package driver

// MostGroups is how many workgroups every device accepts in one dimension of a grid
// (maxComputeWorkGroupCount). Tests make it less, so that small problems have folded grids.
var MostGroups = 65535
