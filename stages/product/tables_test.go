package product

// Tables are those of package tuning, which imports this one: tables_link_test.go sets them.
var Tables struct {
	NVIDIA, CPU, Other, Smallest, Device Tuning
}
