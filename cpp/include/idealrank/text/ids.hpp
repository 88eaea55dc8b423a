// Query and document ids: UTF-8 text in one buffer with offsets, and lookup by hash.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "idealrank/buffer.hpp"
#include "idealrank/for_each_query.hpp"
#include "idealrank/stop.hpp"
#include "idealrank/wide_product.hpp"

namespace idealrank {

// Id i is bytes[offsets[i] .. offsets[i + 1]).
struct IdsView {
  std::span<const char> bytes;
  std::span<const std::int64_t> offsets;

  std::size_t size() const { return offsets.size() - 1; }
  std::string_view operator[](std::size_t i) const {
    return {bytes.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

struct Ids {
  Buffer<char> bytes;
  Buffer<std::int64_t> offsets;

  Ids() { offsets.push_back(0); }
  void push_back(std::string_view id) {
    bytes.append({id.data(), id.size()});
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  // Appends in two steps: make_room() reserves space for each part in turn, and put() then copies it there, on any thread.
  struct Place {
    std::size_t first_byte, first_id;
  };
  Place make_room(const Ids& other) {
    const Place place{bytes.size(), size()};
    bytes.resize(bytes.size() + other.bytes.size());
    offsets.resize(offsets.size() + other.size());
    return place;
  }
  void put(const Place& place, const Ids& other) {
    std::ranges::copy(other.bytes.span(), bytes.data() + place.first_byte);
    const auto shift = static_cast<std::int64_t>(place.first_byte);
    for (std::size_t i = 1; i <= other.size(); ++i) offsets[place.first_id + i] = other.offsets[i] + shift;
  }
  void append(const Ids& other) { put(make_room(other), other); }
  void clear() {
    bytes.resize(0);
    offsets.resize(1);
  }
  std::size_t size() const { return offsets.size() - 1; }
  IdsView view() const { return {bytes.span(), offsets.span()}; }
};

// Processes eight bytes at a time; each word is folded in with a 64 x 64 -> 128 bit product.
inline std::uint64_t hash_id(std::string_view id, std::uint64_t seed = 0) {
  constexpr std::uint64_t kSeed = 0x9E3779B97F4A7C15, kWord = 0xD6E8FEB86659FD93;
  auto fold = [](std::uint64_t x, std::uint64_t y) {
    const WideProduct product = wide_product(x, y);
    return product.high ^ product.low;
  };
  std::uint64_t hash = kSeed ^ seed ^ id.size();
  const char* p = id.data();
  std::size_t left = id.size();
  for (; left >= 8; left -= 8, p += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    hash = fold(hash ^ word, kWord);
  }
  // Overlapping loads of fixed sizes, since copying `left` bytes would be a function call. An
  // empty id may have no memory at all.
  std::uint64_t tail = 0;
  if (id.size() >= 8) {
    if (left > 0) std::memcpy(&tail, p + left - 8, 8);
  } else if (left >= 4) {
    std::uint32_t first = 0, last = 0;
    std::memcpy(&first, p, 4);
    std::memcpy(&last, p + left - 4, 4);
    tail = first | std::uint64_t{last} << 32;
  } else if (left > 0) {
    auto byte = [p](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(p[i])}; };
    tail = byte(0) | byte(left / 2) << 8 | byte(left - 1) << 16;
  }
  return fold(hash ^ tail, kWord ^ kSeed);
}

// Maps ids to the numbers they were inserted with. The ids themselves stay with the caller.
class IdIndex {
 public:
  // Removes everything and makes room for `expected` ids.
  void reset(std::size_t expected) {
    const std::size_t slots = std::bit_ceil(std::max<std::size_t>(2 * expected, 16));
    slots_.assign(slots, Slot{});
    n_used_ = 0;
  }

  // Returns the number stored with `id`, or stores and returns `number` if the id is new. id_of(k)
  // must return the id with number k.
  template <class IdOf>
  std::int64_t find_or_insert(std::string_view id, std::int64_t number, const IdOf& id_of) {
    if (2 * (n_used_ + 1) > slots_.size()) grow();
    const std::uint64_t hash = hash_id(id, seed_);
    Slot& slot = find(id, hash, id_of);
    if (slot.number < 0) {
      slot = {hash, number};
      ++n_used_;
    }
    return slot.number;
  }

  // Returns the number stored with `id`, or -1.
  template <class IdOf>
  std::int64_t find(std::string_view id, const IdOf& id_of) {
    return slots_.empty() ? -1 : find(id, hash_id(id, seed_), id_of).number;
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::int64_t number = -1;
  };

  template <class IdOf>
  Slot& find(std::string_view id, std::uint64_t hash, const IdOf& id_of) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash & mask;
    while (slots_[i].number >= 0 && !(slots_[i].hash == hash && id_of(slots_[i].number) == id)) i = (i + 1) & mask;
    return slots_[i];
  }
  void grow() {
    std::vector<Slot> wider(std::max<std::size_t>(2 * slots_.size(), 16));
    const std::size_t mask = wider.size() - 1;
    for (const Slot& slot : slots_) {
      if (slot.number < 0) continue;
      std::size_t i = slot.hash & mask;
      while (wider[i].number >= 0) i = (i + 1) & mask;
      wider[i] = slot;
    }
    slots_.swap(wider);
  }

  // An address, which no file can know: many ids with the same hash would take quadratic time. Only the slots depend on it.
  std::uint64_t seed_ = std::uint64_t{reinterpret_cast<std::uintptr_t>(this)} * 0xA0761D6478BD642F;
  std::vector<Slot> slots_;
  std::size_t n_used_ = 0;
};

// Distinct ids in order of insertion, with their numbers 0, 1, 2, ...
class IdSet {
 public:
  std::int64_t insert(std::string_view id) {
    const auto n = static_cast<std::int64_t>(ids_.size());
    const std::int64_t number =
        index_.find_or_insert(id, n, [&](std::int64_t k) { return ids_.view()[static_cast<std::size_t>(k)]; });
    if (number == n) ids_.push_back(id);
    return number;
  }
  const Ids& ids() const { return ids_; }
  // Returns the ids, and leaves the set empty.
  Ids take() {
    index_.reset(0);
    return std::exchange(ids_, Ids());
  }
  void clear() {
    ids_.clear();
    index_.reset(0);
  }

 private:
  Ids ids_;
  IdIndex index_;
};

// taken[i] = ids[rows[i]].
inline Ids take(const IdsView& ids, std::span<const std::int64_t> rows, Stop stop = {}) {
  Ids taken;
  taken.offsets.resize(rows.size() + 1);
  std::int64_t end = 0;
  for_each_part(rows.size(), stop, [&](std::size_t i, std::size_t last) {
    for (; i < last; ++i) {
      end += static_cast<std::int64_t>(ids[static_cast<std::size_t>(rows[i])].size());
      taken.offsets[i + 1] = end;
    }
  });
  taken.bytes.resize(static_cast<std::size_t>(end));
  for_each_part(rows.size(), stop, [&](std::size_t i, std::size_t last) {
    for (; i < last; ++i) {
      const std::string_view id = ids[static_cast<std::size_t>(rows[i])];
      if (!id.empty()) std::memcpy(taken.bytes.data() + taken.offsets[i], id.data(), id.size());
    }
  });
  return taken;
}

// numbers[i]: the number of ids[i] in the set; new ids are inserted.
inline void number(const IdsView& ids, IdSet& set, std::span<std::int64_t> numbers, Stop stop = {}) {
  for_each_part(ids.size(), stop, [&](std::size_t i, std::size_t last) {
    for (; i < last; ++i) numbers[i] = set.insert(ids[i]);
  });
}

// numbers[i]: the index of the first occurrence of wanted[i] in `ids`, or -1.
inline void match(const IdsView& wanted, const IdsView& ids, std::span<std::int64_t> numbers, Stop stop = {}) {
  auto id_of = [&](std::int64_t k) { return ids[static_cast<std::size_t>(k)]; };
  IdIndex index;
  index.reset(ids.size());
  for_each_part(ids.size(), stop, [&](std::size_t k, std::size_t last) {
    for (; k < last; ++k) index.find_or_insert(ids[k], static_cast<std::int64_t>(k), id_of);
  });
  for_each_part(wanted.size(), stop, [&](std::size_t i, std::size_t last) {
    for (; i < last; ++i) numbers[i] = index.find(wanted[i], id_of);
  });
}

inline constexpr std::size_t kIdWork = 30;  // nanoseconds to look up an id

// first[row]: the first row of the same query with the same id; `row` itself if the id is new.
inline void first_rows(const IdsView& ids, std::span<const std::int64_t> offsets, std::span<std::int64_t> first,
                       Threads threads) {
  for_each_query(offsets, threads, [&](const Stop& given) {
    return [&, stop = given, index = IdIndex()](std::int64_t, std::int64_t begin, std::int64_t end) mutable {
      auto id_of = [&](std::int64_t row) { return ids[static_cast<std::size_t>(row)]; };
      index.reset(static_cast<std::size_t>(end - begin));
      for (std::int64_t row = begin; row < end; ++row) {
        stop.before(kIdWork);
        first[static_cast<std::size_t>(row)] = index.find_or_insert(id_of(row), row, id_of);
      }
    };
  });
}

// Looks up the label of every retrieved document. Query i of the judgments is query run_query[i] of the run, or -1 if the
// run does not have it. `labels` has one entry per retrieved document, and keeps its values where nothing was judged.
inline void judge(const IdsView& judged, std::span<const std::int64_t> judged_offsets, std::span<const double> judgments,
                  const IdsView& retrieved, std::span<const std::int64_t> retrieved_offsets,
                  std::span<const std::int64_t> run_query, std::span<double> labels, Threads threads) {
  std::vector<std::int64_t> judged_query(retrieved_offsets.size() - 1, -1);
  for (std::size_t i = 0; i < run_query.size(); ++i) {
    if (run_query[i] >= 0) judged_query[static_cast<std::size_t>(run_query[i])] = static_cast<std::int64_t>(i);
  }
  for_each_query(retrieved_offsets, threads, [&](const Stop& given) {
    return [&, stop = given, index = IdIndex()](std::int64_t query, std::int64_t begin, std::int64_t end) mutable {
      const std::int64_t other = judged_query[static_cast<std::size_t>(query)];
      if (other < 0) return;
      auto id_of = [&](std::int64_t row) { return judged[static_cast<std::size_t>(row)]; };
      const std::int64_t first = judged_offsets[static_cast<std::size_t>(other)];
      const std::int64_t last = judged_offsets[static_cast<std::size_t>(other) + 1];
      const auto n_judged = static_cast<std::size_t>(last - first);
      index.reset(n_judged < 4096 ? 2 * n_judged : n_judged);  // most lookups fail, and end at an empty slot
      for (std::int64_t row = first; row < last; ++row) {
        stop.before(kIdWork);
        index.find_or_insert(id_of(row), row, id_of);
      }
      for (std::int64_t row = begin; row < end; ++row) {
        stop.before(kIdWork);
        const std::int64_t found = index.find(retrieved[static_cast<std::size_t>(row)], id_of);
        if (found >= 0) labels[static_cast<std::size_t>(row)] = judgments[static_cast<std::size_t>(found)];
      }
    };
  });
}

}  // namespace idealrank
