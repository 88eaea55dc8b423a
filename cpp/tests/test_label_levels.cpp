#include "idealrank/pairs/label_levels.hpp"

#include <limits>
#include <map>
#include <random>

#include "check.hpp"

using idealrank::data_error;
using idealrank::LabelLevels;

namespace {

void check_levels(LabelLevels& number, const std::vector<double>& labels) {
  number(labels, 0, 0);
  std::map<double, std::uint32_t> counts;
  for (const double label : labels) ++counts[label];
  CHECK_EQ(number.labels().size(), counts.size());
  CHECK_EQ(number.counts().size(), counts.size());
  std::size_t level = 0;
  for (const auto& [label, count] : counts) {
    CHECK_EQ(number.labels()[level], label);
    CHECK_EQ(number.counts()[level], count);
    ++level;
  }
  for (std::size_t i = 0; i < labels.size(); ++i) CHECK_EQ(number.labels()[number.levels()[i]], labels[i]);
}

}  // namespace

TEST(labels_are_numbered_from_the_lowest) {
  LabelLevels number;
  std::mt19937_64 random(1);
  for (const std::size_t n : check::Sizes{0, 1, 2, 10, 100, 5000}) {
    for (const unsigned distinct : {1U, 2U, 5U, 31U, 32U, 33U, 200U, 1'000'000U}) {
      std::vector<double> labels(n);
      for (double& label : labels) label = static_cast<double>(random() % distinct) / 3 - 1;
      check_levels(number, labels);
    }
  }
}

TEST(labels_whose_hashes_collide_are_told_apart) {
  LabelLevels number;
  std::vector<double> labels;
  for (int exponent = -500; exponent < 500; exponent += 33) labels.push_back(std::exp2(exponent));
  check_levels(number, labels);
}

TEST(minus_zero_is_the_label_zero) {
  LabelLevels number;
  number(std::vector<double>{0.0, -0.0, 1.0}, 0, 0);
  CHECK_EQ(number.labels().size(), 2);
  CHECK_EQ(number.levels()[1], 0);
}

TEST(a_label_that_is_not_finite_is_refused_with_its_row) {
  LabelLevels number;
  const std::vector<double> labels{1, std::numeric_limits<double>::quiet_NaN()};
  const auto error = check::thrown<data_error>([&] { number(labels, 3, 10); });
  CHECK(error.has_value());
  CHECK_EQ(error->query, 3);
  CHECK_EQ(error->row, 11);
  CHECK_EQ(std::string(error->what()), "a label must be a finite number, got nan");
}
