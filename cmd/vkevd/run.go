package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// A session is one run of the program: its streams and all it can see of the world.
type session struct {
	environment
	stdin          io.Reader
	stdout, stderr io.Writer
	debugShaders   bool
}

// run does what main does, without the process around it, and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env environment) int {
	root := (&session{environment: env, stdin: stdin, stdout: stdout, stderr: stderr}).root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return statusFine
	}
	fmt.Fprintln(stderr, "vkevd: "+describe(err))
	return status(err)
}

// root is the command that only leads to others.
func (s *session) root() *cobra.Command {
	cobra.EnableCommandSorting = false // what most people want comes first
	root := &cobra.Command{
		Use:   "vkevd",
		Short: "eigenvalues and eigenvectors of symmetric matrices on any GPU",
		Long: `vkevd computes the eigenvalues and eigenvectors of a real symmetric matrix in double
precision on any GPU with Vulkan 1.3, or on the CPU through Mesa's lavapipe.`,
		Example: `  vkevd solve A.mtx                                  eigenvalues, one a line
  vkevd solve --check --out-vectors Q.npy A.mtx      vectors too, and how good they are
  vkevd plan -n 20000                                would that fit on my device?
  vkevd doctor                                       what is here, and what is missing?`,
		Version:                    version(),
		Args:                       noSuchCommand,
		RunE:                       func(*cobra.Command, []string) error { return errors.New("no command given; vkevd help lists them") },
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		CompletionOptions:          cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetIn(s.stdin)
	root.SetOut(s.stdout)
	root.SetErr(s.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, "%w", aboutFlag(err)) })
	s.debugShadersFlag(root)
	root.SetHelpTemplate(helpTemplate)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetHelpCommand(s.help())
	root.AddCommand(s.solve(), s.check(), s.plan(), s.bench(), s.devices(), s.doctor(), s.selftest(), s.tune(), s.plot(),
		s.version(), s.man(), s.completion())
	return root
}

// noSuchCommand sees the words that no command of root claimed.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("unknown command %q; did you mean %s?", args[0], near[0])
	}
	help := cmd.Root().Name() + " help"
	if cmd.HasParent() {
		help += " " + cmd.Name()
	}
	return fmt.Errorf("unknown command %q; %s lists them", args[0], help)
}

// usage is an error about how the command was called.
func usage(cmd *cobra.Command, format string, args ...any) error {
	return fmt.Errorf(format+"; see %s --help", append(args, cmd.CommandPath())...)
}

// noArguments refuses words beside the flags.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(cmd, "%s takes no argument, not %q", cmd.Name(), args[0])
	}
	return nil
}
