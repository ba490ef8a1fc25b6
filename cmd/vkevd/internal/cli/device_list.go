package cli

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/vk"
)

// allDevices is the value of --device that stands for all devices of the computer.
const allDevices = "all"

func severalDevices(word string) bool { return word == allDevices || len(DeviceWords(word)) > 1 }

// DeviceWords splits a list of devices at its commas. A comma in parentheses belongs to the name of a
// device, such as "llvmpipe (LLVM 15.0.6, 256 bits)". Empty words are left out, except if the whole
// list is empty: the empty word is the best device.
func DeviceWords(list string) []string {
	depth := 0
	words := strings.FieldsFunc(list, func(c rune) bool {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		return c == ',' && depth <= 0
	})
	if len(words) == 0 {
		return []string{list}
	}
	return words
}

// OpenAll opens the devices that opt.Device names: one device, several with commas between them, or
// all. The first one does the steps of a solve that cannot be divided among devices.
func (s *Session) OpenAll(opt vk.Options, log io.Writer) (machine.Device, error) {
	words, err := s.Devices(opt.Device)
	if err != nil {
		return nil, err
	}
	var all []machine.Device
	for _, w := range words {
		opt.Device = w
		dev, err := s.Open(opt, log)
		if err != nil {
			for _, d := range all {
				d.Close()
			}
			return nil, err
		}
		all = append(all, dev)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return all[0].With(all[1:]), nil
}

// Devices divides the value of --device into words that each name one device.
func (s *Session) Devices(word string) ([]string, error) {
	if word != allDevices {
		return DeviceWords(word), nil
	}
	infos, err := s.Machine.List()
	if err != nil {
		return nil, err
	}
	return Usable(infos), nil
}

// kinds lists the values of vk.Info.Type, the types of devices. The type that is usually fastest
// comes first.
var kinds = []string{"discrete", "integrated", "virtual", "cpu"}

// Usable lists the devices that can share a solve, as words for --device, in the order of byType. A
// device without double precision cannot share a solve: if there is no other device, the list has
// only one of them. If no device can be used, the list has one empty word: an attempt to open the
// best device then gives the reason.
func Usable(infos []vk.Info) []string {
	single := func(i vk.Info) bool { return !i.Float64() }
	if words := byType(slices.DeleteFunc(slices.Clone(infos), single)); len(words) > 0 {
		return words
	}
	if words := byType(infos); len(words) > 0 {
		return words[:1]
	}
	return []string{""}
}

// byType lists the numbers of the devices that can be used, in the order of the devices' types, the
// fastest first. CPUs are left out if there is any other device.
func byType(infos []vk.Info) (words []string) {
	for _, kind := range kinds {
		if kind == "cpu" && len(words) > 0 {
			break
		}
		for _, i := range infos {
			known := slices.Contains(kinds, i.Type)
			if i.Problem == "" && (i.Type == kind || !known && kind == "virtual") {
				words = append(words, strconv.Itoa(i.Index))
			}
		}
	}
	return words
}

// SingleOnly says what a device without double precision can do.
const SingleOnly = "it solves for eigenvalues and singular values in single precision (--precision f32)"
