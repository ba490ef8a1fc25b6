// Package roomtest, internal to vkevd, for tests only, is what the tests of the rooms of package
// stages share, beside package stagetest: rows of the tuning tables, rules for waits, facts about a
// device's arithmetic, and matrix products that are only written down.
package roomtest
