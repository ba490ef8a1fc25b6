package tuning

// h200 is the table for an NVIDIA H200 (132 multiprocessors, driver 580.159).
var h200 = withSteps(nvidia, 1.45e-6, 3.3e-6)

// withSteps returns the table t with the measured seconds of one step of the bulge chasing: step is
// for one team and b = 32, team for a kernel with teams and b = 64.
func withSteps(t Tuning, step, team float64) Tuning {
	t.Chase.Step, t.Chase.TeamStep = step, team
	return t
}
