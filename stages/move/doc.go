// Package move, internal to vkevd, moves and converts matrices on a device: copies, transposes,
// full symmetric matrices from one triangle, the identity, other number types, and signs of
// columns.
package move
