// The distinct labels of a query in ascending order, and the level of each document: the index of its label among them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "idealrank/sort/order.hpp"
#include "idealrank/sort/short_counts.hpp"
#include "idealrank/sort/top.hpp"

namespace idealrank {

// Processes queries one by one, reusing its memory.
class LabelLevels {
 public:
  explicit LabelLevels(const Stop& stop = {}) : stop_(stop), rank_(stop) {}

  // Throws data_error at the first label that is not finite.
  void operator()(std::span<const double> labels, std::int64_t query, std::int64_t first_row, const char* what = "a label") {
    stop_.before(4 * labels.size());
    check_finite(labels, query, first_row, what);
    stoppable_resize(levels_, labels.size(), stop_);
    if (labels.size() <= kShortList) {
      number_short(labels);
    } else if (!number_few(labels)) {
      number_many(labels, query, first_row);
    }
  }

  std::span<const double> labels() const { return labels_; }
  // For each document, the index of its label in labels().
  std::span<const std::uint32_t> levels() const { return levels_; }
  // The number of documents with each label.
  std::span<const std::uint32_t> counts() const { return counts_; }

 private:
  static constexpr std::size_t kPart = 4096;  // documents between two checks of the stop
  static constexpr std::size_t kFew = 32;
  static constexpr int kSlotBits = 7;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;

  // Counts the lower labels of each document.
  void number_short(std::span<const double> labels) {
    const std::size_t n = labels.size();
    std::array<double, kShortList> label_at{};  // label_at[c]: the label of the documents with c lower ones
    std::array<std::uint32_t, kShortList> lower, count_at{}, level_at;
    count_less(labels, lower, std::less<>());
    for (std::size_t i = 0; i < n; ++i) {
      ++count_at[lower[i]];
      label_at[lower[i]] = labels[i] + 0.0;  // turns -0 into 0
    }
    labels_.resize(n);
    counts_.resize(n);
    std::uint32_t level = 0;
    for (std::size_t place = 0; place < n; ++place) {
      labels_[level] = label_at[place];
      counts_[level] = count_at[place];
      level_at[place] = level;
      level += count_at[place] > 0 ? 1U : 0U;
    }
    labels_.resize(level);
    counts_.resize(level);
    for (std::size_t i = 0; i < n; ++i) levels_[i] = level_at[lower[i]];
  }

  // Uses a small hash table. Returns false if there are more than kFew labels.
  bool number_few(std::span<const double> labels) {
    std::array<double, kSlots> label_in;
    std::array<std::uint32_t, kSlots> count_in{};
    std::array<std::pair<double, std::uint32_t>, kFew> found;  // label, slot
    std::size_t n_found = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (i % kPart == 0) stop_.before(4 * kPart);
      const double label = labels[i] + 0.0;  // turns -0 into 0
      std::size_t slot = (std::bit_cast<std::uint64_t>(label) * 0x9E3779B97F4A7C15U) >> (64 - kSlotBits);
      while (count_in[slot] != 0 && label_in[slot] != label) slot = (slot + 1) % kSlots;
      if (count_in[slot]++ == 0) {
        if (n_found == kFew) return false;
        label_in[slot] = label;
        found[n_found++] = {label, static_cast<std::uint32_t>(slot)};
      }
      levels_[i] = static_cast<std::uint32_t>(slot);
    }
    std::sort(found.begin(), found.begin() + n_found);
    std::array<std::uint32_t, kSlots> level_of;
    labels_.resize(n_found);
    counts_.resize(n_found);
    for (std::size_t level = 0; level < n_found; ++level) {
      const auto& [label, slot] = found[level];
      labels_[level] = label;
      counts_[level] = count_in[slot];
      level_of[slot] = static_cast<std::uint32_t>(level);
    }
    for_each_part(levels_.size(), stop_, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) levels_[i] = level_of[levels_[i]];
    });
    return true;
  }

  void number_many(std::span<const double> labels, std::int64_t query, std::int64_t first_row) {
    const auto order = rank_(labels, labels.size(), query, first_row);
    labels_.clear();
    counts_.clear();
    for_each_tie_run(labels, order, [&](std::size_t first, std::size_t last) {
      stop_.before(10 * (last - first));
      for (std::size_t r = first; r < last; ++r) levels_[order[r]] = static_cast<std::uint32_t>(labels_.size());
      labels_.push_back(labels[order[first]] + 0.0);
      counts_.push_back(static_cast<std::uint32_t>(last - first));
    });
    std::reverse(labels_.begin(), labels_.end());
    std::reverse(counts_.begin(), counts_.end());
    const auto top = static_cast<std::uint32_t>(labels_.size() - 1);
    for (std::uint32_t& level : levels_) level = top - level;
  }

  std::vector<double> labels_;
  std::vector<std::uint32_t> counts_, levels_;
  Stop stop_;
  TopRanker rank_;
};

}  // namespace idealrank
