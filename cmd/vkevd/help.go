package main

import "github.com/spf13/cobra"

// helpTemplate is what --help prints, for every command.
const helpTemplate = `{{.Long}}

Usage:
  {{if .HasAvailableSubCommands}}{{.CommandPath}} COMMAND{{else}}{{.UseLine}}{{end}}
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
{{if .HasAvailableSubCommands}}
vkevd help COMMAND says more about one. Exit status: 0 fine; 1 numerical failure or
interrupted; 2 usage, or a file that cannot be read or written; 3 no suitable device.
{{end}}`

// help replaces cobra's command, which calls a topic that does not exist a success.
func (s *session) help() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "what a command does",
		Long:    "help prints what a command does, its flags and an example.",
		Example: "  vkevd help solve",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(cmd, "help takes one command, not %d", len(args))
			}
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return noSuchCommand(cmd.Root(), args)
			}
			topic.InitDefaultHelpFlag() // or the flag is missing from the list unless it was used
			return topic.Help()
		},
	}
}
