package plot

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/draw"
	"github.com/vkevd/vkevd/vk"
)

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
// the legend, readRuns adds "vectors" or "values" to the text. If the texts are still the same, it
// adds the name of the file.
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
// device, it gives each run of the picture the longer name that longer(i) returns for run i.
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
