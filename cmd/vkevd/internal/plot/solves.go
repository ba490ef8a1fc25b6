package plot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/draw"
	"github.com/vkevd/vkevd/vk"
)

func spectrumPlot() plotKind {
	log := false
	var part plottedPart
	return plotKind{
		"spectrum",
		func(cmd *cobra.Command) {
			part.flags(cmd)
			cmd.Flags().BoolVar(&log, "log", false, "logarithmic scale, for positive eigenvalues")
		},
		func(ctx context.Context, files []string, stdin io.Reader) (*draw.Picture, error) {
			series, err := readSeries(ctx, files, stdin, &part)
			if err != nil {
				return nil, err
			}
			if part.singular && !(log && part.guessed != "") {
				return singularPicture(files, series, part)
			}
			for i, s := range series {
				if log && !(s.Values[0] > 0) {
					return nil, fmt.Errorf("%s: --log needs positive eigenvalues, the smallest is %g",
						cli.InputName(files[i]), s.Values[0])
				}
			}
			return draw.Spectrum(series, log)
		},
	}
}

// singularPicture refuses --first, because files of vkevd svd begin with the largest singular
// value.
func singularPicture(files []string, series []draw.Series, part plottedPart) (*draw.Picture, error) {
	if part.first != 0 {
		return nil, errors.New("--first is for eigenvalues; singular values begin with the largest")
	}
	for i, s := range series {
		if s.Values[0] < 0 {
			return nil, fmt.Errorf("%s: the value %g is negative, and singular values are not; --singular=false draws eigenvalues",
				cli.InputName(files[i]), s.Values[0])
		}
	}
	return draw.Singular(series)
}

func screePlot() plotKind {
	var part plottedPart
	return plotKind{
		"scree",
		part.flags,
		func(ctx context.Context, files []string, stdin io.Reader) (*draw.Picture, error) {
			series, err := readSeries(ctx, files, stdin, &part)
			if err != nil {
				return nil, err
			}
			if part.guessed != "" {
				return nil, fmt.Errorf("%s: values that descend may be singular values, whose squares are variances, or eigenvalues; "+
					"--singular or --singular=false decides", cli.InputName(part.guessed))
			} else if part.first != 0 {
				return nil, errors.New("--first is not for plot scree: parts of the variance need the sum of all values")
			}
			for i := range series {
				s := &series[i]
				if whole := s.N == 0 || s.N == len(s.Values); !whole && s.Squares == 0 {
					return nil, fmt.Errorf("%s: has %d of %s, so their part of the variance is not known; "+
						"svd --center --out-values FILE.txt writes the sum of all", cli.InputName(files[i]), len(s.Values), cli.Plural(s.N, "value"))
				}
				// Rounding makes the zeros of a covariance matrix negative.
				least, rounding := s.Values[0], float64(s.Order())*0x1p-52*s.Values[len(s.Values)-1]
				if least < 0 && (part.singular || least < -rounding) {
					return nil, fmt.Errorf("%s: the value %g is negative, and variances are not", cli.InputName(files[i]), least)
				}
				for k, x := range s.Values {
					s.Values[k] = max(x, 0)
				}
			}
			return draw.Scree(series, part.singular)
		},
	}
}

func densityPlot() plotKind {
	bins := 0
	var part plottedPart
	return plotKind{
		"density",
		func(cmd *cobra.Command) {
			part.flags(cmd)
			cmd.Flags().IntVar(&bins, "bins", 0, "number `N` of intervals (default: by the spread of the values)")
		},
		func(ctx context.Context, files []string, stdin io.Reader) (*draw.Picture, error) {
			const most = 10000
			if bins < 0 || bins > most {
				return nil, fmt.Errorf("--bins: %d is not between 1 and %d", bins, most)
			}
			series, err := readSeries(ctx, files, stdin, &part)
			if err != nil {
				return nil, err
			}
			return draw.Density(series, bins, map[bool]string{true: "singular value", false: "eigenvalue"}[part.singular])
		},
	}
}

// A plottedPart says which part of a spectrum an input file holds. It is used only if the picture
// has one input file.
type plottedPart struct {
	first    int
	report   string
	singular bool        // the values of all files are singular values
	given    func() bool // the user has said so, or the opposite
	guessed  string      // a file that seems to have singular values, because they descend, if nobody has said so
}

func (p *plottedPart) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&p.first, "first", 0, "index `I` of the file's smallest eigenvalue, from 0, unless the file says it")
	f.StringVar(&p.report, "report", "", "`FILE` that solve --report wrote: it has that index, and n")
	f.BoolVar(&p.singular, "singular", false, "the files have singular values (default: if they say so, or descend)")
	p.given = func() bool { return f.Changed("singular") }
}

// readSeries reads the values of all files, and sets part.singular unless the user has. A file
// that does not say what it has has singular values if they descend and none is negative.
func readSeries(ctx context.Context, files []string, stdin io.Reader, part *plottedPart) ([]draw.Series, error) {
	if (part.report != "" || part.first != 0) && len(files) > 1 {
		return nil, errors.New("--first and --report are about one file of eigenvalues, not several")
	}
	if part.first < 0 {
		return nil, fmt.Errorf("--first: %d is negative", part.first)
	}
	var all []draw.Series
	kinds := map[bool]string{} // a file with singular values, and one with eigenvalues
	names := labels(files)
	for i, file := range files {
		values, err := cli.UnlessDone(ctx, func() ([]float64, error) { return cli.ReadVector(file, stdin) })
		if err != nil {
			return nil, err
		}
		if len(values) == 0 {
			return nil, fmt.Errorf("%s: no eigenvalue to draw", cli.InputName(file))
		}
		for i, x := range values {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("%s: value %d is %v", cli.InputName(file), i+1, x)
			}
		}
		last := len(values) - 1
		singular := values[0] > values[last] && values[last] >= 0 && slices.IsSortedFunc(values, func(x, y float64) int { return cmp.Compare(y, x) })
		slices.Sort(values)
		s := draw.Series{Name: names[i], Values: values, First: part.first}
		known, found := cli.PartOf(file, len(values))
		if !found && singular && !part.given() {
			part.guessed = file
		}
		if found {
			if singular, s.Squares = known.Singular, known.Squares; part.first == 0 {
				s.First, s.N = known.First, known.N
			}
		}
		all, kinds[singular] = append(all, s), file
	}
	if !part.given() {
		if part.singular = kinds[true] != ""; len(kinds) > 1 {
			return nil, fmt.Errorf("%s has singular values, and %s has eigenvalues; --singular or --singular=false decides for both",
				cli.InputName(kinds[true]), cli.InputName(kinds[false]))
		}
	}
	if part.report != "" {
		r, err := cli.UnlessDone(ctx, func() (report, error) { return readReport(part.report, stdin) })
		if err != nil {
			return nil, err
		}
		s := &all[0]
		if r.Values != len(s.Values) || r.First < 0 || r.First+r.Values > r.N {
			return nil, fmt.Errorf("%s: a report about %d:%d of %s, but %s has %d", part.report,
				r.First, r.First+r.Values, cli.Plural(r.N, "eigenvalue"), cli.InputName(files[0]), len(s.Values))
		}
		s.First, s.N = r.First, r.N
	}
	return all, nil
}

func stagesPlot() plotKind {
	return plotKind{
		"stages",
		nil,
		func(ctx context.Context, files []string, stdin io.Reader) (*draw.Picture, error) {
			runs, err := readRuns(ctx, files, stdin)
			if err != nil {
				return nil, err
			}
			return draw.Stages(runs)
		},
	}
}

// A report is what a picture needs of the file that vkevd solve --report has written.
type report struct {
	File    string      `json:"file"`
	N       int         `json:"n"`
	First   int         `json:"first"`
	Values  int         `json:"values"`
	Vectors bool        `json:"vectors"`
	Device  string      `json:"device"`
	Stages  []vk.Timing `json:"stages"`
}

// readRuns reads reports that solve --report has written. If two runs would have the same text in
// the legend, readRuns adds "vectors" or "values" to the text. If the texts are still the same,
// readRuns adds the name of the file.
func readRuns(ctx context.Context, files []string, stdin io.Reader) ([]draw.Run, error) {
	var reports []report
	for _, file := range files {
		r, err := cli.UnlessDone(ctx, func() (report, error) { return readReport(file, stdin) })
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	var runs []draw.Run
	for _, r := range reports {
		run := draw.Run{
			Name:   fmt.Sprintf("%s, n = %d", cli.Printable(filepath.Base(r.File)), r.N),
			Device: cli.Printable(r.Device),
		}
		for _, t := range r.Stages {
			run.Stages = append(run.Stages, draw.Stage{Name: cli.Printable(t.Name), Seconds: t.Seconds})
		}
		runs = append(runs, run)
	}
	distinguish(runs, func(i int) string {
		if reports[i].Vectors {
			return runs[i].Name + ", vectors"
		}
		return runs[i].Name + ", values"
	})
	names := labels(files)
	distinguish(runs, func(i int) string { return names[i] + ": " + runs[i].Name })
	return runs, nil
}

// distinguish makes the names of runs in a legend different. If two runs have the same name and
// device, `distinguish` gives each run of the picture the longer name that longer(i) returns for
// run i.
func distinguish(runs []draw.Run, longer func(i int) string) {
	count := map[string]int{}
	key := func(r draw.Run) string { return r.Name + "\x00" + r.Device }
	for _, r := range runs {
		count[key(r)]++
	}
	if len(count) == len(runs) {
		return
	}
	for i := range runs {
		runs[i].Name = longer(i)
	}
}

func readReport(file string, stdin io.Reader) (r report, _ error) {
	text, err := cli.ReadAll(file, stdin)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: not a report; solve --report writes them", cli.InputName(file))
	}
	if len(r.Stages) == 0 {
		return r, fmt.Errorf("%s: a report without stages; solve --report writes them", cli.InputName(file))
	}
	const most = 1e12 // seconds
	for _, t := range r.Stages {
		if !(t.Seconds >= 0) || t.Seconds > most {
			return r, fmt.Errorf("%s: stage %q took %v s", cli.InputName(file), t.Name, t.Seconds)
		}
	}
	return r, nil
}
