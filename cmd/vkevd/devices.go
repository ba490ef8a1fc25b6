package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/vk"
)

func devicesCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "devices",
		Args: noArguments,
	}
	out := jsonFlag(cmd, "all properties")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := out.open(s.stdout); err != nil {
			return err
		}
		defer out.close()
		infos, err := s.machine.list()
		if err != nil {
			return err
		}
		if len(infos) == 0 {
			return fmt.Errorf("%w: the Vulkan loader found no driver; "+
				"on Debian and Ubuntu: apt install mesa-vulkan-drivers", vk.ErrNoDevice)
		}
		if !out.instead() {
			if err := printDevices(s.stdout, infos); err != nil {
				return cannotWrite("standard output", err)
			}
		}
		return out.write(cmd.Context(), infos)
	}
	return cmd
}

// singleOnly says what a device without double precision can do.
const singleOnly = "it solves for eigenvalues and singular values in single precision (--precision f32)"

func printDevices(w io.Writer, infos []vk.Info) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tname\ttype\tmemory\tfree\tdriver\tVulkan")
	for _, d := range infos {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n",
			d.Index, printable(d.Name), d.Type, human(d.Memory), human(d.Free), printable(driverOf(d)), d.API)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, d := range infos {
		if d.Problem != "" {
			fmt.Fprintf(w, "%d cannot be used: %s\n", d.Index, printable(d.Problem))
			continue
		}
		if !d.HalfStorage() {
			fmt.Fprintf(w, "%d cannot store numbers in half precision: it has no storageBuffer16BitAccess\n", d.Index)
		}
		if !d.Float64() {
			fmt.Fprintf(w, "%d has no double precision: %s\n", d.Index, singleOnly)
		}
	}
	return nil
}
