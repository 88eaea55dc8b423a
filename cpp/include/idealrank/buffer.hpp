// A growing array that can hand over its memory to the owner of the result.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "idealrank/errors.hpp"

namespace idealrank {

// Grows by realloc, which moves large blocks by remapping pages if the system can: reading a file that fills an array of N
// bytes peaks near N, whereas doubling a std::vector peaks at 3N. New elements are not initialized.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

  void resize(std::size_t size) {
    if (size > capacity_) reallocate(std::max(size, capacity_ + capacity_ / 2));
    size_ = size;
  }
  void push_back(T value) {
    resize(size_ + 1);
    data_[size_ - 1] = value;
  }
  void append(std::span<const T> values) {
    const std::size_t start = size_;
    resize(start + values.size());
    if (!values.empty()) std::memcpy(data_ + start, values.data(), values.size_bytes());
  }
  void shrink_to_fit() {
    if (size_ < capacity_) reallocate(std::max<std::size_t>(size_, 1));
  }

  // Returns the memory, which must be passed to std::free later, and leaves the buffer empty.
  T* release() {
    size_ = capacity_ = 0;
    return std::exchange(data_, nullptr);
  }

 private:
  void reallocate(std::size_t capacity) {
    if (capacity > static_cast<std::size_t>(-1) / 2 / sizeof(T)) raise(std::bad_alloc());
    void* moved = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
    if (moved == nullptr) raise(std::bad_alloc());
    data_ = static_cast<T*>(moved);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace idealrank
