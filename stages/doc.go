// Package stages, internal to vkevd, holds the steps of the two-stage symmetric eigensolver. The
// packages in its folder have the stages, and this package has what several stages share. Each
// stage is a type with a constructor and the methods Work (the layout of the workspace), Record
// (which records the Vulkan kernels of the stage) and Flops (the cost in flops). The workspaces of
// the products of a stage (Ops.Work) must be in the same arena.
//
//	A  dense, lower triangle        n×n, Ld ≥ n
//	│  BandReduction   dsytrd_sy2sb   A = Q1·B·Q1ᴴ     B: half-bandwidth b
//	│  BandShare                      the same by several devices, each with some columns of A
//	│  Tridiagonalisation   dsytrd    the same for b = 1, for small orders: B = T, Q2 = I
//	▼
//	B  compact band                 2b rows per column
//	│  BulgeChasing    dsytrd_sb2st   B = Q2·T·Q2ᴴ     T: d[n], e[n-1]
//	▼
//	T  tridiagonal
//	│  Bisection       dstebz         T = S·Λ·Sᵀ       values; also DivideConquerValues
//	│  DivideConquer   dstedc                          vectors; also MRRR (dstemr), QRIteration (dsteqr)
//	▼
//	S  n×m, kept transposed (m×n) while it is transformed
//	│  ApplyQ2         of dsytrd_sb2st  S ← Q2·S
//	│  ApplyQ1         of dsytrd_sy2sb  S ← Q1·S
//	▼
//	Q = Q1·Q2·S, columns are the eigenvectors of A
//
// # Notation
//
// Letters are LAPACK's: n the order, b the half-bandwidth, k the number of columns between two
// trailing updates (b ≤ k), m the number of vectors. Matrices are column-major, indices 0-based,
// ranges half-open. Element (i, j) of a matrix X with leading dimension ld lies at X[i + j·ld]. Xᴴ
// is the conjugate transpose of X. For real matrices it is Xᵀ, and a matrix is Hermitian if it is
// symmetric.
//
// # What a stage hands to the next
//
// Reflectors. A reflector H = I − τ·v·vᴴ with v[0] = 1 has Hᴴ·x = β·e1 for a vector x, where β =
// −sign(Re x0)·‖x‖ is real, and τ is complex if x is. If all elements of x after the first are zero
// and x0 is real, τ = 0 and β = x0. A product of reflectors is H0·H1⋯ = I − Y·T·Yᴴ, where T is
// upper triangular (dlarft's forward columnwise form). W is the product Y·T.
//
// Panels. Panel p covers columns [p·b, min((p+1)·b, n)). Its reflectors act on rows [(p+1)·b, n),
// so there is a panel p for every p with (p+1)·b < n. A panel of m rows has min(b, m) reflectors;
// the last reflector may have τ = 0. k is a multiple of b, and k/b neighbouring panels form a
// block. The trailing matrix in memory is updated at the end of a block. After the band reduction:
//
//   - A holds Y: in the columns of panel p, rows [(p+1)·b, n) hold the unit
//     lower trapezoid explicitly (ones and zeros stored), rows above are zero.
//   - T holds the factors: T[p] is b×b upper triangular at T + p·b·b, ld b,
//     zeros below the diagonal and in unused columns.
//   - B holds the band.
//
// Compact band. Rows c … c+2b−1 of column c of B are contiguous in memory: element (r, c), c ≤ r <
// c+2b, lies at B[(r−c) + c·2b]. The first b+1 elements of a column are the band. The other
// elements are space for the bulge. These elements, and all elements past row n−1, are zero before
// and after chasing.
//
// Sweeps. Sweep s (0 ≤ s < n−2) has steps j = 0, 1, … while s+1+j·b < n; step j acts on rows r …
// r+L−1 with r = s+1+j·b, L = min(b, n−r). Its reflector annihilates column s (j = 0) or column r−b
// (j > 0) below row r. Q2 = H(0,0)·H(0,1)⋯H(1,0)·H(1,1)⋯ in sweep order; the steps of one sweep act
// on disjoint rows and commute.
//
//   - V keeps the vectors packed: those of sweep s, one after another, fill
//     V[vOffset(s) … vOffset(s)+n−1−s) so that row i of the sweep lies at
//     vOffset(s) + i − (s+1), vOffset(s) = s·(n−1) − s·(s−1)/2. v[0] = 1 is stored.
//   - Tau[s·J + j], J = ceil((n−1)/b), is the factor of step j; unused entries are 0.
//
// # Singular values
//
// A general matrix needs the same steps, but with a different orthogonal factor on each side:
//
//	A  dense, m×n, m ≥ n               where m is much larger than n, first
//	│  TallQR                 dgeqrf    A = Q0·R            and R takes the place of A
//	│  GeneralBandReduction   ge2tb     A = Q1·[B; 0]·P1ᴴ   B: upper band, b superdiagonals
//	▼
//	B  general compact band           3b rows per column
//	│  BidiagonalChasing      dgbbrd    B = Q2·C·P2ᴴ        C: upper bidiagonal
//	▼
//	C  in its Golub-Kahan form        symmetric tridiagonal, order 2n, eigenvalues ±σ
//	│  Bisection              dstebz
//	▼
//	σ
//
// BidiagonalConquer (dbdsdc) and BidiagonalQR (dbdsqr, on the host) find the vectors of C, too:
// C = S·Σ·Wᵀ. For complex matrices the last element of each diagonal of C has a phase, which
// move.ComplexConversion gives to the last components of S and W.
//
// General compact band. Element (i, j) lies at i + j·(3b−1) + 2b−1, −2b < i−j ≤ b. The
// superdiagonals up to b are the band. The other elements are space for the bulges, and are zero
// before and after chasing. After the last column there are b columns of zeros.
//
// The reflectors of Q2 and of P2 are packed as the reflectors of Q2 of a symmetric matrix (see
// Sweeps). A left panel p covers columns [p·b, min((p+1)·b, n)) and its reflectors act on rows
// [p·b, m); a right panel covers rows [p·b, (p+1)·b) and its reflectors act on columns [(p+1)·b,
// n).
//
// ApplyQ2 applies Q2 and P2, and ApplyPanels applies Q1, P1 and Q0. Like eigenvectors, singular
// vectors are stored transposed while they are transformed. ApplyQ2Squares takes the place of
// ApplyQ2 if products run on integer units that are much faster than double precision.
//
// # Waiting
//
// In some stages workgroups of one dispatch wait for each other, by flags in memory. They wait only
// if Waiting allows it. Otherwise the solver uses a form of the stage without waits, or another
// stage. A wait fails after a number of polls, the poll limit. The stage's INFO word is 0 after a
// successful run. After a failed wait it tells which flag was not set, and the results are
// undefined. The caller reads the word (Info) after the recording has run and before its memory
// (Status) is overwritten, and returns an *InfoError if the word is not 0.
//
// # What is refused, and how
//
// A constructor returns an error in three cases: the device lacks something that the stage needs
// (*vk.UnsupportedError), sizes contradict each other, or a kernel does not compile. Shapes that do
// not fit each other, slices that are too short and negative sizes are mistakes of the caller:
// Record panics, and a constructor panics or returns an error. Overlaps are not checked. If outputs
// may overlap inputs, the documentation of Record says so.
//
// # Number types
//
// The dense stages are generic over the scalar type T, the type of the entries of A, Q and the
// reflectors. d, e, norms and eigenvalues are stored as T, too. The tridiagonal stages compute in
// float64.
package stages
