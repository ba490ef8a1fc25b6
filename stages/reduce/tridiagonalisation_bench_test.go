package reduce

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestTridiagonalisationTimes prints the times of reductions in one stage, for tuning. The variable
// VKEVD_ONE_STAGE is the name of a file. Each line is an order, a number of runs, and fields of
// TridiagonalisationTuning as JSON, which replace those of the device's table. All runs of a line
// must give the same bits.
func TestTridiagonalisationTimes(t *testing.T) {
	name := os.Getenv("VKEVD_ONE_STAGE")
	if name == "" {
		t.Skip("set VKEVD_ONE_STAGE")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Kernels: true, Statistics: true})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	waiting := stages.Waiting{Allowed: true, WideFence: !dev.Info().FenceChains()}
	matrices := map[int][]float64{}
	for line := range strings.Lines(string(text)) {
		order, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		runs, change, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(order)
		if err != nil {
			t.Fatal(err)
		}
		count, err := strconv.Atoi(runs)
		if err != nil {
			t.Fatal(err)
		}
		tune := TuningFor(dev.Info()).Sytrd
		if err := json.Unmarshal([]byte(change), &tune); err != nil {
			t.Fatal(err)
		}
		if matrices[n] == nil {
			matrices[n] = stagetest.Symmetric(n)
		}
		timeTridiagonalisation(t, dev, n, count, waiting, tune, matrices[n], change)
	}
	found, err := dev.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range found {
		if strings.Contains(k.Kernel, "trd") {
			t.Logf("%s: %v", k.Kernel, k.List)
		}
	}
}

// timeTridiagonalisation reduces the same matrix several times and prints the shortest and the
// longest time, and the kernels of the shortest run.
func timeTridiagonalisation(
	t *testing.T, dev *vk.Device, n, count int, w stages.Waiting, tune TridiagonalisationTuning, dense []float64, label string,
) {
	if err := tune.Fits(dev.Info(), n); err != nil {
		t.Logf("%d %s: %v", n, label, err)
		return
	}
	ops, err := product.New[float64](dev, TuningFor(dev.Info()).Products)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewTridiagonalisation(dev, n, ops, w, tune)
	if err != nil {
		t.Fatal(err)
	}
	a, bb, tt := vk.Reserve[float64]("A", n*n), vk.Reserve[float64]("B", 2*n), vk.Reserve[float64]("tau", n-1)
	ws, err := dev.NewArena(vk.Together(a, bb, tt, s.Work(), s.Status(), ops.Work()))
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	var best, worst float64
	line, bits := "", uint64(0)
	began := time.Now()
	for round := range count + 1 { // the first run warms the device up
		stagetest.Put(t, dev, a.In(ws), dense)
		rec := vk.NewRecorder(dev)
		s.Record(rec, ws, stages.NewMatrix(a.In(ws), n, n, n), bb.In(ws), tt.In(ws))
		profile := stagetest.Run(t, dev, rec)
		if info := stagetest.Get(t, dev, s.Info(ws))[0]; info != 0 {
			t.Errorf("%d %s: INFO = %d", n, label, info)
			return
		}
		hash := fnv.New64()
		var raw bytes.Buffer
		binary.Write(&raw, binary.LittleEndian, append(stagetest.Get(t, dev, bb.In(ws)), stagetest.Get(t, dev, tt.In(ws))...))
		hash.Write(raw.Bytes())
		if round == 0 {
			bits = hash.Sum64()
			continue
		}
		if hash.Sum64() != bits {
			t.Errorf("%d %s: run %d has other bits", n, label, round)
		}
		total, parts := profile.Total(), strings.Builder{}
		for _, k := range profile.Kernels {
			fmt.Fprintf(&parts, " %s %.3f (%d)", k.Name, 1e3*k.Seconds, k.Count)
		}
		if best == 0 || total < best {
			best, line = total, parts.String()
		}
		worst = max(worst, total)
	}
	t.Logf("%d %s: %.3f to %.3f ms:%s (%.1f s)", n, label, 1e3*best, 1e3*worst, line, time.Since(began).Seconds())
}
