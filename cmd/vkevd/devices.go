package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/vk"
)

func devicesCommand(s *cli.Session) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "devices",
		Args: cli.NoArguments,
	}
	out := cli.JsonFlag(cmd, "all properties")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := out.Open(s.Stdout); err != nil {
			return err
		}
		defer out.Close()
		infos, err := s.Machine.List()
		if err != nil {
			return err
		}
		if len(infos) == 0 {
			return fmt.Errorf("%w: the Vulkan loader found no driver; "+
				"on Debian and Ubuntu: apt install mesa-vulkan-drivers", vk.ErrNoDevice)
		}
		return out.Show(cmd.Context(), s.Stdout, infos, func(w io.Writer) error { return printDevices(w, infos) })
	}
	return cmd
}

func printDevices(w io.Writer, infos []vk.Info) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tname\ttype\tmemory\tfree\tdriver\tVulkan")
	for _, d := range infos {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n",
			d.Index, cli.Printable(d.Name), d.Type, cli.Human(d.Memory), cli.Human(d.Free), cli.Printable(cli.DriverOf(d)), d.API)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, d := range infos {
		if d.Problem != "" {
			fmt.Fprintf(w, "%d cannot be used: %s\n", d.Index, cli.Printable(d.Problem))
			continue
		}
		if !d.HalfStorage() {
			fmt.Fprintf(w, "%d cannot store numbers in half precision: it has no storageBuffer16BitAccess\n", d.Index)
		}
		if !d.Float64() {
			fmt.Fprintf(w, "%d has no double precision: %s\n", d.Index, cli.SingleOnly)
		}
	}
	return nil
}
