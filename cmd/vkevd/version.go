package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func versionCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "the version of vkevd",
		Long:    "version prints the version of vkevd, of Go, and the system, for bug reports.",
		Example: "  vkevd version",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.stdout, version())
			return cannotWrite("standard output", err)
		},
	}
}

// version describes the program, Go and the platform. The program's version is the tag or the
// commit that the Go tool recorded at build time.
func version() string {
	v := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	return fmt.Sprintf("vkevd %s %s %s/%s", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
