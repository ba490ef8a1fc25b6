% Compares eig and svd with the stored eigenvalues of the repository's matrices.
folder = fullfile(getenv("repository"), "tests", "testdata", "matrices");
for file = glob(fullfile(folder, "*.mtx*"))'
	name = regexprep(file{1}, '.*/|\.mtx.*', '');
	[status, text] = system(["zcat -f " file{1} " | grep -v '^%'"]);
	rows = strsplit(strtrim(text), "\n");
	n = sscanf(rows{1}, "%d", 1);
	if n > str2double(getenv("most"))
		continue
	end
	entries = reshape(sscanf(strjoin(rows(2:end), "\n"), "%f"), [], numel(rows) - 1)';
	if columns(entries) == 2
		entries(:, 3) = 1;
	end
	a = full(sparse(entries(:, 1), entries(:, 2), entries(:, 3), n, n));
	a = a + tril(a, -1)';
	[status, text] = system(["grep -v '^#' " fullfile(folder, [name ".eig.txt"])]);
	want = sort(sscanf(text, "%f"));
	tolerance = 1e-14 * n * max(abs(want));
	[v, d] = eig(a);
	[u, s, w] = svd(a);
	assert(eig(a), want, tolerance);
	assert(diag(d), want, tolerance);
	assert(a * v, v * d, tolerance);
	assert(sort(svd(a)), sort(abs(want)), tolerance);
	assert(u * s * w', a, tolerance);
	tolerance = 2e-7 * n * max(abs(want)); % in single precision
	a = single(a);
	[v, d] = eig(a);
	assert(double(eig(a)), want, tolerance);
	assert(double(a * v), double(v * d), tolerance);
	assert(double(sort(svd(a))), sort(abs(want)), tolerance);
	printf("%s %d fine\n", name, n);
end
