package driver

// MaxGroups is the number of workgroups that every device accepts in one dimension of a grid
// (maxComputeWorkGroupCount). Tests lower it, so that the grids of small problems become
// two-dimensional (vk.Folded).
var MaxGroups = 65535
