// Package plot has the command vkevd plot, which reads what other commands write. Package draw
// makes the pictures.
package plot

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/draw"
)

type plotJob struct {
	plotKind
	stdin         io.Reader
	out, title    string
	width, height float64 // centimetres; 0 for the size that suits the content
}

// A plotKind has the parts in which the commands vkevd plot spectrum, vkevd plot stages … differ.
type plotKind struct {
	name  string
	flags func(*cobra.Command) // may be nil
	draw  func(ctx context.Context, files []string, stdin io.Reader) (*draw.Picture, error)
}

// These are the smallest and the largest allowed width and height, in centimetres. Labels need the
// minimum. The maximum limits the memory of a picture.
const narrowest, widest = 4, 200

func legible(cm float64) bool { return cm == 0 || cm >= narrowest && cm <= widest }

func PlotCommand(s *cli.Session) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "plot",
		Args: cli.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Usage(cmd, "plot needs the kind of picture: spectrum, scree, density, stages, tune, parallel or accuracy")
		},
	}
	for _, kind := range []plotKind{spectrumPlot(), screePlot(), densityPlot(), stagesPlot(), tunePlot(), parallelPlot(), accuracyPlot()} {
		cmd.AddCommand(kind.command(s.Stdin))
	}
	return cmd
}

func (k plotKind) command(stdin io.Reader) *cobra.Command {
	j := &plotJob{plotKind: k, stdin: stdin}
	cmd := &cobra.Command{
		Use:  k.name + " --out FILE [flags] FILE…",
		Args: j.check,
		RunE: func(cmd *cobra.Command, args []string) error { return j.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringVarP(&j.out, "out", "o", "", "write the picture to `FILE`: .png, .svg or .pdf")
	f.StringVar(&j.title, "title", "", "`TEXT` above the picture")
	f.Float64Var(&j.width, "width", 0, "width in centimetres, `CM` (default: what suits the content)")
	f.Float64Var(&j.height, "height", 0, "height in centimetres, `CM` (default: what suits the content)")
	if k.flags != nil {
		k.flags(cmd)
	}
	return cmd
}

func (j *plotJob) check(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return cli.Usage(cmd, "plot %s needs a FILE to draw", j.name)
	case j.out == "":
		return cli.Usage(cmd, "plot %s needs --out, the FILE to draw into", j.name)
	case !slices.Contains(draw.Formats, cli.Ending(j.out)):
		return cli.Usage(cmd, "--out: %s: the name must end in %s", j.out, strings.Join(draw.Formats, " or "))
	case !legible(j.width) || !legible(j.height):
		return cli.Usage(cmd, "--width and --height are in centimetres, %d to %d", narrowest, widest)
	}
	return nil
}

func (j *plotJob) run(ctx context.Context, files []string) error {
	out, err := cli.CreateOutputs(ctx, nil, nil, j.out)
	if err != nil {
		return err
	}
	defer out.Abort()
	for _, f := range files {
		if cli.SameFile(f, j.out) {
			return fmt.Errorf("%s: would overwrite an input", j.out)
		}
	}
	p, err := j.draw(ctx, files, j.stdin)
	if err != nil {
		return err
	}
	if j.title != "" {
		p.SetTitle(cli.Printable(j.title))
	}
	p.Resize(j.width, j.height)
	if err := out.Write(ctx, j.out, func(w io.Writer) error { return p.Write(w, cli.Ending(j.out)) }); err != nil {
		return err
	}
	return out.Commit()
}

// labels are the names of files in a picture. A label is the file name without its folder. If two
// files have the same name, all labels contain the folders.
func labels(files []string) []string {
	names := make([]string, len(files))
	seen := map[string]bool{}
	for i, f := range files {
		names[i] = cli.Printable(filepath.Base(cli.InputName(f)))
		if seen[names[i]] {
			for k, f := range files {
				names[k] = cli.Printable(cli.InputName(f))
			}
			return names
		}
		seen[names[i]] = true
	}
	return names
}
