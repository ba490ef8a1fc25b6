package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func versionCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:  "version",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.stdout, version())
			return cannotWrite("standard output", err)
		},
	}
}

// commit is the commit of the source, for builds in which the Go tool cannot see it. Such a build
// has the flag -ldflags "-X main.commit=…": see Containerfile.
var commit string

// version describes the program, Go and the platform. The program's version is the tag or the
// commit that the Go tool recorded at build time, or else `commit`.
func version() string {
	recorded := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		recorded = info.Main.Version
	}
	return fmt.Sprintf("vkevd %s %s %s/%s", sourceVersion(recorded, commit), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// sourceVersion returns the version that the Go tool recorded, or `commit` if it recorded none.
func sourceVersion(recorded, commit string) string {
	const none = "(devel)"
	switch {
	case recorded != "" && recorded != none:
		return recorded
	case commit != "":
		return commit
	}
	return cmp.Or(recorded, "(unknown)")
}
