// All pairs of documents with different labels, as few pairs of sets: higher labels against lower ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "idealrank/stop.hpp"

namespace idealrank {

// Documents on two sides of a boundary between labels. Documents are places in any order of theirs, and stay in it.
struct LabelSplit {
  std::span<const std::uint32_t> all, low, high;
  std::uint32_t boundary;  // the least level of `high`
  std::uint32_t lowest, end;  // the least level of `low`, and the one after the greatest of `high`

  bool has_single_level() const { return boundary - lowest == 1 || end - boundary == 1; }
};

// Divides the labels in two again and again. Each pair of documents with different labels is on two sides once.
//
// Each split is as even as labels allow, so that the sizes of all splits add up to n times the entropy of the labels
// in bits and a little more: less than 2 n for 5 labels, at most about n log2(n) where all labels differ.
class LabelSplits {
 public:
  explicit LabelSplits(const Stop& stop = {}) : stop_(stop) {}

  // levels[place] is the level of a document, counts[level] says how many have it.
  template <class Visit>
  void operator()(std::span<const std::uint32_t> levels, std::span<const std::uint32_t> counts, Visit&& visit) {
    stoppable_resize(own_groups_, counts.size(), stop_);
    std::iota(own_groups_.begin(), own_groups_.end(), 0U);
    (*this)(levels, counts, own_groups_, visit);
  }

  // The same of documents in different groups: groups[g] is the least level of group g, from 0 on.
  template <class Visit>
  void operator()(std::span<const std::uint32_t> levels, std::span<const std::uint32_t> counts,
                  std::span<const std::uint32_t> groups, Visit&& visit) {
    groups_ = groups;
    n_levels_ = static_cast<std::uint32_t>(counts.size());
    starts_.assign(groups.size() + 1, 0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const std::size_t end = g + 1 < groups.size() ? groups[g + 1] : counts.size();
      starts_[g + 1] = std::accumulate(counts.begin() + groups[g], counts.begin() + end, starts_[g]);
    }
    stoppable_resize(places_, levels.size(), stop_);
    stoppable_resize(spare_, levels.size(), stop_);
    std::iota(places_.begin(), places_.end(), 0U);
    divide(levels, 0, static_cast<std::uint32_t>(groups.size()), places_.data(), spare_.data(), visit);
  }

 private:
  // from[starts_[first] ... starts_[last]) holds the documents of the groups [first, last).
  template <class Visit>
  void divide(std::span<const std::uint32_t> levels, std::uint32_t first, std::uint32_t last, std::uint32_t* from,
              std::uint32_t* to, Visit& visit) {
    if (last - first < 2) return;
    const std::uint32_t upper = most_even(first, last), boundary = groups_[upper];
    const std::uint32_t begin = starts_[first], middle = starts_[upper], end = starts_[last];
    std::uint32_t low = begin, high = middle;
    for_each_part(end - begin, stop_, [&](std::size_t i, std::size_t part_end) {
      for (; i < part_end; ++i) {
        const std::uint32_t place = from[begin + i];
        const bool is_high = levels[place] >= boundary;
        to[is_high ? high : low] = place;
        high += is_high ? 1 : 0;
        low += is_high ? 0 : 1;
      }
    });
    const std::uint32_t end_level = last < groups_.size() ? groups_[last] : n_levels_;
    visit(LabelSplit{{from + begin, from + end},
                     {to + begin, to + middle},
                     {to + middle, to + end},
                     boundary,
                     groups_[first],
                     end_level});
    divide(levels, first, upper, to, from, visit);
    divide(levels, upper, last, to, from, visit);
  }

  // The group that begins nearest to half of the documents.
  std::uint32_t most_even(std::uint32_t first, std::uint32_t last) const {
    const std::uint32_t half = starts_[first] + (starts_[last] - starts_[first]) / 2;
    const auto above = std::lower_bound(starts_.begin() + first + 1, starts_.begin() + last, half) - starts_.begin();
    const auto after = std::min(static_cast<std::uint32_t>(above), last - 1);
    if (after == first + 1 || starts_[after] <= half) return after;
    return half - starts_[after - 1] < starts_[after] - half ? after - 1 : after;
  }

  Stop stop_;
  std::span<const std::uint32_t> groups_;
  std::uint32_t n_levels_ = 0;
  std::vector<std::uint32_t> own_groups_, starts_, places_, spare_;
};

}  // namespace idealrank
