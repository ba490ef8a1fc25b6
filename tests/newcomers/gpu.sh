# A user with a new GPU checks that the GPU works, which orders fit, and that the results are right.
vkevd version
vkevd devices
vkevd devices --json devices.json
grep -q '"name"' devices.json
vkevd doctor
vkevd plan -n 5000
vkevd plan -n 5000 --values-only
vkevd selftest --json selftest.json
