# Compares eigen and svd with the stored eigenvalues of the repository's matrices.
folder <- file.path(Sys.getenv("repository"), "tests/testdata/matrices")
for (path in Sys.glob(file.path(folder, "*.mtx*"))) {
	name <- sub("\\.mtx.*", "", basename(path))
	lines <- grep("^%", readLines(path), value = TRUE, invert = TRUE)
	entries <- matrix(scan(text = lines[-1], quiet = TRUE), nrow = length(lines) - 1, byrow = TRUE)
	n <- scan(text = lines[1], quiet = TRUE)[1]
	if (n > as.integer(Sys.getenv("most"))) next
	a <- matrix(0, n, n)
	value <- if (ncol(entries) == 3) entries[, 3] else 1
	a[entries[, 1:2]] <- value
	a[entries[, 2:1]] <- value
	want <- sort(scan(file.path(folder, paste0(name, ".eig.txt")), comment.char = "#", quiet = TRUE))
	e <- eigen(a, symmetric = TRUE)
	s <- svd(a)
	tolerance <- 1e-14 * n * max(abs(want))
	stopifnot( # without na.last, sort leaves out NaN
		max(abs(sort(e$values, na.last = TRUE) - want)) < tolerance,
		max(abs(a %*% e$vectors - e$vectors %*% diag(e$values))) < tolerance,
		max(abs(sort(eigen(a, symmetric = TRUE, only.values = TRUE)$values, na.last = TRUE) - want)) < tolerance,
		max(abs(sort(s$d, na.last = TRUE) - sort(abs(want)))) < tolerance,
		max(abs(s$u %*% diag(s$d) %*% t(s$v) - a)) < tolerance
	)
	cat(name, n, "fine\n")
}
