package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func VersionCommand(s *Session) *cobra.Command {
	return &cobra.Command{
		Use:  "version",
		Args: NoArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.Stdout, Version())
			return CannotWrite("standard output", err)
		},
	}
}

// BuiltFrom is the commit of the source, for builds in which the Go tool cannot see it.
var BuiltFrom string

// Version describes the program, Go and the platform. The program's version is the tag or the
// commit that the Go tool recorded at build time, or else `BuiltFrom`.
func Version() string {
	recorded := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		recorded = info.Main.Version
	}
	return fmt.Sprintf("vkevd %s %s %s/%s", SourceVersion(recorded, BuiltFrom), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// SourceVersion returns the version that the Go tool recorded, or `commit` if it recorded none.
func SourceVersion(recorded, commit string) string {
	const none = "(devel)"
	switch {
	case recorded != "" && recorded != none:
		return recorded
	case commit != "":
		return commit
	}
	return cmp.Or(recorded, "(unknown)")
}
