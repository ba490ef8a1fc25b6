module github.com/vkevd/vkevd

go 1.24
