package driver

// MaxGroups is the number of workgroups that every device accepts in one dimension of a grid
// (maxComputeWorkGroupCount). Tests lower it, so that small problems have folded grids.
var MaxGroups = 65535
