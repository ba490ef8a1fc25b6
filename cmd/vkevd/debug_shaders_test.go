package main

import (
	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

import "testing"

// TestDebugShaders checks five commands that run kernels. The flag --debug-shaders may stand before
// or after the command. With the flag, the command must open its device with checks of all memory
// accesses, and without the flag it must not. The command tune must refuse the flag.
func TestDebugShaders(t *testing.T) {
	for _, command := range [][]string{
		{"solve", "A.mtx"}, {"check", "A.mtx", "values", "Q.npy"}, {"selftest", "--n", "5"}, {"bench", "--n", "8", "gemm"}, {"doctor"},
	} {
		for _, flag := range []string{"", "--debug-shaders"} {
			for _, after := range []bool{false, true} {
				s := newFixture(t)
				s.file("A.mtx", banner+"symmetric\n2 2 2\n1 1 1\n2 2 2\n")
				s.file("values", "1\n2\n")
				s.file("Q.npy", npy(2, 2, 1, 0, 0, 1))
				args := command
				if flag != "" && after {
					args = append(append([]string{}, command...), flag)
				} else if flag != "" {
					args = append([]string{flag}, command...)
				}
				stdout, stderr, _ := s.run(args...)
				if o := s.machine.opened; len(o) == 0 || o[0].DebugShaders != (flag != "") {
					t.Errorf("%q opened %+v\n%s%s", args, o, stdout, stderr)
				}
			}
		}
	}
	newFixture(t).fails(cli.StatusInput, "--debug-shaders: checked kernels are slower, and their best sizes are not those of the others; see vkevd tune --help", "tune", "--debug-shaders")
}
