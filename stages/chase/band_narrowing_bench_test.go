package chase

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// BenchmarkBandNarrowing measures the reduction of a random band to bidiagonal form, as Ringoot et
// al. do: passes that make the band narrower, with several sizes, and then the bulge chasing of the
// narrow band. To run it: go test -bench BandNarrowing ./stages/chase. On a GPU the bands have 128
// superdiagonals and the orders 8192 and 32768. ms/narrow is the time of the passes, and ms/chase
// is the time of the bulge chasing.
func BenchmarkBandNarrowing(b *testing.B) {
	d := stagetest.Device(b)
	orders, width, sizes := []int{8192, 32768}, 128, []NarrowTuning{{31, 35}, {32, 32}, {24, 32}, {16, 32}, {31, 66}, {47, 34}, {48, 32}}
	if d.Info().Type == "cpu" {
		orders, width, sizes = []int{128}, 12, []NarrowTuning{{4, 4}}
	}
	table := tuningFor(d.Info().Family).Chase
	for _, n := range orders {
		for _, narrow := range sizes {
			for _, perThread := range []uint32{table.PerThread, table.PerThread / 2, 2 * table.PerThread} {
				for _, groups := range []int{table.Groups, 2 * d.Info().Units} {
					if groups != table.Groups && (n < 32768 || perThread != table.PerThread) {
						continue
					}
					tune := table
					tune.PerThread, tune.Groups = perThread, groups
					b.Run(fmt.Sprintf("n=%d/tile=%d/to=%d/own=%d/groups=%d", n, narrow.Tile, narrow.To, perThread, groups), func(b *testing.B) {
						benchNarrowing(b, d, NarrowSize{n, width, narrow.To, narrow.Tile}, tune)
					})
				}
			}
		}
	}
}

func benchNarrowing(b *testing.B, d *vk.Device, size NarrowSize, tune ChaseTable) {
	wait := tune.Waiting(b, d)
	stage, err := NewBandNarrowing[float64](d, size, wait, tune.Tuning)
	if err != nil {
		b.Fatal(err)
	}
	chase, err := NewBidiagonalChasing[float64](d, Size{N: size.N, B: size.To}, wait, tune.Tuning)
	if err != nil {
		b.Fatal(err)
	}
	band, general := vk.Reserve[float64]("band", size.BandLen()), vk.Reserve[float64]("general band", stages.GeneralBandLen(size.N, size.To))
	c := vk.Reserve[float64]("C", 2*size.N-1)
	ws := stagetest.Arena(b, d, vk.Together(band, general, c, stage.Work(), chase.Work()))
	values := bandToNarrow(size)
	none := stages.Reflectors[float64]{}
	rec := vk.NewRecorder(d)
	stage.Record(rec, ws, band.In(ws), general.In(ws))
	rec.Phase(stages.PhaseBulgeChasing, 0, 1)
	chase.Record(rec, ws, general.In(ws), GolubKahan(c.In(ws)), none, none)
	var narrow, rest float64
	for b.Loop() {
		stagetest.Put(b, d, band.In(ws), values)
		p := stagetest.Run(b, d, rec)
		narrow += p.Phase(stages.PhaseBandNarrowing)
		rest += p.Phase(stages.PhaseBulgeChasing)
	}
	b.ReportMetric(1e3*narrow/float64(b.N), "ms/narrow")
	b.ReportMetric(1e3*rest/float64(b.N), "ms/chase")
	b.ReportMetric(0, "ns/op")
}
