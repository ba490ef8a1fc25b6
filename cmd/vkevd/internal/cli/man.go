package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

func ManCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "man --dir FOLDER",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := NoArguments(cmd, args); err != nil {
				return err
			}
			if dir == "" {
				return Usage(cmd, "man needs --dir, the FOLDER to write into")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return CannotWrite(dir, err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			return writePages(cmd.Context(), root, dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write the pages into `FOLDER`")
	return cmd
}

// writePages writes all pages or none.
func writePages(ctx context.Context, root *cobra.Command, dir string) error {
	commands := withPages(root)
	var paths []string
	for _, c := range commands {
		paths = append(paths, filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
	}
	out, err := CreateOutputs(ctx, nil, nil, paths...)
	if err != nil {
		return err
	}
	defer out.Abort()
	for i, c := range commands {
		text, err := page(c)
		if err != nil {
			return err
		}
		if err := out.Write(ctx, paths[i], func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		}); err != nil {
			return err
		}
	}
	return out.Commit()
}

func withPages(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			list = append(list, withPages(c)...)
		}
	}
	return list
}

// page returns the manual page of a command. It is the page that cobra makes, with three changes:
// the synopsis of a command with subcommands has COMMAND, the section OPTIONS has the usual form,
// and there are sections EXIT STATUS, ENVIRONMENT and FILES.
func page(cmd *cobra.Command) ([]byte, error) {
	long := cmd.Long
	defer func() { cmd.Long = long }()
	cmd.Long = indented(long)
	var b bytes.Buffer
	header := &doc.GenManHeader{Section: "1", Source: Version(), Manual: "vkevd manual"}
	if err := doc.GenMan(cmd, header, &b); err != nil {
		return nil, err
	}
	text := b.String()
	if cmd.HasSubCommands() {
		text = strings.Replace(text, cmd.CommandPath()+" [flags]\\fP", cmd.CommandPath()+"\\fP \\fICOMMAND\\fP …", 1)
	}
	before, rest, _ := strings.Cut(text, ".SH OPTIONS\n")
	_, example, _ := strings.Cut(rest, ".SH EXAMPLE\n")
	example, also, _ := strings.Cut(example, ".SH SEE ALSO\n")
	return []byte(before + roffOptions(cmd) + ".SH EXAMPLE\n" + example +
		roffSection("EXIT STATUS", exitStatuses) + roffSection("ENVIRONMENT", environmentVariables) +
		roffSection("FILES", usedFiles) + ".SH SEE ALSO\n" + also), nil
}

// indented adds two blanks to the indented lines of a text, such as formulas. cobra reads the text
// as Markdown, and does not reformat lines that begin with four blanks.
func indented(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "  ") {
			lines[i] = "  " + line
		}
	}
	return strings.Join(lines, "\n")
}

// roffOptions is the section OPTIONS of a manual page. Each flag has a line "-n, --name VALUE", and
// its description follows. cobra's own section shows default values instead of VALUE.
func roffOptions(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString(".SH OPTIONS\n")
	write := func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := bold("--" + f.Name)
		if f.Shorthand != "" {
			name = bold("-"+f.Shorthand) + ", " + name
		}
		if value != "" {
			name += " " + italic(value)
		}
		switch f.DefValue {
		case "", "false", "0", "[]":
		default:
			usage += " (default: " + f.DefValue + ")"
		}
		b.WriteString(".TP\n" + name + "\n" + roff(usage) + "\n")
	}
	cmd.NonInheritedFlags().VisitAll(write)
	cmd.InheritedFlags().VisitAll(write)
	return b.String()
}

func roffSection(title string, entries []entry) string {
	var b strings.Builder
	b.WriteString(".SH " + title + "\n")
	for _, e := range entries {
		b.WriteString(".TP\n" + bold(e.name) + "\n" + roff(e.meaning) + "\n")
	}
	return b.String()
}

func bold(text string) string   { return `\fB` + roff(text) + `\fP` }
func italic(text string) string { return `\fI` + roff(text) + `\fP` }

// roff escapes special characters of a text for a manual page: backslashes, hyphens, and points and
// apostrophes at the start of a line, where they begin a request of the program roff. In place of a
// hyphen roff may print another character, which would be wrong in the name of a flag.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
