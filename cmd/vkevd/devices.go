package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/vk"
)

func devicesCommand(s *session) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "the Vulkan devices of this machine",
		Long: `devices lists what the Vulkan loader finds, usable or not, and why not. Unless --device or
VKEVD_DEVICE says otherwise, the other commands take a discrete GPU before an integrated
one, and the CPU last.`,
		Example: "  vkevd devices\n  vkevd devices --json | jq '.[].name'",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			infos, err := s.machine.list()
			if err != nil {
				return err
			}
			if len(infos) == 0 {
				return fmt.Errorf("%w: the Vulkan loader found no driver; on Debian and Ubuntu: apt install mesa-vulkan-drivers", vk.ErrNoDevice)
			}
			if asJSON {
				return printJSON(s.stdout, infos)
			}
			return printDevices(s.stdout, infos)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "all that is known, as a JSON array")
	return cmd
}

func printJSON(w io.Writer, infos []vk.Info) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(infos)
}

func printDevices(w io.Writer, infos []vk.Info) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tname\ttype\tmemory\tfree\tdriver\tVulkan")
	for _, d := range infos {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s %s\t%s\n",
			d.Index, printable(d.Name), d.Type, human(d.Memory), human(d.Free), printable(d.Driver), printable(d.DriverVersion), d.API)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, d := range infos {
		if d.Problem != "" {
			fmt.Fprintf(w, "%d cannot be used: %s\n", d.Index, printable(d.Problem))
		}
	}
	return nil
}
