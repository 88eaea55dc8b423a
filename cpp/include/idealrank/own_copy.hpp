// Copies of a query's numbers that no other thread can change.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "idealrank/stop.hpp"

namespace idealrank {

// Another thread of the caller may write to its arrays at any time. So whatever is checked, sorted or turned into an index
// is read once, into the kernel's own memory, and stays as it was checked.
class OwnCopy {
 public:
  explicit OwnCopy(const Stop& stop = {}) : stop_(stop) {}

  // The result is valid until the next call.
  std::span<const double> operator()(std::span<const double> values) {
    copy_.clear();
    copy_.reserve(values.size());
    for_each_part(values.size(), stop_, [&](std::size_t first, std::size_t last) {
      copy_.insert(copy_.end(), values.data() + first, values.data() + last);
    });
    return copy_;
  }

  // The result of the last call.
  std::span<const double> last() const { return copy_; }

  // Releases the memory.
  void release() { copy_ = std::vector<double>(); }

 private:
  Stop stop_;
  std::vector<double> copy_;
};

}  // namespace idealrank
