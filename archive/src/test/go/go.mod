// SPDX-License-Identifier: Apache-2.0
module io.burstlog/archive-check

go 1.26.0

require golang.org/x/mod v0.42.0
