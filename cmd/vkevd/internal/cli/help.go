package cli

import (
	"cmp"
	"embed"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/evd/matgen"
)

//go:embed help
var HelpFiles embed.FS

// Explain gives a command and all commands below it the text of their files in the folder help.
// `name` is that of the command's file, without its ending. A file has one line about the command,
// then what the command does, and then sections. EXAMPLES has command lines, COMMON FLAGS has names
// of flags, and MORE has text that the help prints after these flags.
func Explain(cmd *cobra.Command, name string) {
	text, err := HelpFiles.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // a command without help
	}
	lists := strings.NewReplacer("{stages}", Folded(bench.Stages(), 90), "{kinds}", Folded(KindNames(), 90))
	rest := strings.TrimSpace(lists.Replace(string(text)))
	rest, more, _ := strings.Cut(rest, "\n\nMORE\n")
	rest, common, _ := strings.Cut(rest, "\n\nCOMMON FLAGS\n")
	rest, cmd.Example, _ = strings.Cut(rest, "\n\nEXAMPLES\n")
	cmd.Short, cmd.Long, _ = strings.Cut(rest, "\n\n")
	cmd.Annotations = map[string]string{"what": cmd.Long, "common": common, "more": more}
	cmd.Long = strings.TrimSpace(cmd.Long + "\n\n" + more) // for the manual page
	for _, c := range cmd.Commands() {
		Explain(c, name+"-"+c.Name())
	}
}

// commonFlags and otherFlags describe the flags of a command that most users need, and the rest.
// Without COMMON FLAGS in the file, all flags are common.
func commonFlags(cmd *cobra.Command) string {
	common := cmd.Annotations["common"]
	if common == "" {
		return cmd.LocalFlags().FlagUsages()
	}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	for _, name := range strings.Fields(common) {
		set.AddFlag(cmd.Flags().Lookup(name))
	}
	return set.FlagUsages()
}

func otherFlags(cmd *cobra.Command) string {
	common := strings.Fields(cmd.Annotations["common"])
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if common != nil && !slices.Contains(common, f.Name) {
			set.AddFlag(f)
		}
	})
	return set.FlagUsages()
}

const HelpTemplate = `{{.Annotations.what}}

Usage:
  {{if .HasAvailableSubCommands}}{{.CommandPath}} COMMAND …{{else}}{{.UseLine}}{{end}}
{{- if .HasAvailableSubCommands}}

Commands:
{{- range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}

Examples:
{{.Example}}
{{- if .HasAvailableLocalFlags}}

{{if .Annotations.common}}Common flags{{else}}Flags{{end}}{{if not .HasParent}} (--debug-shaders works with every command that computes){{end}}:
{{commonFlags . | trimTrailingWhitespaces}}{{end}}
{{- if .Annotations.more}}

{{.Annotations.more}}{{end}}
{{- if .Annotations.common}}

Other flags:
{{otherFlags . | trimTrailingWhitespaces}}{{end}}
{{if .HasAvailableSubCommands}}
{{.Root.Name}} help{{if .HasParent}} {{.Name}}{{end}} COMMAND explains a command and its flags.
{{if not .HasParent}}
Environment:
{{environment}}
Files:
{{files}}{{end}}
Exit status:
{{exitStatus}}{{else}}
{{.Root.Name}} help lists exit statuses, environment variables and files.
{{end}}`

func init() {
	cobra.AddTemplateFuncs(template.FuncMap{
		"commonFlags": commonFlags, "otherFlags": otherFlags,
		"environment": func() string { return table(environmentVariables, 33) },
		"files":       func() string { return table(usedFiles, 33) },
		"exitStatus":  func() string { return table(exitStatuses, 3) },
	})
}

type entry struct{ name, meaning string }

var exitStatuses = []entry{
	{"0", "success"},
	{"1", "the computation failed, its result is bad, or it was interrupted"},
	{"2", "wrong usage, or a file that cannot be read or written"},
	{"3", "no suitable device, too little device memory, or the device failed"},
}

// environmentVariables has variables of other programs, too, that users need.
var environmentVariables = []entry{
	{"VKEVD_DEVICE", "device, unless --device names one (default: the best)"},
	{"VKEVD_CACHE", "folder for compiled kernels (default: below); empty keeps none"},
	{"VKEVD_CONFIG", "folder for settings of tune --save (default: below); empty: none"},
	{"XDG_CACHE_HOME, XDG_CONFIG_HOME", "the user's folders for caches and settings (Linux)"},
	{"VK_DRIVER_FILES", "the only drivers that the Vulkan loader looks at (default: all)"},
	{"SOURCE_DATE_EPOCH", "date of manual pages, in seconds since 1970"},
	{"TERM", "if it is dumb, progress is not redrawn in one line"},
}

var usedFiles = []entry{
	{"~/.cache/vkevd/", "compiled kernels; you can delete them at any time"},
	{"~/.config/vkevd/tuning-*.json", "settings that tune --save writes, one file per device and driver"},
}

func table(entries []entry, column int) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString("  " + e.name + strings.Repeat(" ", max(column-len(e.name), 2)) + e.meaning + "\n")
	}
	return b.String()
}

// HelpCommand replaces cobra's help command, which returns no error for a topic that does not
// exist.
func HelpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND…]",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			switch {
			case len(rest) > 0 && topic.HasSubCommands():
				return UnknownCommand(topic, rest)
			case len(rest) > 0:
				return Usage(cmd, "help takes the name of a command, not %q", rest[0])
			case err != nil:
				return err
			}
			topic.InitDefaultHelpFlag() // cobra's help lists these two flags only after these calls
			topic.InitDefaultVersionFlag()
			return topic.Help()
		},
	}
}

func KindNames() (names []string) {
	for _, k := range matgen.Dense() {
		names = append(names, k.Name())
	}
	for _, k := range matgen.Hermitians() {
		names = append(names, k.Name())
	}
	return names
}

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

// Words completes an argument in the shell by the words of the list, and by no file names.
func Words(list []string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

func CompleteSolver(cmd *cobra.Command) {
	cmd.RegisterFlagCompletionFunc("solver", Words(evd.Solvers()))
}

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

func Version() string {
	recorded := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		recorded = info.Main.Version
	}
	return fmt.Sprintf("vkevd %s %s %s/%s", SourceVersion(recorded, BuiltFrom), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

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
