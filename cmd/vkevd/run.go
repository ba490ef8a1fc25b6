package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd/cluster"
)

// A session is one run of the program: its streams and its environment.
type session struct {
	environment
	stdin          io.Reader
	stdout, stderr io.Writer
	debugShaders   bool
}

// run runs the program with the given arguments, streams and environment, and returns the exit
// status. It does not access the process itself, so tests can call it.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env environment) int {
	root := rootCommand(&session{environment: env, stdin: stdin, stdout: stdout, stderr: stderr})
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil || as[*cluster.ProcessError](err) { // another process prints the error
		return statusSuccess
	}
	fmt.Fprintln(stderr, "vkevd: "+describe(err))
	return status(err)
}

// rootCommand makes the command vkevd itself, which contains all other commands.
func rootCommand(s *session) *cobra.Command {
	cobra.EnableCommandSorting = false // the commands that most people need come first
	root := &cobra.Command{
		Use:               "vkevd",
		Version:           version(),
		Args:              unknownCommand,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return s.checkRules(cmd) },
		RunE: func(*cobra.Command, []string) error {
			return errors.New("no command given; vkevd help lists them")
		},
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetIn(s.stdin)
	root.SetOut(s.stdout)
	root.SetErr(s.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if words := cmd.Flags().Args(); len(words) > 0 && cmd.HasSubCommands() { // the flag belongs to an unknown command
			return unknownCommand(cmd, words)
		}
		return usage(cmd, "%w", suggestFlag(cmd, aboutFlag(err)))
	})
	debugShadersFlag(root, s)
	root.SetHelpTemplate(helpTemplate)
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(solveCommand(s), svdCommand(s), checkCommand(s), planCommand(s), benchCommand(s), devicesCommand(s),
		doctorCommand(s), selftestCommand(s), tuneCommand(s), accuracyCommand(s), plotCommand(s), versionCommand(s), manCommand(), completionCommand(s))
	help := helpCommand()
	root.SetHelpCommand(help)
	explain(root, root.Name())
	explain(help, root.Name()+"-help")
	return root
}

// usage is an error about wrong arguments or flags of a command. It names the command's --help.
func usage(cmd *cobra.Command, format string, args ...any) error {
	return fmt.Errorf(format+"; see %s --help", append(args, cmd.CommandPath())...)
}

// oneFile returns an error unless the command has exactly one argument, a FILE.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(cmd, "%s takes one FILE, not %d", cmd.Name(), len(args))
	}
	return nil
}

// oneMatrix is oneFile for the command solve, to which a user may give the two matrices of a
// generalized problem.
func oneMatrix(cmd *cobra.Command, args []string) error {
	if len(args) == 2 {
		return usage(cmd, "solve takes one FILE, not 2; %s", generalized)
	}
	return oneFile(cmd, args)
}

// noArguments returns an error if the command has arguments that are not flags.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(cmd, "%s takes no argument, not %q", cmd.Name(), args[0])
	}
	return nil
}
