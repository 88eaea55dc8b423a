// A weight that depends on the difference of ranks, as a sum of exponentials, and the decay of these from rank to rank.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "idealrank/pairs/pair_kernels.hpp"

namespace idealrank {

// weight(d) = sum_m amounts[m] exp(-rates[m] (d - 1)) for d = 1, 2, ...
struct RankExponentials {
  std::span<const double> rates, amounts;
};

// The tables that kernels need. They are computed on first use, since short lists do not need them.
class RankDecayTables {
 public:
  // Must be called with the same sum each time.
  RankDecays operator()(const RankExponentials& sum) {
    if (kept_.empty()) fill(sum);
    return {rates_.size(), kGaps, rates_.data(), amounts_.data(), kept_.data(), lost_.data(), seen_.data(), room_.data()};
  }

 private:
  void fill(const RankExponentials& sum) {
    const std::size_t n = (sum.rates.size() + kRankTermsAtOnce - 1) / kRankTermsAtOnce * kRankTermsAtOnce;
    rates_.assign(sum.rates.begin(), sum.rates.end());
    amounts_.assign(sum.amounts.begin(), sum.amounts.end());
    rates_.resize(n, 1.0);
    amounts_.resize(n, 0.0);
    kept_.resize(kGaps * n + 1);
    lost_.resize(kGaps * n + 1);
    seen_.resize(kGaps * n + 1);
    for (std::size_t gap = 1, at = 0; gap <= kGaps; ++gap) {
      for (std::size_t m = 0; m < n; ++m, ++at) {
        const double exponent = rates_[m] * static_cast<double>(gap);
        const bool is_slow = exponent < kSlow;
        kept_[at] = is_slow ? 1.0 : std::exp(-exponent);
        lost_[at] = is_slow ? -std::expm1(-exponent) : 0.0;
        seen_[at] = amounts_[m] * std::exp(-rates_[m] * static_cast<double>(gap - 1));
      }
    }
    room_.resize(n * kRankRoom);
  }

  static constexpr std::size_t kGaps = 128;
  // A product of a million factors near 1, each rounded the same way, would drift; subtracting small parts does not.
  static constexpr double kSlow = 0.3;

  std::vector<double> rates_, amounts_, kept_, lost_, seen_, room_;
};

}  // namespace idealrank
