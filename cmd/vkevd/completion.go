package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:       "completion SHELL",
		ValidArgs: shells,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(shells, args[0]) {
				return usage(cmd, "completion takes one SHELL of %s", strings.Join(shells, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			var err error
			switch args[0] {
			case "bash":
				err = root.GenBashCompletionV2(s.stdout, true)
			case "zsh":
				err = root.GenZshCompletion(s.stdout)
			case "fish":
				err = root.GenFishCompletion(s.stdout, true)
			case "powershell":
				err = root.GenPowerShellCompletionWithDesc(s.stdout)
			}
			return cannotWrite("standard output", err)
		},
	}
}

// words returns a function that completes an argument in the shell. The shell offers the words of
// the list, and no file names.
func words(list []string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}
