// Package tables, internal to vkevd, for tests only, gives package roomtest the tables of package
// tuning.
package tables

import (
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

func init() {
	roomtest.On = func(info vk.Info) any { return tuning.On(info) }
	roomtest.Bounded = func(info vk.Info, rate float64) any { return tuning.On(info).Bounded(rate) }
	roomtest.Smallest = func() any { return tuning.Smallest() }
}
