// Command vkevd computes eigenvalues and eigenvectors of symmetric and complex Hermitian matrices,
// and singular values and vectors of real and complex ones, on a GPU through Vulkan.
//
// The code of a command is in the file with its name, or in a folder below internal. The folder
// internal/cli has what all commands share, internal/machine makes plans, internal/report has facts
// and measures, and internal/draw makes the pictures. The exit statuses of the program are
//
//	0  success
//	1  numerical failure, or interrupted
//	2  usage error, or a file that cannot be read or written
//	3  no suitable device, too little device memory, or the device failed
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/closed"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/doctor"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/plot"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/trial"
	"github.com/vkevd/vkevd/evd/cluster"
)

// commit is the commit of the source, for builds in which the Go tool cannot see it. Such a build
// has the flag -ldflags "-X main.commit=…": see Containerfile.
var commit string

func main() {
	cli.BuiltFrom = commit
	if closed.Stdout() {
		os.Stdout = closed.File()
	}
	os.Exit(run(untilSignal(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, cli.ProcessEnvironment()))
}

// untilSignal is a context that ends with the first of SIGINT (Ctrl-C), SIGTERM (kill) and SIGHUP
// (the terminal was closed).
func untilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	received := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		// A shell makes its background jobs ignore SIGINT, and nohup ignores SIGHUP. Such signals
		// must still be ignored.
		if !signal.Ignored(s) {
			signal.Notify(received, s)
		}
	}
	go func() {
		<-received
		cancel()
		// Restore the default action, so that a second signal ends a program whose driver hangs.
		signal.Stop(received)
	}()
	return ctx
}

// run runs the program with the given arguments, streams and environment, and returns the exit
// status. It takes none of them from the process itself, so tests can call it.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env cli.Environment) int {
	root := rootCommand(&cli.Session{Environment: env, Stdin: stdin, Stdout: stdout, Stderr: stderr})
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil || cli.As[*cluster.ProcessError](err) { // another process prints the error
		return cli.StatusSuccess
	}
	fmt.Fprintln(stderr, "vkevd: "+cli.Describe(err))
	return cli.Status(err)
}

func rootCommand(s *cli.Session) *cobra.Command {
	cobra.EnableCommandSorting = false // the commands that most people need come first
	root := &cobra.Command{
		Use:               "vkevd",
		Version:           cli.Version(),
		Args:              cli.UnknownCommand,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return s.CheckRules(cmd) },
		RunE: func(*cobra.Command, []string) error {
			return errors.New("no command given; vkevd help lists them")
		},
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetIn(s.Stdin)
	root.SetOut(s.Stdout)
	root.SetErr(s.Stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if words := cmd.Flags().Args(); len(words) > 0 && cmd.HasSubCommands() { // the flag belongs to an unknown command
			return cli.UnknownCommand(cmd, words)
		}
		return cli.Usage(cmd, "%w", cli.SuggestFlag(cmd, cli.AboutFlag(err)))
	})
	cli.DebugShadersFlag(root, s)
	root.SetHelpTemplate(cli.HelpTemplate)
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(solveCommand(s), svdCommand(s), checkCommand(s), planCommand(s), trial.BenchCommand(s), devicesCommand(s),
		doctor.DoctorCommand(s), trial.SelftestCommand(s), trial.TuneCommand(s), trial.AccuracyCommand(s), plot.PlotCommand(s), cli.VersionCommand(s), cli.ManCommand(), cli.CompletionCommand(s))
	help := cli.HelpCommand()
	root.SetHelpCommand(help)
	cli.Explain(root, root.Name())
	cli.Explain(help, root.Name()+"-help")
	return root
}
