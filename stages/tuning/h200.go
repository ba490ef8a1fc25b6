package tuning

// h200 is an NVIDIA H200 (132 multiprocessors, driver 580.159).
var h200 = withSteps(nvidia, 1.45e-6, 3.3e-6)

// withSteps is a table with the seconds of a step of the bulge chasing, b = 32, and of one of
// teams, b = 64.
func withSteps(t Tuning, step, team float64) Tuning {
	t.Chase.Step, t.Chase.TeamStep = step, team
	return t
}
