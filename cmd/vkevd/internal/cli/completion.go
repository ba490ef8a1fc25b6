package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
)

var Shells = []string{"bash", "zsh", "fish", "powershell"}

func CompletionCommand(s *Session) *cobra.Command {
	return &cobra.Command{
		Use:       "completion SHELL",
		ValidArgs: Shells,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(Shells, args[0]) {
				return Usage(cmd, "completion takes one SHELL of %s", strings.Join(Shells, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			var err error
			switch args[0] {
			case "bash":
				err = root.GenBashCompletionV2(s.Stdout, true)
			case "zsh":
				err = root.GenZshCompletion(s.Stdout)
			case "fish":
				err = root.GenFishCompletion(s.Stdout, true)
			case "powershell":
				err = root.GenPowerShellCompletionWithDesc(s.Stdout)
			}
			return CannotWrite("standard output", err)
		},
	}
}

// Words returns a function that completes an argument in the shell. The shell offers the words of
// the list, and no file names.
func Words(list []string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

func CompleteSolver(cmd *cobra.Command) {
	cmd.RegisterFlagCompletionFunc("solver", Words(evd.Solvers()))
}
