package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// A JsonOutput is the flag --json FILE of the commands that print one table. The command writes the
// content of the table as JSON to FILE. With --json - the command prints JSON instead of the table.
type JsonOutput struct {
	Path  string
	Cmd   *cobra.Command
	files *Outputs
}

func JsonFlag(cmd *cobra.Command, what string) *JsonOutput {
	j := &JsonOutput{Cmd: cmd}
	cmd.Flags().StringVar(&j.Path, "json", "", "write "+what+" to `FILE` as JSON; - prints JSON\nin place of the table")
	return j
}

// Open creates the file of --json before the command begins to work. It returns an error if this
// file is one of the inputs. The caller closes the file.
func (j *JsonOutput) Open(stdout io.Writer, inputs ...string) (err error) {
	for _, input := range inputs {
		if j.Path != "" && j.Path != StreamWord && SameFile(input, j.Path) {
			return fmt.Errorf("%s: would overwrite an input", j.Path)
		}
	}
	j.files, err = CreateOutputs(j.Cmd.Context(), stdout, "", j.Path)
	return err
}

// Instead tells whether the user has given --json -, so that JSON is printed instead of the table.
func (j *JsonOutput) Instead() bool { return j.Path == StreamWord }

func (j *JsonOutput) Write(ctx context.Context, value any) error {
	err := j.files.Write(ctx, j.Path, func(w io.Writer) error { return WriteJSON(w, value) })
	if err != nil {
		return err
	}
	return j.files.Commit()
}

func (j *JsonOutput) Close() {
	if j.files != nil {
		j.files.Abort()
	}
}
