package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/metrics"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/tune"
)

// FuzzTuned reads files of the fuzzer as settings that vkevd tune --save has stored. Sizes that are
// taken must be in their ranges and come back unchanged from a file. The memory that is allocated
// for a file must not exceed a bound, which grows with the length of the file.
func FuzzTuned(f *testing.F) {
	good := cli.Tuned{Version: "1", Device: fakeInfo.Name, Driver: cli.DriverOf(fakeInfo), N: 512, Choice: tune.TableChoice(fakeInfo)}
	good.Choice.OneStageValues, good.Choice.Conquer = 1024, 100
	add := func(t cli.Tuned) []byte {
		text, err := json.Marshal(t)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		return text
	}
	text := add(good)
	for _, change := range []func(t *cli.Tuned){
		func(t *cli.Tuned) { t.Driver = "another" }, func(t *cli.Tuned) { t.Choice.Band, t.Choice.Block = 512, 512 }, func(t *cli.Tuned) { t.Choice.Band = -1 },
		func(t *cli.Tuned) { t.Choice.Block++ }, func(t *cli.Tuned) { t.Choice.Conquer = 1 << 40 }, func(t *cli.Tuned) { t.Choice.RankTwoK.M = 1 << 30 },
	} {
		changed := good
		change(&changed)
		add(changed)
	}
	for _, c := range [][2]string{
		{`{`, `[`}, {`"n":512`, `"n":5.5`}, {`512`, `99999999999999999999`}, {`"choice":{`, `"choice":{"rank_two_k":null,`},
		{`"choice":`, `"choice":null,"CHOICE":`}, {"}", "} x"},
	} {
		f.Add(bytes.Replace(text, []byte(c[0]), []byte(c[1]), 1))
	}
	f.Add(bytes.Repeat([]byte("["), 1<<15))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, file []byte) {
		path := filepath.Join(folder, "tuning.json")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		before := allocated()
		got, found, err := cli.ReadTuned(path, fakeInfo)
		const fixed, perByte = 16 << 20, 256 // the fuzzer itself allocates, too
		if most := uint64(fixed + perByte*min(len(file), 1<<16)); allocated()-before > most {
			t.Fatalf("%d bytes allocated for a file of %d bytes", allocated()-before, len(file))
		}
		if !found || err != nil {
			if found || err == nil {
				t.Fatalf("found %v, but the error is %v", found, err)
			}
			return
		}
		if got.Device != fakeInfo.Name || got.Driver != cli.DriverOf(fakeInfo) {
			t.Fatalf("settings for %s, %s", got.Device, got.Driver)
		}
		again := filepath.Join(folder, "again.json")
		if err := cli.WriteTuned(again, got); err != nil {
			t.Fatal(err)
		}
		if back, found, err := cli.ReadTuned(again, fakeInfo); !found || err != nil || back != got {
			t.Fatalf("%+v comes back as %+v, %v", got, back, err)
		}
		c := got.Choice
		sizes, err := c.Tuning(fakeInfo)
		if err != nil {
			return
		}
		for _, x := range []struct{ size, most int }{{c.Band, 256}, {c.Block, 8192}, {c.OneStageValues, 1 << 14}, {c.OneStageVectors, 1 << 14}, {c.Conquer, 1 << 14}} {
			if x.size < 0 || x.size > x.most {
				t.Fatalf("size %d is taken: %+v", x.size, c)
			}
		}
		if sizes.Band != c.Band || sizes.Block != c.Block || sizes.Products.Syr2k != c.RankTwoK || c.Band < 1 || c.Block%c.Band != 0 {
			t.Fatalf("%+v becomes b = %d, k = %d", c, sizes.Band, sizes.Block)
		}
	})
}

// allocated returns how many bytes this process has allocated so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
