// The explorer's numbers: judgments and a run are read, joined and measured by the library's own headers, compiled to WebAssembly.
//
// The page calls the functions at the end. It writes the options of a measure into `options()`, one number each, in the order of
// `Option`; explorer/worker.js has the same order. Errors end a call through the imported function `ended`, which throws.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <list>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "idealrank/measure/measure.hpp"
#include "idealrank/sort/id_order.hpp"
#include "idealrank/text/trec.hpp"

extern "C" [[noreturn, clang::import_module("explorer"), clang::import_name("ended")]] void ended(const char* what,
                                                                                                  std::size_t length,
                                                                                                  double place,
                                                                                                  double column);

namespace {
std::int64_t line_number = 0;  // of the file that is being read
const char* line_begin = nullptr;  // its text
}  // namespace

namespace idealrank {

[[noreturn]] static void end_call(std::string_view what, double place, double column) {
  ended(what.data(), what.size(), place, column);
}

[[noreturn]] void end_call(const data_error& error) {
  end_call(error.what(), static_cast<double>(error.query), static_cast<double>(error.row));
}
[[noreturn]] void end_call(const Line::Failure& failure) {
  end_call(failure.what, static_cast<double>(line_number), static_cast<double>(failure.where - line_begin + 1));
}
[[noreturn]] void end_call(const std::bad_alloc&) { end_call("out of memory", -1, -1); }
[[noreturn]] void end_call(const stopped&) { end_call("stopped", -1, -1); }

}  // namespace idealrank

namespace {

using namespace idealrank;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const Threads kOneThread(1);

enum class Labels { any, integer, binary, truncated };
enum class Missing { zero, drop, error };
enum class DiscountKind { log, power, zipf, geometric, letor, linear, table };
enum class CutoffChoice { none, rank, fraction, power };

// Choices of words are numbered as here or in the enums of measure.hpp; `by_id` is 0, or -1 and 1 for descending and ascending ids.
struct Option {
  enum Name {
    gain,
    gain_number,
    discount,
    discount_number,
    cutoff,
    cutoff_number,
    ties,
    by_id,
    empty,
    ideal,
    ideal_cut,
    zero_if_short,
    negative_ideal,
    negative,
    drop_negative,
    drop_unjudged,
    missing,
    refuse_duplicates,
    float32,
    labels,
    drop_identical,
    count
  };
};
std::array<double, Option::count> given;
std::vector<double> weights_given;  // a table of discounts, or of gains, as the page writes it
std::vector<double> gains_given;

template <class Word = int>
Word chosen(Option::Name name) {
  return static_cast<Word>(static_cast<int>(given[name]));
}

// A judgments file or a run: one number per (query, document), grouped by query. As in the library, the last number of a repeated
// document counts, at its first place.
struct Table {
  Ids queries, docs;
  std::vector<std::int64_t> offsets;
  std::vector<double> values;
  std::size_t n_duplicates = 0;

  template <class Rows>
  void fill(Rows&& rows) {
    const Grouping grouping = rows.regroup();
    docs = std::move(rows.docs);
    queries = rows.queries.take_ids();
    offsets.assign(grouping.offsets.data(), grouping.offsets.data() + grouping.offsets.size());
    values.assign(rows.values.data(), rows.values.data() + rows.values.size());
    drop_duplicates();
  }

 private:
  void drop_duplicates() {
    std::vector<std::int64_t> first(values.size());
    first_rows(docs.view(), offsets, first, kOneThread);
    n_duplicates = 0;
    std::vector<std::int64_t> kept;
    for (std::size_t row = 0; row < first.size(); ++row) {
      if (first[row] == static_cast<std::int64_t>(row)) {
        kept.push_back(first[row]);
      } else {
        values[static_cast<std::size_t>(first[row])] = values[row];
        ++n_duplicates;
      }
    }
    if (n_duplicates == 0) return;
    for (std::int64_t& offset : offsets) offset = std::lower_bound(kept.begin(), kept.end(), offset) - kept.begin();
    docs = take(docs.view(), kept);
    for (std::size_t i = 0; i < kept.size(); ++i) values[i] = values[static_cast<std::size_t>(kept[i])];
    values.resize(kept.size());
  }
};
Table judgments, run;

// A file while it is read, block by block.
template <TrecFile kind>
struct Reader {
  TrecRows<kind> rows;
  Buffer<char> block;  // the end of the last block, which was no whole line, and the next block
  std::size_t left = 0;  // bytes of it that were left

  char* room(std::size_t n) {
    block.resize(left + n);
    return block.data() + left;
  }
  void read(std::size_t n, bool last) {
    const char* p = block.data();
    const char* const end = p + left + n;
    while (p < end) {
      const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
      if (newline == nullptr && !last) break;
      const char* const stop = newline != nullptr ? static_cast<const char*>(newline) : end;
      ++line_number;
      line_begin = p;
      if (*p != '#') {
        Line line(p, stop);
        if (!line.at_end()) rows.read(line);
      }
      p = stop + 1;
    }
    left = p < end ? static_cast<std::size_t>(end - p) : 0;
    std::memmove(block.data(), p, left);
  }
  void finish(Table& table) {
    table.fill(rows);
    *this = Reader();
  }
};
Reader<TrecFile::qrels> qrels_reader;
Reader<TrecFile::run> run_reader;

// The run's documents with their labels, for the queries of the judgments.
struct Joined {
  std::vector<double> labels, scores;
  std::vector<std::int64_t> offsets, rows;  // rows of the run
  std::vector<std::int64_t> run_query;  // -1 where the run leaves a query out
};
Joined joined;

// The lists that a measure gets.
struct Prepared {
  std::array<int, 9> key;
  std::vector<double> labels, scores, judged;
  std::vector<std::int64_t> offsets, judged_offsets, rows, judged_rows;
  std::vector<std::size_t> queries;  // which of the judgments
};
std::list<Prepared> prepared_lists;

bool is_accepted(double label, Labels rule) {
  if (std::isnan(label)) return true;
  return rule == Labels::integer ? label == std::trunc(label) : label == 0 || label == 1;
}

[[noreturn]] void refuse(const std::string& what, std::size_t query) { end_call(what, static_cast<double>(query), -1); }

void check_labels(Labels rule) {
  if (rule != Labels::integer && rule != Labels::binary) return;
  const std::string what = rule == Labels::integer ? "takes whole labels only" : "takes the labels 0 and 1 only here";
  auto check = [&](std::span<const double> labels, std::span<const std::int64_t> offsets) {
    const auto bad = std::find_if(labels.begin(), labels.end(), [&](double label) { return !is_accepted(label, rule); });
    if (bad == labels.end()) return;
    const auto query = std::upper_bound(offsets.begin(), offsets.end(), bad - labels.begin()) - offsets.begin() - 1;
    std::string shown = std::to_string(*bad);
    shown.erase(shown.find_last_not_of('0') + 1);
    if (shown.back() == '.') shown.pop_back();
    refuse(what + ", got " + shown, static_cast<std::size_t>(query));
  };
  check(joined.labels, joined.offsets);
  check(judgments.values, judgments.offsets);
}

// As `prepare` and `in_order_of_ties` of the library do it.
const Prepared& prepare() {
  const std::array<int, 9> key{chosen(Option::negative),          chosen(Option::drop_negative), chosen(Option::drop_unjudged),
                               chosen(Option::missing),           chosen(Option::float32),       chosen(Option::labels),
                               chosen(Option::refuse_duplicates), chosen(Option::by_id),         chosen(Option::drop_identical)};
  for (auto each = prepared_lists.begin(); each != prepared_lists.end(); ++each) {
    if (each->key != key) continue;
    prepared_lists.splice(prepared_lists.begin(), prepared_lists, each);
    return prepared_lists.front();
  }
  if (chosen(Option::refuse_duplicates) != 0) {
    if (judgments.n_duplicates + run.n_duplicates > 0) {
      const bool in_run = judgments.n_duplicates == 0;
      end_call(std::to_string(in_run ? run.n_duplicates : judgments.n_duplicates) +
                   " documents are repeated in the same query of " + (in_run ? "the run" : "the judgments"),
               -1, -1);
    }
  }
  const auto missing = chosen<Missing>(Option::missing);
  const auto rule = chosen<Labels>(Option::labels);
  const std::size_t n_queries = judgments.queries.size();
  for (std::size_t q = 0; q < n_queries && missing == Missing::error; ++q) {
    if (joined.run_query[q] < 0) refuse("the run has nothing for a judged query", q);
  }
  check_labels(rule);

  Prepared made{key, {}, {}, {}, {0}, {0}, {}, {}, {}};
  const bool drop_unjudged = chosen(Option::drop_unjudged) != 0, drop_negative = chosen(Option::drop_negative) != 0;
  const bool negative_is_unjudged = chosen<Negative>(Option::negative) == Negative::unjudged;
  const bool as_float = chosen(Option::float32) != 0, drop_identical = chosen(Option::drop_identical) != 0;
  const auto docs = run.docs.view(), query_ids = judgments.queries.view();
  auto label_of = [&](double label) { return rule == Labels::truncated ? std::trunc(label) : label; };
  for (std::size_t q = 0; q < n_queries; ++q) {
    if (joined.run_query[q] < 0 && missing == Missing::drop) continue;
    made.queries.push_back(q);
    for (auto row = static_cast<std::size_t>(joined.offsets[q]); row < static_cast<std::size_t>(joined.offsets[q + 1]);
         ++row) {
      double score = joined.scores[row];
      if (as_float) {
        score = static_cast<double>(static_cast<float>(score));
        if (!std::isfinite(score)) refuse("compares scores as float32, and one is too large for that", q);
      }
      if (drop_identical && docs[static_cast<std::size_t>(joined.rows[row])] == query_ids[q]) continue;
      const double label = label_of(joined.labels[row]);
      if (drop_unjudged && std::isnan(label)) continue;
      if (label < 0 && (drop_negative || (negative_is_unjudged && drop_unjudged))) continue;
      made.labels.push_back(label);
      made.scores.push_back(score);
      made.rows.push_back(joined.rows[row]);
    }
    made.offsets.push_back(static_cast<std::int64_t>(made.labels.size()));
    for (auto row = static_cast<std::size_t>(judgments.offsets[q]); row < static_cast<std::size_t>(judgments.offsets[q + 1]);
         ++row) {
      const double label = label_of(judgments.values[row]);
      if (drop_negative && label < 0) continue;
      made.judged.push_back(label);
      made.judged_rows.push_back(static_cast<std::int64_t>(row));
    }
    made.judged_offsets.push_back(static_cast<std::int64_t>(made.judged.size()));
  }
  if (chosen(Option::by_id) != 0) {
    const Ids ids = take(run.docs.view(), made.rows);
    std::vector<std::int64_t> order(made.rows.size());
    order_by_id(made.scores, made.offsets, ids.view(), chosen(Option::by_id) < 0, order, kOneThread);
    auto permute = [&](auto& values) {
      auto moved = values;
      for (std::size_t i = 0; i < order.size(); ++i) moved[i] = values[static_cast<std::size_t>(order[i])];
      values.swap(moved);
    };
    permute(made.labels);
    permute(made.scores);
    permute(made.rows);
  }
  constexpr std::size_t kKept = 6;
  if (prepared_lists.size() == kKept) prepared_lists.pop_back();
  prepared_lists.push_front(std::move(made));
  return prepared_lists.front();
}

// D(1), D(2), ...
std::vector<double> weights_of(std::size_t depth) {
  const double number = given[Option::discount_number];
  std::vector<double> weights(depth);
  for (std::size_t i = 0; i < depth; ++i) {
    const auto r = static_cast<double>(i + 1);
    switch (chosen<DiscountKind>(Option::discount)) {
      case DiscountKind::log:
        weights[i] = number == 2 ? 1 / std::log2(r + 1) : std::log(number) / std::log(r + 1);
        break;
      case DiscountKind::power:
        weights[i] = std::pow(r, -number);
        break;
      case DiscountKind::zipf:
        weights[i] = 1 / r;
        break;
      case DiscountKind::geometric:
        weights[i] = std::pow(number, -r);
        break;
      case DiscountKind::letor:
        weights[i] = 1 / std::log2(std::max(r, 2.0));
        break;
      case DiscountKind::linear:
        break;
      case DiscountKind::table:
        weights[i] = i < weights_given.size() ? weights_given[i] : 0;
        break;
    }
  }
  return weights;
}

std::size_t longest(std::span<const std::int64_t> offsets) {
  std::int64_t found = 0;
  for (std::size_t q = 0; q + 1 < offsets.size(); ++q) found = std::max(found, offsets[q + 1] - offsets[q]);
  return static_cast<std::size_t>(found);
}

// How many ranks of a list of n documents count, if there is a cutoff.
std::size_t depth_of(CutoffChoice kind, std::size_t n) {
  const double number = given[Option::cutoff_number], length = static_cast<double>(n);
  if (kind == CutoffChoice::rank) return static_cast<std::size_t>(number);
  const double ranks = kind == CutoffChoice::fraction ? number * length : std::pow(length, number);
  return std::max<std::size_t>(static_cast<std::size_t>(ranks + 1e-9), 1);
}

// One measure, as the page chose it.
struct Chosen {
  Gain gain;
  Discount discount;
  Spec spec;
  CutoffChoice cutoff = chosen<CutoffChoice>(Option::cutoff);
  std::vector<double> weights, table_labels;

  explicit Chosen(std::size_t length) {
    gain.kind = chosen<GainKind>(Option::gain);
    const double number = given[Option::gain_number];
    if (gain.kind == GainKind::binary) gain.rel = number;
    if (gain.kind == GainKind::exp2 && !std::isnan(number)) gain.highest = number;
    if (gain.kind == GainKind::table) {
      table_labels.resize(gains_given.size());
      std::iota(table_labels.begin(), table_labels.end(), 0.0);
      gain.table_labels = table_labels;
      gain.table_gains = gains_given;
    }
    const int ideal = chosen(Option::ideal);  // 0 judged, 1 retrieved, 2 full
    gain.ideal_retrieved = ideal == 1;
    constexpr Denominator by_cut[] = {Denominator::ideal, Denominator::ideal_shorter, Denominator::ideal_retrieved,
                                      Denominator::ideal_whole};
    spec.denominator = ideal == 2 ? Denominator::full : by_cut[chosen(Option::ideal_cut)];
    spec.cutoff_kind = cutoff == CutoffChoice::none ? CutoffKind::none : CutoffKind::depths;
    spec.empty = given[Option::empty];
    spec.zero_if_short = chosen(Option::zero_if_short) != 0;
    spec.negative_ideal = chosen(Option::negative_ideal) != 0 && ideal != 2;
    if (cutoff == CutoffChoice::rank) {
      const std::size_t k = depth_of(cutoff, length);
      if (ideal == 2)
        length = k;
      else if (spec.denominator == Denominator::ideal || spec.denominator == Denominator::ideal_shorter)
        length = std::min(k, length);
    }
    weights = weights_of(length);
    discount.linear = chosen<DiscountKind>(Option::discount) == DiscountKind::linear;
    if (!discount.linear) discount.weights = weights;
  }

  void operator()(const Lists& lists, Ties ties, std::span<double> values) const {
    std::vector<std::int64_t> depths(cutoff == CutoffChoice::none ? 0 : values.size());
    for (std::size_t q = 0; q < depths.size(); ++q) {
      const auto n = static_cast<std::size_t>(lists.offsets[q + 1] - lists.offsets[q]);
      depths[q] = static_cast<std::int64_t>(depth_of(cutoff, n));
    }
    Spec own = spec;
    own.depths = depths;
    measure(lists, {&gain, 1}, {&discount, 1}, {&own, 1}, ties, chosen<Negative>(Option::negative), values, kOneThread);
  }
};

Lists lists_of(const Prepared& lists) {
  return {lists.labels, lists.scores, lists.offsets, lists.judged, lists.judged_offsets, true};
}

std::vector<double> values;  // one per query of the judgments; NaN without a value
std::vector<double> counted;  // 1, or 0 where the query is left out of the mean

void evaluate_now() {
  const std::size_t n_queries = judgments.queries.size();
  values.assign(n_queries, kNaN);
  counted.assign(n_queries, 0);
  const Prepared& lists = prepare();
  const Chosen measured(std::max(longest(lists.offsets), longest(lists.judged_offsets)));
  std::vector<double> found(lists.queries.size());
  const auto ties = chosen<Ties>(Option::ties);
  measured(lists_of(lists), ties, found);

  const std::size_t n_missing = static_cast<std::size_t>(std::count(joined.run_query.begin(), joined.run_query.end(), -1));
  std::vector<double> at_best;  // whether a missing query has a value at all
  if (n_missing > 0 && std::isnan(given[Option::empty])) {
    const std::vector<double> scores(lists.judged.size());
    at_best.resize(found.size());
    measured({lists.judged, scores, lists.judged_offsets, lists.judged, lists.judged_offsets, false}, Ties::stable, at_best);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t q = lists.queries[i];
    counted[q] = 1;
    values[q] = joined.run_query[q] >= 0 ? found[i] : !at_best.empty() && std::isnan(at_best[i]) ? kNaN : 0;
  }
}

// The sum of values without rounding error (Shewchuk 1997), rounded once.
class ExactSum {
 public:
  void add(double x) {
    std::size_t kept = 0;
    for (double y : parts_) {
      if (std::abs(x) < std::abs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);
      if (low != 0) parts_[kept++] = low;
      x = high;
    }
    parts_.resize(kept);
    parts_.push_back(x);
  }
  double rounded() const {
    double high = 0, low = 0;
    std::size_t i = parts_.size();
    while (i > 0 && low == 0) {
      const double x = high, y = parts_[--i];
      high = x + y;
      low = y - (high - x);
    }
    // Half-way cases are rounded by what is below.
    if (i > 0 && ((low < 0 && parts_[i - 1] < 0) || (low > 0 && parts_[i - 1] > 0))) {
      const double y = low * 2, x = high + y;
      if (y == x - high) high = x;
    }
    return high;
  }

 private:
  std::vector<double> parts_;
};

// One query's list as the measure sees it, and the ideal one. Documents are rows of the run and of the judgments.
struct QueryList {
  std::vector<double> rows, scores, labels, gains, counting, discounts, tie_runs, ideal_rows, ideal_labels, ideal_gains,
      ideal_discounts;
};
QueryList shown;

// The gains of documents, each of which the kernel takes for a list of its own.
std::vector<double> gains_of(Gain gain, std::span<const double> labels) {
  std::vector<double> found(labels.size()), scores(labels.size()), one{1};
  std::vector<std::int64_t> offsets(labels.size() + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  gain.ideal_retrieved = true;
  const Discount discount{false, one};
  const Spec spec;
  // Judged labels must be numbers, so the unjudged are measured as judged 0.
  std::vector<double> known(labels.begin(), labels.end());
  for (double& label : known) label = std::isnan(label) ? 0 : label;
  const Lists judged{known, scores, offsets, known, offsets, false};
  measure(judged, {&gain, 1}, {&discount, 1}, {&spec, 1}, Ties::stable, chosen<Negative>(Option::negative), found,
          kOneThread);
  for (std::size_t i = 0; i < labels.size(); ++i) found[i] = std::isnan(labels[i]) ? 0 : found[i];
  return found;
}

bool list_query(std::size_t query) {
  shown = {};
  const Prepared& lists = prepare();
  const auto place = std::lower_bound(lists.queries.begin(), lists.queries.end(), query);
  if (place == lists.queries.end() || *place != query) return false;
  const auto q = static_cast<std::size_t>(place - lists.queries.begin());
  const auto first = static_cast<std::size_t>(lists.offsets[q]), n = static_cast<std::size_t>(lists.offsets[q + 1]) - first;
  const auto judged_first = static_cast<std::size_t>(lists.judged_offsets[q]);
  const std::size_t n_judged = static_cast<std::size_t>(lists.judged_offsets[q + 1]) - judged_first;
  const Chosen measured(std::max(n, n_judged));
  const auto ties = chosen<Ties>(Option::ties);

  const std::span<const double> scores = std::span(lists.scores).subspan(first, n),
                                labels = std::span(lists.labels).subspan(first, n);
  const std::vector<double> gains = gains_of(measured.gain, labels);
  TopRanker rank;
  const std::span<const std::uint32_t> ranked = rank(scores, n, static_cast<std::int64_t>(query), 0);
  std::vector<std::uint32_t> order(ranked.begin(), ranked.end());
  double n_runs = 0;
  for_each_tie_run(scores, ranked, [&](std::size_t from, std::size_t to) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(from),
               end = order.begin() + static_cast<std::ptrdiff_t>(to);
    if (ties == Ties::reverse) std::reverse(begin, end);
    if (ties == Ties::best)
      std::stable_sort(begin, end, [&](std::uint32_t a, std::uint32_t b) { return gains[a] > gains[b]; });
    if (ties == Ties::worst)
      std::stable_sort(begin, end, [&](std::uint32_t a, std::uint32_t b) { return gains[a] < gains[b]; });
    double sum = 0;
    for (auto each = begin; each != end; ++each) sum += gains[*each];
    for (auto each = begin; each != end; ++each) {
      shown.counting.push_back(ties == Ties::average ? sum / static_cast<double>(to - from) : gains[*each]);
      shown.tie_runs.push_back(to - from > 1 ? n_runs : -1);
    }
    n_runs += to - from > 1 ? 1 : 0;
  });

  const std::size_t k = measured.cutoff == CutoffChoice::none ? std::max(n, n_judged) : depth_of(measured.cutoff, n);
  auto discount_at = [&](std::size_t r, std::size_t depth) {
    if (r >= depth) return 0.0;
    if (measured.discount.linear) return r + 1 < n ? static_cast<double>(n - r - 1) : 0.0;
    return r < measured.weights.size() ? measured.weights[r] : 0.0;
  };
  for (std::size_t r = 0; r < n; ++r) {
    const std::size_t i = order[r];
    shown.rows.push_back(static_cast<double>(lists.rows[first + i]));
    shown.scores.push_back(scores[i]);
    shown.labels.push_back(labels[i]);
    shown.gains.push_back(gains[i]);
    shown.discounts.push_back(discount_at(r, k));
  }

  const bool of_retrieved = measured.gain.ideal_retrieved;
  const std::span<const double> ideal_labels =
      of_retrieved ? labels : std::span(lists.judged).subspan(judged_first, n_judged);
  if (measured.spec.denominator == Denominator::full) {
    for (std::size_t r = 0; r < std::min(k, measured.discount.linear ? n : measured.weights.size()); ++r) {
      shown.ideal_rows.push_back(-1);
      shown.ideal_labels.push_back(kNaN);
      shown.ideal_gains.push_back(1);
      shown.ideal_discounts.push_back(discount_at(r, k));
    }
    return true;
  }
  const std::vector<double> ideal_gains = gains_of(measured.gain, ideal_labels);
  std::vector<std::size_t> best(ideal_gains.size());
  std::iota(best.begin(), best.end(), std::size_t{0});
  std::stable_sort(best.begin(), best.end(), [&](std::size_t a, std::size_t b) { return ideal_gains[a] > ideal_gains[b]; });
  auto depth_of = [&]() -> std::size_t {
    switch (measured.spec.denominator) {
      case Denominator::ideal_shorter:
        return std::min(k, n);
      case Denominator::ideal_retrieved:
        return n;
      case Denominator::ideal_whole:
        return best.size();
      default:
        return k;
    }
  };
  const std::size_t ideal_depth = depth_of();
  for (std::size_t r = 0; r < best.size(); ++r) {
    const std::int64_t row = of_retrieved ? lists.rows[first + best[r]] : lists.judged_rows[judged_first + best[r]];
    shown.ideal_rows.push_back(static_cast<double>(row));
    shown.ideal_labels.push_back(ideal_labels[best[r]]);
    shown.ideal_gains.push_back(ideal_gains[best[r]]);
    shown.ideal_discounts.push_back(discount_at(r, ideal_depth));
  }
  return true;
}

const Ids& ids_named(int which) {
  const Ids* const all[] = {&judgments.queries, &judgments.docs, &run.queries, &run.docs};
  return *all[which];
}

std::vector<double> judged_scores;  // of every judged document in the run; NaN where it is not retrieved

// What the page asks for by number: a place in memory and how much is there.
std::span<const double> column_named(int which) {
  const std::vector<double>* const all[] = {&values,
                                            &counted,
                                            &shown.rows,
                                            &shown.scores,
                                            &shown.labels,
                                            &shown.gains,
                                            &shown.counting,
                                            &shown.discounts,
                                            &shown.tie_runs,
                                            &shown.ideal_rows,
                                            &shown.ideal_labels,
                                            &shown.ideal_gains,
                                            &shown.ideal_discounts,
                                            &judgments.values,
                                            &judged_scores};
  return *all[which];
}

}  // namespace

#define EXPORTED(name) extern "C" __attribute__((export_name(#name)))

EXPORTED(options) double* options() { return given.data(); }
EXPORTED(weights) double* weights(std::size_t n) { return weights_given.assign(n, 0), weights_given.data(); }
EXPORTED(gains) double* gains(std::size_t n) { return gains_given.assign(n, 0), gains_given.data(); }

// Reading: `begin`, then for each block `room`, to write it there, and `read`; then `finish`.
EXPORTED(begin) void begin(bool is_run) {
  line_number = 0;
  if (is_run) {
    run_reader = {};
  } else {
    qrels_reader = {};
  }
}
EXPORTED(room) char* room(bool is_run, std::size_t n) { return is_run ? run_reader.room(n) : qrels_reader.room(n); }
EXPORTED(read) void read(bool is_run, std::size_t n, bool last) {
  is_run ? run_reader.read(n, last) : qrels_reader.read(n, last);
}
EXPORTED(finish) void finish(bool is_run) {
  prepared_lists.clear();
  is_run ? run_reader.finish(run) : qrels_reader.finish(judgments);
}

// Returns how many queries the judgments and the run have in common.
EXPORTED(join) std::size_t join() {
  prepared_lists.clear();
  joined = {};
  joined.run_query.resize(judgments.queries.size());
  match(judgments.queries.view(), run.queries.view(), joined.run_query);
  std::vector<double> labels(run.values.size(), kNaN);
  judge(judgments.docs.view(), judgments.offsets, judgments.values, run.docs.view(), run.offsets, joined.run_query, labels,
        kOneThread);
  joined.offsets.push_back(0);
  std::size_t n_common = 0;
  for (const std::int64_t query : joined.run_query) {
    if (query >= 0) {
      ++n_common;
      for (auto row = run.offsets[static_cast<std::size_t>(query)]; row < run.offsets[static_cast<std::size_t>(query) + 1];
           ++row) {
        joined.labels.push_back(labels[static_cast<std::size_t>(row)]);
        joined.scores.push_back(run.values[static_cast<std::size_t>(row)]);
        joined.rows.push_back(row);
      }
    }
    joined.offsets.push_back(static_cast<std::int64_t>(joined.rows.size()));
  }
  return n_common;
}

// The mean over queries; NaN where a query that counts has no value, unless such queries are skipped.
EXPORTED(evaluate) double evaluate(bool skip) {
  evaluate_now();
  ExactSum sum;
  double n = 0;
  for (std::size_t q = 0; q < values.size(); ++q) {
    if (counted[q] == 0) continue;
    if (std::isnan(values[q])) {
      if (!skip) return kNaN;
      counted[q] = 0;
      continue;
    }
    sum.add(values[q]);
    n += 1;
  }
  return n > 0 ? sum.rounded() / n : kNaN;
}
// For each judged document its score in the run, as theory needs complete lists.
EXPORTED(score_judged) void score_judged() {
  std::vector<std::int64_t> judged_query(run.queries.size());
  match(run.queries.view(), judgments.queries.view(), judged_query);
  judged_scores.assign(judgments.values.size(), kNaN);
  judge(run.docs.view(), run.offsets, run.values, judgments.docs.view(), judgments.offsets, judged_query, judged_scores,
        kOneThread);
}
EXPORTED(judged_offsets) const std::int64_t* judged_offsets() { return judgments.offsets.data(); }
EXPORTED(run_offsets) const std::int64_t* run_offsets() { return run.offsets.data(); }
EXPORTED(run_scores) const double* run_scores() { return run.values.data(); }
EXPORTED(list) bool list(std::size_t query) { return list_query(query); }

EXPORTED(column) const double* column(int which) { return column_named(which).data(); }
EXPORTED(column_size) std::size_t column_size(int which) { return column_named(which).size(); }
EXPORTED(ids) const char* ids(int which) { return ids_named(which).bytes.data(); }
EXPORTED(id_offsets) const std::int64_t* id_offsets(int which) { return ids_named(which).offsets.data(); }
EXPORTED(n_ids) std::size_t n_ids(int which) { return ids_named(which).size(); }
EXPORTED(n_duplicates) std::size_t n_duplicates(bool of_run) { return of_run ? run.n_duplicates : judgments.n_duplicates; }
EXPORTED(run_query) const std::int64_t* run_query() { return joined.run_query.data(); }
