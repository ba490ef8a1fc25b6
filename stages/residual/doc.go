// Package residual, internal to vkevd, measures results on the device: residuals and orthogonality
// of eigenvectors and of singular vectors.
package residual
