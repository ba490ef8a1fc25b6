package product

// Tables are the tables of package tuning. That package imports this one, so tables_link_test.go
// sets the variable.
var Tables struct {
	NVIDIA, CPU, Other, Smallest, Device Tuning
}
