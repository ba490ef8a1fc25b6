package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// A rule says which flags of some commands cannot be combined. A list of flags has their names with
// blanks between them. FLAG=VALUE is a flag with this value, and `several` stands for several
// devices.
//
// The text is the whole error. If it is empty or begins with a blank, a comma, a colon or a
// semicolon, it is only the end of the error. {device} stands for the value of --device.
type rule struct {
	commands string // "" for all
	given    string // the rule is for each of these flags
	other    string // it is broken if one of these is given, too
	unless   string // it does not hold with this flag
	text     string
}

const onePart = "index largest smallest interval"

// exclusions lists the flags that exclude each other. The first rule that is broken makes the
// error.
var exclusions = []rule{
	{"", "json", "report", "", "--json is the same as --report; give one of them"},
	{"", "quiet", "verbose", "", ""},
	{"", "vectors", "values-only", "", ""},
	{"", "symmetrize", "uplo", "", ""},
	{"solve", "out-vectors", "values-only", "", ""},
	{"check", "symmetrize uplo", "svd", "", "--svd is for matrices that need not be symmetric"},

	{"solve plan", "precision=mixed", "values-only tridiagonal start b svd engine", "", ""},
	{"solve plan", "precision=mixed", onePart, "", ": a refinement corrects each vector by multiples of all others"},
	{"solve plan", "precision=mixed", "several", "", "--device {device}: --precision mixed uses one device"},
	{"solve plan", "start", "values-only tridiagonal batch b " + onePart, "", ""},
	{"solve plan", "start", "precision=f32", "", "--start refines to double precision, not to --precision f32"},
	{"plan", "start", "svd engine", "", ""},
	{"plan", "complex", "storage tridiagonal engine", "", ", which takes real matrices only"},
	{"solve plan", "tridiagonal start batch b svd engine", "distribute", "", ""},
	{"", "b", "several", "", "--device {device}: --b uses one device"},
	{"check", "b", "svd", "", ""},
	{"check", "host", "type=2 type=3", "", ", which the device measures"},
	{"check", "host", "overlap", "", ", which the device measures"},
	{"", "overlap", "type=2 type=3", "", ": it is only for A·x = λ·B·x"},
	{"", "overlap", "batch", "", ": --batch solves with a Cholesky factor of B"},
	{"", "overlap", "largest", "", ": how many values there are is only known when directions have been dropped; use --interval"},
	{"", "refine", "type=2 type=3", "", ": only A·x = λ·B·x needs it"},
	{"", "refine", "overlap", "", ": it needs a B of which no direction is dropped"},
	{"", "refine", "values-only", "", ": it refines values by their vectors"},
	{"", "refine", onePart, "", ": a refinement corrects each vector by multiples of all others"},
	{"solve", "start", "several", "", "--device {device}: --tridiagonal and --start use one device"},
	{"solve", "tridiagonal", "several", "batch", "--device {device}: --tridiagonal and --start use one device"},
	{"solve", "interval solver band block verify precision=mixed", "batch", "", ""},
	{"plan", "batch", "b svd engine products moduli interval solver band block verify precision=mixed", "", ""},
	{"solve plan", "b band block verify products moduli", "tridiagonal", "", ""},
	{"solve plan", "precision=f32", "tridiagonal", "", ", which solves in double precision; leave out --precision"},
	{"solve", "uplo symmetrize names", "tridiagonal", "", ""},

	{"plan", "b index smallest interval solver tridiagonal", "svd", "", ""},
	{"plan", "like", "device", "", ", which are of this computer"},
	{"plan", "svd start batch tridiagonal", "several", "", "--device {device}: --svd, --batch, --start and --tridiagonal use one device"},
	{"svd plan", "full", "largest", "", ": all vectors need all values"},
	{"svd", "storage", "bidiagonal", "", ": there is no band to store"},
	{"svd", "banded", "bidiagonal", "", ""},
	{"svd", "center scale", "banded bidiagonal", "", ": its columns are not those of a table"},
	{"svd", "banded", "out-u out-v", "", "--banded finds values alone, without --out-u and --out-v"},
	{"svd", "band block", "banded bidiagonal", "", "--band and --block are for matrices that are reduced to a band first"},
	{"svd", "products moduli", "banded bidiagonal", "", "--products and --moduli are for matrices that are reduced to a band first"},
	{"svd", "verify", "banded", "", "; --check certifies the values"},
	{"svd", "verify", "bidiagonal", "", "; --check measures the result"},
	{"svd", "storage", "out-u out-v", "", "--storage is for singular values alone, without vectors"},
	{"plan", "storage", "vectors full", "", "--storage is for singular values alone, without vectors"},
	{"plan", "precision=f32", "storage=f64", "", "--storage f64 stores no more digits than --precision f32 has"},
	{"svd plan", "products=emulated", "storage=f32 storage=f16", "", ": they replace double precision"},
}

// `needs` lists flags that need another one: one of `other` must be given.
var needs = []rule{
	{"", "base", "format=coo", "", "--base is for --format coo"},
	{"", "type", "b", "", ": other problems have one matrix"},
	{"", "overlap", "b", "", ": other problems have one matrix"},
	{"", "refine", "b", "", "; solve --start refines vectors of one matrix"},
	{"svd", "full", "out-u out-v", "", "--full needs --out-u or --out-v"},
	{"plan", "m", "svd", "", ": other matrices are square"},
	{"plan", "full", "svd", "", ": eigenvectors are a square matrix anyway"},
	{"plan", "storage", "svd", "", ": eigenvalues have the precision of --precision"},
	{"plan", "ranks rate", "engine=elpa engine=scalapack", "", " --engine elpa or scalapack"},
	{"solve plan", "distribute", "several", "", "--distribute needs several devices, for example --device 0,1"},
}

// CheckRules returns an error if the flags of a command break a rule. Every command is checked
// before it opens a file.
func (s *Session) CheckRules(cmd *cobra.Command) error {
	device := ""
	if f := cmd.Flags().Lookup("device"); f != nil {
		if device, _ = s.Lookup("VKEVD_DEVICE"); f.Changed {
			device = f.Value.String()
		}
	}
	given := func(word string) bool {
		name, value, valued := strings.Cut(word, "=")
		if name == "several" {
			return severalDevices(device)
		}
		f := cmd.Flags().Lookup(name)
		if f == nil || !f.Changed || f.Value.String() == "false" {
			return false
		}
		return f.Value.String() != "" && (!valued || f.Value.String() == value)
	}
	name := strings.NewReplacer("=", " ").Replace
	end := func(r rule, middle string) error {
		text := r.text
		if text == "" || strings.ContainsAny(text[:1], ":;, ") {
			text = middle + text
		}
		return Usage(cmd, "%s", strings.ReplaceAll(text, "{device}", device))
	}
	each := func(rules []rule, broken func(r rule, word string) error) error {
		for _, r := range rules {
			if r.commands != "" && !slices.Contains(strings.Fields(r.commands), cmd.Name()) || r.unless != "" && given(r.unless) {
				continue
			}
			for _, word := range strings.Fields(r.given) {
				if given(word) {
					if err := broken(r, word); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	err := each(exclusions, func(r rule, word string) error {
		if i := slices.IndexFunc(strings.Fields(r.other), given); i >= 0 {
			return end(r, "--"+name(word)+" cannot be combined with --"+name(strings.Fields(r.other)[i]))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return each(needs, func(r rule, word string) error {
		if slices.ContainsFunc(strings.Fields(r.other), given) {
			return nil
		}
		return end(r, "--"+word+" needs"+map[bool]string{true: " --" + name(r.other)}[!strings.HasPrefix(r.text, " ")])
	})
}

// processCounts lists the environment variables in which programs that start MPI jobs tell each
// process how many processes the job has. These programs are, in the order of the list: Open MPI;
// MPICH and Intel MPI, whose second variable counts the processes on one host; MVAPICH; Slurm's
// srun. Slurm's variables of a whole allocation, such as SLURM_NTASKS, are not in the list, because
// a batch script, which is one process, also has them.
var processCounts = []string{
	"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS",
}

// CheckProcesses returns an error if this process is one of several of an MPI job, and the user has
// not given the flag --engine. Without this flag every process would solve the whole problem, and
// all of them would write the same files.
func (e Environment) CheckProcesses(cmd *cobra.Command) error {
	if cmd.Flags().Changed("engine") {
		return nil
	}
	for _, name := range processCounts {
		text, _ := e.Lookup(name)
		count, err := strconv.Atoi(text)
		switch {
		case err != nil || count < 2:
		case cmd.Flags().Lookup("engine") == nil:
			return Usage(cmd, "this is one of %d processes (%s), and each would solve the same problem; "+
				"for a problem with each, unset %s", count, name, name)
		default:
			return Usage(cmd, "this is one of %d processes (%s): --engine elpa solves one problem with all of them, "+
				"--engine vulkan a problem with each", count, name)
		}
	}
	return nil
}
