package tuning

import (
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/vk"
)

// Forecast predicts the times of stages. The field Stages has their speeds, by the name of the
// phase, and Other is the speed of all other stages. Rates are those of the device on which the
// speeds were measured. A forecast for a device without measured rates uses these rates.
type Forecast struct {
	Stages map[string]Speed
	Other  Speed
	Rates  machine.PeakRates
}

// A Speed predicts the time of a stage. For matrices of order n the stage takes
//
//	Row·n + flops/(Share·rate)
//
// seconds. The rate is that of the device's multiply-adds in registers, in flops per second.
type Speed struct {
	Row   float64 // seconds for each row, however fast the arithmetic is
	Share float64 // part of the rate that the operations reach

	Products float64 // part of the operations that are large products, which may be emulated
	Double   bool    // the stage works in double precision, even if the matrix is in single
}

// ForecastOn returns the speeds for a device. It does not read the code of any kernel. The map must
// not be changed.
func ForecastOn(info vk.Info) Forecast { return chain(info)[0].Forecast }
