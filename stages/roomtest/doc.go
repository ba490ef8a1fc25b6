// Package roomtest, internal to vkevd, for tests only, has what the tests of the packages below
// stages share, beside package stagetest: rules for waits between workgroups, facts about a
// device's arithmetic, and matrix products that record a line of text in place of a product.
package roomtest
