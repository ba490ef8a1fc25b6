package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A plotJob is one call of a command below vkevd plot.
type plotJob struct {
	*session
	out, title    string
	width, height float64 // centimetres, 0 for what suits the picture
}

// formats are the endings of pictures.
var formats = []string{".png", ".svg"}

// narrowest and widest are centimetres: labels need some, and memory for dots has an end.
const narrowest, widest = 4, 200

func legible(cm float64) bool { return cm == 0 || cm >= narrowest && cm <= widest }

func (s *session) plot() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plot",
		Short: "pictures of spectra, of reports and of measurements",
		Long: `plot draws what the other commands write, as PNG or SVG: the ending of --out decides. Several
files are drawn into one picture.`,
		Example: `  vkevd solve --report A.json A.mtx > A.txt
  vkevd plot spectrum --out spectrum.svg A.txt
  vkevd plot stages --out stages.png A.json`,
		Args:                       noSuchCommand,
		SuggestionsMinimumDistance: 2,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usage(cmd, "plot needs to know what: spectrum, density, stages or tune")
		},
	}
	bins, order, log := 0, 0, false
	cmd.AddCommand(
		s.plotOf("spectrum", "eigenvalues over their number",
			"plot spectrum draws eigenvalues, as solve writes them (text, .npy or .json), over their number.",
			"  vkevd plot spectrum --out spectrum.png values.txt",
			func(cmd *cobra.Command) {
				cmd.Flags().BoolVar(&log, "log", false, "a logarithmic scale, for positive eigenvalues")
			},
			func(ctx context.Context, files []string) (*picture, error) { return s.spectrum(ctx, files, log) }),
		s.plotOf("density", "how many eigenvalues lie where",
			`plot density draws the density of states: the part of all eigenvalues in an interval, by its
length, so that the area below each curve is 1. Eigenvalues are as solve writes them.`,
			"  vkevd plot density --bins 80 --out density.svg values.npy",
			func(cmd *cobra.Command) {
				cmd.Flags().IntVar(&bins, "bins", 0, "number `N` of intervals (default: by the number of values)")
			},
			func(ctx context.Context, files []string) (*picture, error) { return s.density(ctx, files, bins) }),
		s.plotOf("stages", "where the time of solves went",
			"plot stages draws the stages' times in reports, as solve --report writes them, side by side.",
			"  vkevd plot stages --out stages.png A.json B.json", nil,
			func(ctx context.Context, files []string) (*picture, error) { return s.stageTimes(ctx, files) }),
		s.plotOf("tune", "time over half-bandwidth and rank",
			`plot tune draws the time of all stages that depend on the half-bandwidth b, over the rank k,
a line for each b, from rows as tune --json and bench --json write them.`,
			"  vkevd tune --json rows.json\n  vkevd plot tune --out tune.png rows.json",
			func(cmd *cobra.Command) {
				cmd.Flags().IntVarP(&order, "n", "n", 0, "rows of order `N` only")
			},
			func(ctx context.Context, files []string) (*picture, error) { return s.tuneTimes(ctx, files, order) }),
	)
	return cmd
}

// plotOf makes a command that draws one sort of picture.
func (s *session) plotOf(name, short, long, example string, flags func(*cobra.Command), draw func(context.Context, []string) (*picture, error)) *cobra.Command {
	j := &plotJob{session: s}
	cmd := &cobra.Command{
		Use: name + " --out FILE [flags] FILE…", Short: short, Long: long, Example: example,
		Args: func(cmd *cobra.Command, args []string) error {
			ending := strings.ToLower(filepath.Ext(j.out))
			switch {
			case len(args) == 0:
				return usage(cmd, "plot %s needs a FILE to draw", name)
			case j.out == "":
				return usage(cmd, "plot %s needs --out, the FILE to draw into", name)
			case !slices.Contains(formats, ending):
				return usage(cmd, "--out: %s: the name must end in %s", j.out, strings.Join(formats, " or "))
			case !legible(j.width) || !legible(j.height):
				return usage(cmd, "--width and --height are in centimetres, %d to %d", narrowest, widest)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return j.run(cmd.Context(), args, draw)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&j.out, "out", "o", "", "the picture's `FILE`, .png or .svg")
	f.StringVar(&j.title, "title", "", "a `TEXT` above the picture")
	f.Float64Var(&j.width, "width", 0, "`CM` centimetres (default: what suits)")
	f.Float64Var(&j.height, "height", 0, "`CM` centimetres (default: what suits)")
	if flags != nil {
		flags(cmd)
	}
	return cmd
}

func (j *plotJob) run(ctx context.Context, files []string, draw func(context.Context, []string) (*picture, error)) error {
	out, err := createOutputs("", j.out)
	if err != nil {
		return err
	}
	defer out.abort()
	for _, f := range files {
		if sameFile(f, j.out) {
			return fmt.Errorf("%s: would overwrite what is to be drawn", j.out)
		}
	}
	p, err := draw(ctx, files)
	if err != nil {
		return err
	}
	if j.title != "" {
		p.Title.Text = printable(j.title)
	}
	if j.width > 0 {
		p.width = j.width
	}
	if j.height > 0 {
		p.height = j.height
	}
	if err := out.write(ctx, j.out, func(w io.Writer) error {
		return p.write(w, strings.ToLower(filepath.Ext(j.out)))
	}); err != nil {
		return err
	}
	return out.commit()
}

// label is how a file is named within a picture.
func label(file string) string { return printable(filepath.Base(inputName(file))) }

// magnitude brings numbers of any size to one that axes can be labelled with: it divides
// them by 10ᵉ and returns the words for it, " / 1e300" or none.
func magnitude(lists ...[]float64) string {
	largest := 0.0
	for _, l := range lists {
		for _, x := range l {
			largest = max(largest, math.Abs(x))
		}
	}
	if largest == 0 || largest >= 1e-3 && largest < 1e5 {
		return ""
	}
	e := int(math.Floor(math.Log10(largest)))
	first := e / 2 // the factor itself may be no double
	for _, l := range lists {
		for i := range l {
			l[i] = l[i] * math.Pow10(-first) * math.Pow10(first-e)
		}
	}
	return " / " + powerOfTen(e)
}

// powerOfTen is how 10ᵉ is written: the font has not all of the raised digits, and leaves out what it has not.
func powerOfTen(e int) string { return fmt.Sprintf("1e%d", e) }
