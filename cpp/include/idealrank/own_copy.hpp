// Numbers of a query in memory that nobody else can change.
#pragma once

#include <span>
#include <vector>

namespace idealrank {

// Another thread of the caller may write to its arrays at any time. What is checked, sorted or turned into an index is
// therefore read once, into memory of the kernel's own, so that it stays as it was checked.
class OwnCopy {
 public:
  // Holds until the next call.
  std::span<const double> operator()(std::span<const double> values) {
    copy_.assign(values.begin(), values.end());
    return copy_;
  }

 private:
  std::vector<double> copy_;
};

}  // namespace idealrank
