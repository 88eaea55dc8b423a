#pragma once

#include <nanobind/nanobind.h>

namespace idealrank::bind {

void bind_stats(nanobind::module_& m);

}  // namespace idealrank::bind
