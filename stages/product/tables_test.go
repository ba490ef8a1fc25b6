package product

// Tables has the tables of package tuning. This package cannot import package tuning, because
// package tuning imports this package; therefore tables_link_test.go sets the variable.
var Tables struct {
	NVIDIA, CPU, Other, Smallest, Device Tuning
}
