package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// A jsonOutput is the flag --json FILE of the commands that print one table. The file gets the same
// facts as JSON. With --json - the JSON is printed in place of the table.
type jsonOutput struct {
	path  string
	files *outputs
}

func jsonFlag(cmd *cobra.Command, what string) *jsonOutput {
	j := &jsonOutput{}
	cmd.Flags().StringVar(&j.path, "json", "", "write "+what+" to `FILE` as JSON; - prints JSON\nin place of the table")
	return j
}

// open creates the file before any work begins. It refuses the name of one of the inputs. The
// caller closes the file.
func (j *jsonOutput) open(stdout io.Writer, inputs ...string) (err error) {
	for _, input := range inputs {
		if j.path != "" && j.path != streamWord && sameFile(input, j.path) {
			return fmt.Errorf("%s: would overwrite an input", j.path)
		}
	}
	j.files, err = createOutputs(stdout, "", j.path)
	return err
}

// instead tells whether JSON is printed in place of the table.
func (j *jsonOutput) instead() bool { return j.path == streamWord }

// write writes one JSON value, and gives the file its name.
func (j *jsonOutput) write(ctx context.Context, value any) error {
	err := j.files.write(ctx, j.path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(value)
	})
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
