package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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

// roff escapes special characters of a text for a manual page. These are backslashes, hyphens,
// which the program roff prints as minus signs, and characters that begin a roff request at the
// start of a line.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
