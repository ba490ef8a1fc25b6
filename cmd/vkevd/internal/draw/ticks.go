package draw

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
)

// roundTicks places ticks at multiples of 1, 2 or 5 times a power of ten. Some ticks have labels.
// Between two ticks with labels there are three or four ticks without labels. If the axis includes
// zero, zero has a label.
type roundTicks struct{}

func (roundTicks) Ticks(low, high float64) []plot.Tick {
	const most = 8         // labels
	const distinct = 1e-12 // relative length: on a shorter axis, neighbouring ticks may be equal doubles
	if !(high-low > distinct*max(math.Abs(low), math.Abs(high))) || math.IsInf(high-low, 0) {
		return []plot.Tick{{Value: low, Label: fmt.Sprintf("%.17g", low)}}
	}
	unit := math.Pow10(int(math.Floor(math.Log10((high - low) / most))))
	step, parts := unit, 5.0
	for _, m := range []float64{2, 5, 10} {
		if (high-low)/step > most {
			step, parts = m*unit, map[float64]float64{2: 4, 5: 5, 10: 5}[m]
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	small := step / parts
	var ticks []plot.Tick
	for i := math.Ceil(low/small - 1e-9); i*small <= high+1e-9*small; i++ {
		t := plot.Tick{Value: i * small}
		if math.Mod(i, parts) == 0 {
			t.Label = number(t.Value, decimals)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// number writes a number with a minus sign, which is as wide as a digit, in place of a hyphen.
func number(x float64, decimals int) string {
	return strings.Replace(fmt.Sprintf("%.*f", decimals, x+0), "-", "−", 1) // + 0: never −0
}

// wholeTicks places ticks for an axis of whole numbers, at multiples of 1, 2 or 5 times a power of
// ten. Only whole numbers have ticks.
type wholeTicks struct{}

func (wholeTicks) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for _, t := range (roundTicks{}).Ticks(low, high) {
		if t.Value != math.Trunc(t.Value) {
			continue
		}
		if high-low < 8 {
			t.Label = number(t.Value, 0)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// decades places ticks at powers of ten, for an axis of positive numbers. About ten of these ticks
// have labels. If the axis has only a few powers of ten, there are also ticks at 2, 3, …, 9 times
// each power. On an axis with fewer than two powers of ten, those at 2 and 5 times a power have
// labels. If that gives fewer than two labels, the ticks are those of roundTicks.
type decades struct{}

func (decades) Ticks(low, high float64) []plot.Tick {
	const most, few = 10, 5
	const rounding = 1e-9 // of a logarithm
	from, to := int(math.Ceil(math.Log10(low)-rounding)), int(math.Floor(math.Log10(high)+rounding))
	every := 1 + (to-from)/most
	short := to-from < 1
	var ticks []plot.Tick
	labels := 0
	add := func(value float64, label string) {
		if value >= low*(1-rounding) && value <= high*(1+rounding) {
			ticks = append(ticks, plot.Tick{Value: value, Label: label})
			labels += min(len(label), 1)
		}
	}
	for e := from - 1; e <= to; e++ {
		label := ""
		if (e-from)%every == 0 {
			label = powerOfTen(e)
		}
		if short {
			label = timesPower(1, e)
		}
		add(math.Pow10(e), label)
		for m := 2.0; m < 10 && to-from <= few; m++ {
			label := ""
			if short && (m == 2 || m == 5) {
				label = timesPower(m, e)
			}
			add(m*math.Pow10(e), label)
		}
	}
	if labels < 2 {
		return roundTicks{}.Ticks(low, high)
	}
	return ticks
}

// powerOfTen writes 10ᵉ in the form 1e3, because the font lacks some superscript digits and would
// silently leave them out.
func powerOfTen(e int) string { return fmt.Sprintf("1e%d", e) }

// timesPower writes m·10ᵉ, where m is a digit: as 0.2, or as 2e-7 if there would be many zeros.
func timesPower(m float64, e int) string {
	if e < -4 || e > 4 {
		return fmt.Sprintf("%ge%d", m, e)
	}
	return number(m*math.Pow10(e), max(0, -e))
}

func ticksAt(places []int) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for _, x := range places {
		ticks = append(ticks, plot.Tick{Value: float64(x), Label: fmt.Sprint(x)})
	}
	return ticks
}
