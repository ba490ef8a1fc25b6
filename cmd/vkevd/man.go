package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func manCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man --dir FOLDER",
		Short: "write manual pages",
		Long: `man writes a manual page for each command, vkevd.1 and others, into a folder, which is made if
it is not there. With SOURCE_DATE_EPOCH set the pages carry that date.`,
		Example: "  vkevd man --dir ~/.local/share/man/man1",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := noArguments(cmd, args); err != nil {
				return err
			}
			if dir == "" {
				return usage(cmd, "man needs --dir, the FOLDER to write into")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return cannotWrite(dir, err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			root.Long += "\n\n" + exitStatuses
			forManual(root)
			header := &doc.GenManHeader{Section: "1", Source: version(), Manual: "vkevd manual"}
			return cannotWrite(dir, doc.GenManTree(root, header, dir))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the `FOLDER`")
	return cmd
}

// forManual indents what is to stay as it is, formulas, far enough for the generator, which
// reads texts as Markdown.
func forManual(cmd *cobra.Command) {
	lines := strings.Split(cmd.Long, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "  ") {
			lines[i] = "  " + line
		}
	}
	cmd.Long = strings.Join(lines, "\n")
	for _, c := range cmd.Commands() {
		forManual(c)
	}
}
