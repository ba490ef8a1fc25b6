package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/cluster"
)

// clusterPlan is the content of the JSON that vkevd plan prints for a solve by many processes.
type clusterPlan struct {
	Version string  `json:"version"`
	N       int     `json:"n"`
	Vectors bool    `json:"vectors"`
	Engine  string  `json:"engine"`
	Ranks   int     `json:"ranks"`
	Rows    int     `json:"grid_rows"`
	Cols    int     `json:"grid_cols"`
	Block   int     `json:"block"`
	Bytes   uint64  `json:"bytes_per_rank"`
	Flops   float64 `json:"flops"`
	Rate    float64 `json:"assumed_flops_per_second_and_rank"`
	Seconds float64 `json:"forecast_seconds"`
}

// runCluster prints the forecast of memory and operations for a solve by many processes.
func (j *planJob) runCluster(ctx context.Context) error {
	if err := j.json.Open(j.Stdout); err != nil {
		return err
	}
	defer j.json.Close()
	if _, err := j.options.part.of(j.n); err != nil {
		return err
	}
	vectors := j.wantsVectors()
	f, err := cluster.Plan(j.n, j.ranks, cluster.Options{Vectors: vectors}, j.options.part.count(j.n))
	if err != nil {
		return err
	}
	used := f.Rows * f.Cols
	seconds := f.Flops / (j.rate * 1e9 * float64(used))
	if !j.json.Instead() {
		var b strings.Builder
		fmt.Fprintf(&b, "engine   %s, %d processes in a grid of %d by %d, blocks of %d\n", j.engine, used, f.Rows, f.Cols, f.Block)
		fmt.Fprintf(&b, "memory   %s a process, of which the matrix takes %s\n", cli.Human(f.Bytes), cli.Human(f.Matrix))
		fmt.Fprintf(&b, "flops    %.3g\n", f.Flops)
		fmt.Fprintf(&b, "forecast %s, if each process does %g GFLOP/s (--rate); not measured\n", duration(seconds), j.rate)
		if used < j.ranks {
			fmt.Fprintf(&b, "%d processes have no work: the matrix is too small, or their number makes no good grid\n", j.ranks-used)
		}
		if _, err := fmt.Fprint(j.Stdout, b.String()); err != nil {
			return cli.CannotWrite("standard output", err)
		}
	}
	return j.json.Write(ctx, clusterPlan{
		cli.Version(), j.n, vectors, j.engine, j.ranks, f.Rows, f.Cols, f.Block, f.Bytes, f.Flops, j.rate * 1e9, seconds,
	})
}

// duration writes a time in units that are easy to read.
func duration(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.2g s", seconds)
	case seconds < 7200:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}
