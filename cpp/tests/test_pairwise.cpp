#include "idealrank/pairs/pairwise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "check.hpp"
#include "pair_specs.hpp"

using namespace idealrank;

namespace {

struct Documents {
  std::vector<double> labels, scores, weights;
};

Documents random_documents(std::mt19937_64& random, std::size_t n, double spread) {
  Documents documents;
  std::normal_distribution<> normal;
  for (std::size_t i = 0; i < n; ++i) {
    documents.labels.push_back(static_cast<double>(random() % 4));
    documents.scores.push_back(i > 0 && random() % 4 == 0 ? documents.scores[random() % i] : spread * normal(random));
    documents.weights.push_back(static_cast<double>(1 + random() % 3) / 2);
  }
  return documents;
}

struct Outcome {
  std::vector<double> values, column, second;
};

Outcome outcome(const Documents& documents, const std::vector<std::int64_t>& offsets, const PairSpec& spec,
                int n_threads = 1) {
  const std::size_t n = documents.labels.size();
  Outcome found{std::vector<double>(offsets.size() - 1), std::vector<double>(n),
                std::vector<double>(spec.derivative == Derivative::both ? n : 0)};
  pairwise(documents.labels, documents.scores, offsets, documents.weights, {}, spec, found.values, found.column,
           found.second, n_threads);
  return found;
}

std::vector<Isa> sets() { return has_v3() ? std::vector<Isa>{Isa::base, Isa::v3} : std::vector<Isa>{Isa::base}; }

}  // namespace

TEST(sweeps_and_rows_of_pairs_agree_on_every_instruction_set) {
  std::mt19937_64 random(1);
  std::vector<double> discounts(200);
  for (std::size_t r = 0; r < discounts.size(); ++r) discounts[r] = 1 / std::log2(2.0 + static_cast<double>(r));
  for (const std::size_t n : check::Sizes{0, 1, 2, 3, 7, 30, 200}) {
    for (const double spread : {1e-6, 1.0, 1e2}) {
      const Documents documents = random_documents(random, n, spread);
      const std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(n)}, depths{150};
      for_each_spec([&](PairSpec spec) {
        spec.swap = {Reduction::sum, {false, discounts}, depths};
        spec.truncation = 20;
        spec.few_pairs = 0;
        const Outcome swept = outcome(documents, offsets, spec);
        double greatest = 1e-200;
        for (const double entry : swept.column) greatest = std::max(greatest, std::abs(entry));
        for (const Isa isa : sets()) {
          for (const double few : {0.0, std::numeric_limits<double>::infinity()}) {
            spec.isa = isa;
            spec.few_pairs = few;
            const Outcome other = outcome(documents, offsets, spec);
            if (spec.derivative == Derivative::first)
              CHECK(std::abs(other.values[0] - swept.values[0]) <= 1e-12 * swept.values[0]);
            for (std::size_t i = 0; i < n; ++i) CHECK(std::abs(other.column[i] - swept.column[i]) <= 1e-12 * greatest);
            if (spec.derivative != Derivative::both) continue;
            PairSpec alone = spec;
            alone.derivative = Derivative::first;
            const Outcome first = outcome(documents, offsets, alone);
            alone.derivative = Derivative::second;
            const Outcome second = outcome(documents, offsets, alone);
            CHECK_EQ(other.column, first.column);
            CHECK_EQ(other.second, second.column);
          }
        }
      });
    }
  }
}

namespace {

// A weight that depends on the difference of ranks, as a table and as a sum of exponentials.
struct Distances {
  std::vector<double> rates{1e-4, 0.01, 0.3, 2.5, 30.0}, amounts{0.1, 0.3, 0.2, 0.5, 0.4}, table;

  explicit Distances(std::size_t n) : table(std::max<std::size_t>(n, 1)) {
    for (std::size_t d = 1; d < n; ++d) {
      for (std::size_t m = 0; m < rates.size(); ++m)
        table[d] += amounts[m] * std::exp(-rates[m] * (static_cast<double>(d) - 1));
    }
  }

  void set(PairSpec& spec) const {
    spec.weight = PairWeight::distance;
    spec.distances = table;
    spec.exponentials = RankExponentials{rates, amounts};
  }
};

}  // namespace

TEST(sweeps_and_rows_of_distances_agree_on_every_instruction_set) {
  std::mt19937_64 random(6);
  for (const std::size_t n : check::Sizes{0, 1, 2, 3, 7, 30, 500}) {
    const Distances distances(n);
    std::vector<double> discounts(n + 1);
    for (std::size_t r = 0; r < discounts.size(); ++r) discounts[r] = 1 / std::log2(2.0 + static_cast<double>(r));
    for (const double spread : {1e-6, 1.0, 1e2, 1e5}) {
      for (const std::uint64_t rare : {1, 100}) {  // 100: relevant documents are far apart
        Documents documents = random_documents(random, n, spread);
        for (double& label : documents.labels) label = random() % rare == 0 ? label : 0;
        const std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(n)}, depths{static_cast<std::int64_t>(n)};
        for (const Derivative derivative : {Derivative::first, Derivative::second, Derivative::both}) {
          for (const bool with_swap : {false, true}) {
            PairSpec spec;
            distances.set(spec);
            spec.derivative = derivative;
            spec.scale = 0.7;
            spec.with_swap = with_swap;
            spec.swap = {Reduction::sum, {false, discounts}, depths};
            spec.truncation = n < 500 ? n : 400;
            spec.few_pairs = std::numeric_limits<double>::infinity();
            const Outcome rows = outcome(documents, offsets, spec);
            double greatest = 1e-200;
            for (const double entry : rows.column) greatest = std::max(greatest, std::abs(entry));
            for (const Isa isa : sets()) {
              for (const double few : {0.0, 5.0}) {
                spec.isa = isa;
                spec.few_pairs = few;
                const Outcome swept = outcome(documents, offsets, spec);
                if (derivative == Derivative::first)
                  CHECK(std::abs(swept.values[0] - rows.values[0]) <= 1e-12 * rows.values[0]);
                for (std::size_t i = 0; i < n; ++i) CHECK(std::abs(swept.column[i] - rows.column[i]) <= 1e-12 * greatest);
                for (std::size_t i = 0; i < swept.second.size(); ++i)
                  CHECK(std::abs(swept.second[i] - rows.second[i]) <= 1e-12 * rows.second[i] + 1e-250);
              }
            }
          }
        }
      }
    }
  }
}

TEST(boxes_and_rows_of_pairs_agree_on_every_instruction_set) {
  std::mt19937_64 random(3);
  const std::size_t n = 700;
  for (const bool distinct : {false, true}) {
    for (const double spread : {1e-6, 1.0, 6.0, 1e2}) {
      for (const double offset : {0.0, 1e6}) {
        Documents documents = random_documents(random, n, spread);
        for (std::size_t i = 0; i < n; ++i) {
          documents.scores[i] += offset;
          if (distinct) documents.labels[i] = static_cast<double>(i * 37 % n);
        }
        const std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(n)};
        for (const Derivative derivative : {Derivative::first, Derivative::second, Derivative::both}) {
          PairSpec spec;
          spec.derivative = derivative;
          spec.scale = 0.7;
          spec.few_pairs = std::numeric_limits<double>::infinity();
          const Outcome rows = outcome(documents, offsets, spec);
          for (const Isa isa : sets()) {
            for (const double few : {0.0, 20.0}) {
              spec.isa = isa;
              spec.few_pairs = few;
              const Outcome boxes = outcome(documents, offsets, spec);
              double all = 0;  // bound on the sum over all pairs of a document
              for (const double weight : documents.weights) all += weight;
              if (derivative == Derivative::first)
                CHECK(std::abs(boxes.values[0] - rows.values[0]) <= 1e-12 * rows.values[0]);
              for (std::size_t i = 0; i < n; ++i) CHECK(std::abs(boxes.column[i] - rows.column[i]) <= 1e-13 * all);
              for (std::size_t i = 0; i < boxes.second.size(); ++i)
                CHECK(std::abs(boxes.second[i] - rows.second[i]) <= 1e-12 * rows.second[i]);
            }
          }
        }
      }
    }
  }
}

TEST(slopes_in_a_long_list_of_distinct_labels_are_sums_over_pairs) {
  std::mt19937_64 random(4);
  const std::size_t n = 20'000;
  Documents documents = random_documents(random, n, 1.0);
  for (std::size_t i = 0; i < n; ++i) documents.labels[i] = static_cast<double>(i * 7919 % n) / 1000;
  std::vector<double> discounts(n);
  for (std::size_t r = 0; r < n; ++r) discounts[r] = 1 / std::log2(2.0 + static_cast<double>(r));
  std::vector<std::size_t> order(n), place(n);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return documents.scores[a] > documents.scores[b]; });
  for (std::size_t p = 0; p < n; ++p) place[order[p]] = p;
  const std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(n)}, depths{static_cast<std::int64_t>(n)};
  const Distances distances(n);
  auto check_slopes = [&](PairSpec spec) {
    if (spec.derivative != Derivative::first) return;
    for (const Isa isa : sets()) {
      spec.isa = isa;
      spec.few_pairs = 30;
      spec.swap = {Reduction::sum, {false, discounts}, depths};
      spec.truncation = n / 3;
      const Outcome found = outcome(documents, offsets, spec);
      for (std::size_t i = 0; i < n; i += n / 20) {
        long double sum = 0, all = 0;
        for (std::size_t j = 0; j < n; ++j) {
          if (j == i) continue;
          const bool better = documents.labels[i] > documents.labels[j];
          const long double gap = std::abs(documents.labels[i] - documents.labels[j]), scale = spec.scale;
          const long double ahead = (better ? 1 : -1) * (documents.scores[i] - documents.scores[j]);
          long double weight = documents.weights[better ? i : j];
          if (spec.weight != PairWeight::one) weight *= gap;
          if (spec.weight == PairWeight::swap_change || spec.weight == PairWeight::distance) {
            const auto [upper, lower] = std::minmax(place[i], place[j]);
            long double change = discounts[upper] - discounts[lower];
            if (spec.weight == PairWeight::distance) change += distances.table[lower - upper];
            weight *= upper < spec.truncation ? change : 0;
          }
          const long double room = scale - ahead;
          const long double slope = spec.loss == PairLoss::logistic ? scale / (1 + std::exp(scale * ahead))
                                    : spec.loss == PairLoss::hinge  ? (room > 0 ? 1 : 0)
                                                                    : 2 * std::max(room, 0.0L);
          sum += (better ? -1 : 1) * weight * slope;
          all += weight * slope;
        }
        CHECK(std::abs(found.column[i] - static_cast<double>(sum)) <= 1e-12 * static_cast<double>(all));
      }
    }
  };
  for_each_spec(check_slopes);
  PairSpec spec;
  distances.set(spec);
  check_slopes(spec);
}

TEST(any_number_of_threads_gives_the_same_bits) {
  std::mt19937_64 random(2);
  const Documents documents = random_documents(random, 300'000, 1.0);
  std::vector<std::int64_t> offsets{0};
  while (offsets.back() < 300'000)
    offsets.push_back(std::min<std::int64_t>(300'000, offsets.back() + static_cast<std::int64_t>(random() % 900)));
  PairSpec spec;
  spec.few_pairs = 60;
  const Outcome one = outcome(documents, offsets, spec), four = outcome(documents, offsets, spec, 4);
  CHECK_EQ(one.values, four.values);
  CHECK_EQ(one.column, four.column);
}

TEST(any_number_of_threads_gives_the_same_bits_of_a_single_list) {
  std::mt19937_64 random(5);
  const std::size_t n = 120'000;
  Documents documents = random_documents(random, n, 1.0);
  std::vector<double> discounts(n);
  for (std::size_t i = 0; i < n; ++i) {
    documents.labels[i] = static_cast<double>(i % 8 == 0 ? 10 + i : i % 10);  // some pairs by sweeps, some by enumeration
    discounts[i] = 1 / std::log2(2.0 + static_cast<double>(i));
  }
  const std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(n)}, depths{static_cast<std::int64_t>(n)};
  const Distances distances(n);
  PairSpec swaps;
  swaps.weight = PairWeight::swap_change;
  swaps.derivative = Derivative::both;
  PairSpec apart;
  distances.set(apart);
  for (PairSpec spec : {swaps, apart}) {
    spec.swap = {Reduction::sum, {false, discounts}, depths};
    spec.few_pairs = 30;
    spec.isa = sets().back();
    const Outcome one = outcome(documents, offsets, spec), three = outcome(documents, offsets, spec, 3);
    CHECK_EQ(one.values, three.values);
    CHECK_EQ(one.column, three.column);
    CHECK_EQ(one.second, three.second);
  }
}

TEST(the_lowest_query_whose_loss_overflows_is_named_whatever_the_threads) {
  Documents documents{{0, 1, 0, 1, 0, 1}, {0, 0, 1e308, -1e308, 1e308, -1e308}, std::vector<double>(6, 1.0)};
  for_each_spec([&](const PairSpec& spec) {
    if (spec.derivative != Derivative::first || spec.weight == PairWeight::swap_change) return;
    const auto error = check::thrown<data_error>([&] { outcome(documents, {0, 2, 4, 6}, spec, 4); });
    CHECK(error.has_value() && error->query == 1);
  });
}

TEST(correctly_ordered_documents_at_overflowing_distances_have_no_loss) {
  Documents documents{{2, 1, 0, 0}, {1.7e308, 0, -1.7e308, -1.7e308}, std::vector<double>(4, 1.0)};
  for_each_spec([&](const PairSpec& spec) {
    if (spec.weight == PairWeight::swap_change) return;
    const Outcome found = outcome(documents, {0, 4}, spec);
    CHECK_EQ(found.values, std::vector<double>(1));
    CHECK_EQ(found.column, std::vector<double>(4));
  });
}
