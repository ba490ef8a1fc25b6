# Somebody with a new GPU: does it work, what fits, and is the answer right?
vkevd version
vkevd devices
vkevd devices --json devices.json
grep -q '"name"' devices.json
vkevd doctor
vkevd plan -n 5000
vkevd plan -n 5000 --values-only
vkevd selftest --json selftest.json
