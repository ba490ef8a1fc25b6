package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// helpTemplate is what --help prints, for every command.
const helpTemplate = `{{.Long}}

Usage:
  {{if .HasAvailableSubCommands}}{{.CommandPath}} COMMAND …{{else}}{{.UseLine}}{{end}}
{{- if .HasAvailableSubCommands}}

Commands:
{{- range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}
{{- if .HasExample}}

Examples:
{{.Example}}{{end}}
{{- if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
{{- if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
{{if .HasAvailableSubCommands}}
{{.Root.Name}} help{{if .HasParent}} {{.Name}}{{end}} COMMAND says more about one.
` + exitStatuses + `
{{end}}`

const exitStatuses = `Exit status: 0 fine; 1 numerical failure or interrupted; 2 usage, or a file that cannot be
read or written; 3 no suitable device.`

// folded lists words with commas between them, in lines of at most so many bytes where words allow.
func folded(words []string, width int) string {
	var b strings.Builder
	column := 0
	for i, w := range words {
		if i < len(words)-1 {
			w += ","
		}
		switch {
		case column == 0:
		case column+1+len(w) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(w)
		column += len(w)
	}
	return b.String()
}

// help replaces cobra's command, which calls a topic that does not exist a success.
func (s *session) help() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND…]",
		Short:   "what a command does",
		Long:    "help prints what a command does, its flags and an example.",
		Example: "  vkevd help solve",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			switch {
			case len(rest) > 0 && topic.HasSubCommands():
				return noSuchCommand(topic, rest)
			case len(rest) > 0:
				return usage(cmd, "help takes the name of a command, not %q", rest[0])
			case err != nil:
				return err
			}
			topic.InitDefaultHelpFlag() // or the flags are missing from the list unless they were used
			topic.InitDefaultVersionFlag()
			return topic.Help()
		},
	}
}
