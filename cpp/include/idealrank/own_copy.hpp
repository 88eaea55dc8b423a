// Numbers of a query in memory that nobody else can change.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "idealrank/stop.hpp"

namespace idealrank {

// Another thread of the caller may write to its arrays at any time. What is checked, sorted or turned into an index is
// therefore read once, into memory of the kernel's own, so that it stays as it was checked.
class OwnCopy {
 public:
  explicit OwnCopy(const Stop& stop = {}) : stop_(stop) {}

  // Holds until the next call.
  std::span<const double> operator()(std::span<const double> values) {
    copy_.clear();
    copy_.reserve(values.size());
    for_each_part(values.size(), stop_, [&](std::size_t first, std::size_t last) {
      copy_.insert(copy_.end(), values.data() + first, values.data() + last);
    });
    return copy_;
  }

  // Gives the memory back.
  void release() { copy_ = std::vector<double>(); }

 private:
  Stop stop_;
  std::vector<double> copy_;
};

}  // namespace idealrank
