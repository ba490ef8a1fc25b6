// Package cli is what all commands of vkevd share: the session with its streams and environment, flags and
// their rules, help and manual pages, messages and exit statuses, progress, outputs, and JSON.
package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// A Session is one run of the program: its streams and its environment.
type Session struct {
	Environment
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	DebugShaders   bool
}

// Usage is an error about wrong arguments or flags of a command. It names the command's --help.
func Usage(cmd *cobra.Command, format string, args ...any) error {
	return fmt.Errorf(format+"; see %s --help", append(args, cmd.CommandPath())...)
}

func OneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return Usage(cmd, "%s takes one FILE, not %d", cmd.Name(), len(args))
	}
	return nil
}

// OneMatrix is OneFile for the command solve, to which a user may give the two matrices of a
// generalized problem.
func OneMatrix(cmd *cobra.Command, args []string) error {
	if len(args) == 2 {
		return Usage(cmd, "solve takes one FILE, not 2; %s", generalized)
	}
	return OneFile(cmd, args)
}

func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usage(cmd, "%s takes no argument, not %q", cmd.Name(), args[0])
	}
	return nil
}
