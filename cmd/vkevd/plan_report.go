package main

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// planReport is the content of a plan's JSON. Sizes are in bytes.
type planReport struct {
	Version     string          `json:"version"`
	N           int             `json:"n"`
	Rows        int             `json:"m,omitempty"`   // with --svd
	SVD         bool            `json:"svd,omitempty"` // for singular values
	Vectors     bool            `json:"vectors"`
	Tridiagonal bool            `json:"tridiagonal"`
	Tuned       bool            `json:"tuned"` // with sizes from vkevd tune --save
	Device      string          `json:"device"`
	Driver      string          `json:"driver,omitempty"`
	Fits        *bool           `json:"fits"`             // null without a device
	Reason      string          `json:"reason,omitempty"` // why it does not fit
	Bytes       uint64          `json:"bytes"`            // of device memory, at the same time
	Free        uint64          `json:"free_bytes"`
	MaxRegion   uint64          `json:"max_region_bytes"` // the largest region that the device allows; 0 if not known
	Host        uint64          `json:"host_bytes"`       // matrix and vectors in solve
	Memory      []plannedRegion `json:"memory"`           // regions with the same offset share it
	Stages      []evd.StageCost `json:"stages"`
	Flops       float64         `json:"flops"`
}

type plannedRegion struct {
	Name   string `json:"name"`
	Offset uint64 `json:"offset"`
	Bytes  uint64 `json:"bytes"`
}

func (j *planJob) report(info vk.Info, f forecast, unfit *vk.OutOfMemoryError, vectors, tuned bool) planReport {
	r := planReport{
		Version: version(), N: j.n, Rows: j.rows, SVD: j.svd, Vectors: vectors, Tridiagonal: j.options.tridiagonal, Tuned: tuned,
		Device: info.Name, Bytes: f.Bytes(), Free: info.Free, MaxRegion: info.MaxRegion(),
		Host: j.hostBytes(vectors), Stages: f.Costs(),
	}
	if info.Memory > 0 {
		fits := unfit == nil
		r.Fits, r.Driver = &fits, driverOf(info)
	}
	if unfit != nil {
		r.Reason = describe(unfit)
	}
	for _, m := range f.Memory() {
		if m.Bytes > 0 {
			r.Memory = append(r.Memory, plannedRegion{m.Name, m.Offset, m.Bytes})
		}
	}
	for _, c := range r.Stages {
		r.Flops += c.Flops
	}
	return r
}

// hostBytes is the number of bytes of host memory that solve needs for the matrix and the vectors,
// unless the vectors replace the matrix.
func (j *planJob) hostBytes(vectors bool) uint64 {
	const double = 8
	n, found := uint64(j.n), uint64(j.options.part.count(j.n))
	switch {
	case j.svd && j.full:
		return double * (uint64(j.rows)*n + uint64(j.rows)*uint64(j.rows) + n*n)
	case j.svd && vectors:
		few := min(n, uint64(j.rows))
		if j.options.part.largest > 0 {
			few = uint64(j.options.part.largest)
		}
		return double * (uint64(j.rows)*n + (uint64(j.rows)+n)*few)
	case j.svd:
		return double * uint64(j.rows) * n
	case j.options.tridiagonal && vectors:
		return double * (2*n + n*found)
	case j.options.tridiagonal:
		return double * 2 * n
	case vectors && j.options.verify:
		return double * (n*n + n*found)
	}
	return double * n * n
}
