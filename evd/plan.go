package evd
