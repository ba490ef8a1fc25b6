package stemr_test

import _ "github.com/vkevd/vkevd/stages/roomtest/tables"
