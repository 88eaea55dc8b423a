// What all bindings share: arrays in and out, checks that keep the kernels within their arrays, and bound option structs.
// Python code has already ensured dtype and contiguity.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "idealrank/buffer.hpp"
#include "idealrank/errors.hpp"
#include "idealrank/text/ids.hpp"
#include "idealrank/measure/measure.hpp"
#include "idealrank/stop.hpp"

namespace idealrank::bind {

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using OutMatrix = nb::ndarray<nb::numpy, float, nb::ndim<2>>;

template <class T>
std::span<const T> span_of(const In<T>& array) {
  return {array.data(), array.shape(0)};
}

template <class T>
std::span<const T> span_or_empty(const std::optional<In<T>>& array) {
  return array ? span_of(*array) : std::span<const T>();
}

inline IdsView ids_of(const In<std::uint8_t>& bytes, const In<std::int64_t>& offsets) {
  return {{reinterpret_cast<const char*>(bytes.data()), bytes.shape(0)}, span_of(offsets)};
}

// The last line of defense: a wrong offset would read foreign memory.
inline void check_offsets(std::span<const std::int64_t> o, std::size_t n, const char* what) {
  bool partition = !o.empty() && o.front() == 0 && o.back() == static_cast<std::int64_t>(n);
  for (std::size_t i = 1; partition && i < o.size(); ++i) partition = o[i] >= o[i - 1];
  if (!partition) throw data_error(std::string(what) + " must increase from 0 to " + std::to_string(n), -1, -1);
}

inline void check_offsets(const In<std::int64_t>& offsets, std::size_t n, const char* what) {
  check_offsets(span_of(offsets), n, what);
}

inline void check_length(std::size_t got, std::size_t expected, const char* what) {
  if (got != expected) {
    throw data_error(std::string(what) + " must have " + std::to_string(expected) + " entries, got " + std::to_string(got),
                     -1, -1);
  }
}

// Offsets as they were checked. They are copied first, since another thread may change the caller's array.
class Offsets {
 public:
  Offsets(const In<std::int64_t>& given, std::size_t n, const char* what = "offsets")
      : copy_(given.data(), given.data() + given.shape(0)) {
    check_offsets(copy_, n, what);
  }

  operator std::span<const std::int64_t>() const { return copy_; }
  std::size_t n_queries() const { return copy_.size() - 1; }

 private:
  std::vector<std::int64_t> copy_;
};

// Threads for a call that signals such as Ctrl-C can end: runs their Python handlers, and throws what these raise. Must be
// called with the GIL held, for work that is done without it.
Threads interruptible(int n_threads);
// The same for work on the calling thread only.
inline Stop interruptible() { return Stop(interruptible(1).poll); }

inline void check_rows(const In<std::int64_t>& rows, std::int64_t first, std::size_t n, const char* what) {
  for (const std::int64_t row : span_of(rows)) {
    if (row < first || row >= static_cast<std::int64_t>(n)) {
      throw data_error(std::string(what) + " out of range: " + std::to_string(row), -1, row);
    }
  }
}

// The enum value with this name; `names` are in the order of the values.
template <class Enum>
Enum named(std::string_view word, const char* what, std::initializer_list<std::string_view> names) {
  const auto place = std::find(names.begin(), names.end(), word);
  if (place != names.end()) return static_cast<Enum>(place - names.begin());
  std::string message = std::string("unknown ") + what + " '" + std::string(word) + "': expected one of";
  for (const std::string_view name : names) message.append(" ").append(name);
  throw std::invalid_argument(message);
}

inline Ties ties_of(std::string_view word) {
  return named<Ties>(word, "ties", {"average", "stable", "reverse", "best", "worst"});
}

// Moves the buffer's memory into an array, of another element type of the same size if one is given. The GIL must be held.
template <class Element = void, class Held, class... Shape>
auto to_numpy(Buffer<Held>&& buffer, Shape... shape) {
  using T = std::conditional_t<std::is_void_v<Element>, Held, Element>;
  static_assert(sizeof(T) == sizeof(Held));
  buffer.shrink_to_fit();
  T* const data = reinterpret_cast<T*>(buffer.release());
  nb::capsule owner(data, [](void* memory) noexcept { std::free(memory); });
  return nb::ndarray<nb::numpy, T, nb::ndim<sizeof...(Shape)>>(data, {static_cast<std::size_t>(shape)...}, owner);
}

template <class Element = void, class Held>
auto to_numpy(Buffer<Held>&& buffer) {
  const std::size_t n = buffer.size();
  if (buffer.data() == nullptr) buffer.resize(1);
  return to_numpy<Element>(std::move(buffer), n);
}

using IdArrays = std::tuple<Out<std::uint8_t>, Out<std::int64_t>>;

inline IdArrays to_numpy(Ids&& ids) {
  return {to_numpy<std::uint8_t>(std::move(ids.bytes)), to_numpy(std::move(ids.offsets))};
}

// An order of rows, or None if they are already in order.
inline std::optional<Out<std::int64_t>> order_or_none(Buffer<std::int64_t>&& order) {
  if (order.size() == 0) return std::nullopt;
  return to_numpy(std::move(order));
}

// A discount and the array that its table points into.
struct BoundDiscount : Discount {
  std::optional<In<double>> array;
};

// One function per file of this folder.
void bind_direct(nb::module_& m);
void bind_ids(nb::module_& m);
void bind_linear_model(nb::module_& m);
void bind_measure(nb::module_& m);
void bind_pairwise(nb::module_& m);
void bind_prefixes(nb::module_& m);
void bind_sort(nb::module_& m);
void bind_stats(nb::module_& m);
void bind_suffix_sums(nb::module_& m);
void bind_highest_ratio(nb::module_& m);
void bind_text(nb::module_& m);

}  // namespace idealrank::bind
