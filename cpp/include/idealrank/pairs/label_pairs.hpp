// All pairs of documents with different labels, as a few pairs of sets: higher labels against lower ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "idealrank/stop.hpp"

namespace idealrank {

// Documents on the two sides of a boundary between labels. Documents are places in some order, which each side preserves.
struct LabelSplit {
  std::span<const std::uint32_t> all, low, high;
  std::uint32_t boundary;  // the lowest level of `high`
  std::uint32_t lowest, end;  // the lowest level of `low`, and one past the highest of `high`

  bool has_single_level() const { return boundary - lowest == 1 || end - boundary == 1; }
};

// Divides the labels in two recursively. Each pair of documents with different labels is separated by exactly one split.
//
// Each split is as even as the labels allow, so the sizes of all splits add up to little more than n times the entropy of
// the labels in bits: less than 2 n for 5 labels, and at most about n log2(n) if all labels differ.
class LabelSplits {
 public:
  // Neighboring groups, divided at `upper`: [first, upper) and [upper, last).
  struct Part {
    std::uint32_t first, upper, last;
    std::uint32_t depth;  // the number of divisions that led to this part
  };

  // levels[place] is the level of a document, counts[level] the number of documents with it, and groups[g] the
  // lowest level of group g; groups[0] is 0. Only documents in different groups are paired. The arguments must
  // stay valid until the last split.
  void start(std::span<const std::uint32_t> levels, std::span<const std::uint32_t> counts,
             std::span<const std::uint32_t> groups, Stop& stop) {
    levels_ = levels;
    groups_ = groups;
    n_levels_ = static_cast<std::uint32_t>(counts.size());
    starts_.assign(groups.size() + 1, 0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const std::size_t end = g + 1 < groups.size() ? groups[g + 1] : counts.size();
      starts_[g + 1] = std::accumulate(counts.begin() + groups[g], counts.begin() + end, starts_[g]);
    }
    for (auto& places : places_) stoppable_resize(places, levels.size(), stop);
    std::iota(places_[0].begin(), places_[0].end(), 0U);
  }

  // Calls each(part) for the whole list, if there is anything to divide.
  template <class Each>
  void for_whole(Each&& each) const {
    for_groups(0, static_cast<std::uint32_t>(groups_.size()), 0, each);
  }

  // The same for the two sides of a part.
  template <class Each>
  void for_sides(const Part& part, Each&& each) const {
    for_groups(part.first, part.upper, part.depth + 1, each);
    for_groups(part.upper, part.last, part.depth + 1, each);
  }

  // Must be called once for each part, before its sides are divided. Threads may divide parts
  // of the same depth concurrently.
  LabelSplit divide(const Part& part, Stop& stop) {
    const std::uint32_t boundary = groups_[part.upper];
    const std::uint32_t begin = starts_[part.first], middle = starts_[part.upper], end = starts_[part.last];
    std::uint32_t* const from = places_[part.depth % 2].data();
    std::uint32_t* const to = places_[1 - part.depth % 2].data();
    std::uint32_t low = begin, high = middle;
    for_each_part(end - begin, stop, [&](std::size_t i, std::size_t part_end) {
      for (; i < part_end; ++i) {
        const std::uint32_t place = from[begin + i];
        const bool is_high = levels_[place] >= boundary;
        to[is_high ? high : low] = place;
        high += is_high ? 1 : 0;
        low += is_high ? 0 : 1;
      }
    });
    const std::uint32_t end_level = part.last < groups_.size() ? groups_[part.last] : n_levels_;
    return {{from + begin, from + end}, {to + begin, to + middle},
            {to + middle, to + end},    boundary,
            groups_[part.first],        end_level};
  }

 private:
  template <class Each>
  void for_groups(std::uint32_t first, std::uint32_t last, std::uint32_t depth, Each& each) const {
    if (last - first >= 2) each(Part{first, most_even(first, last), last, depth});
  }

  // The group whose beginning is closest to the median document.
  std::uint32_t most_even(std::uint32_t first, std::uint32_t last) const {
    const std::uint32_t half = starts_[first] + (starts_[last] - starts_[first]) / 2;
    const auto above = std::lower_bound(starts_.begin() + first + 1, starts_.begin() + last, half) - starts_.begin();
    const auto after = std::min(static_cast<std::uint32_t>(above), last - 1);
    if (after == first + 1 || starts_[after] <= half) return after;
    return half - starts_[after - 1] < starts_[after] - half ? after - 1 : after;
  }

  std::span<const std::uint32_t> levels_, groups_;
  std::uint32_t n_levels_ = 0;
  std::vector<std::uint32_t> starts_;
  std::array<std::vector<std::uint32_t>, 2> places_;  // each division moves places from one to the other
};

}  // namespace idealrank
