package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// A jsonOutput is the flag --json FILE of the commands that print one table. The command writes the
// content of the table as JSON to FILE. With --json - the command prints JSON instead of the table.
type jsonOutput struct {
	path  string
	cmd   *cobra.Command
	files *outputs
}

func jsonFlag(cmd *cobra.Command, what string) *jsonOutput {
	j := &jsonOutput{cmd: cmd}
	cmd.Flags().StringVar(&j.path, "json", "", "write "+what+" to `FILE` as JSON; - prints JSON\nin place of the table")
	return j
}

// open creates the file of --json before the command begins to work. It returns an error if this
// file is one of the inputs. The caller closes the file.
func (j *jsonOutput) open(stdout io.Writer, inputs ...string) (err error) {
	for _, input := range inputs {
		if j.path != "" && j.path != streamWord && sameFile(input, j.path) {
			return fmt.Errorf("%s: would overwrite an input", j.path)
		}
	}
	j.files, err = createOutputs(j.cmd.Context(), stdout, "", j.path)
	return err
}

// instead tells whether the user has given --json -, so that JSON is printed instead of the table.
func (j *jsonOutput) instead() bool { return j.path == streamWord }

// write writes a value as JSON to the file of the flag --json. The file has a temporary name until
// it is complete.
func (j *jsonOutput) write(ctx context.Context, value any) error {
	err := j.files.write(ctx, j.path, func(w io.Writer) error { return writeJSON(w, value) })
	if err != nil {
		return err
	}
	return j.files.commit()
}

func (j *jsonOutput) close() {
	if j.files != nil {
		j.files.abort()
	}
}
