// Exceptions of the kernels. The bindings turn each into the Python exception of the same name.
#pragma once

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>

namespace idealrank {

// Values that no convention accepts. `query` and `row` count from 0; -1 means none.
struct data_error : std::runtime_error {
  data_error(const std::string& what, std::int64_t query_, std::int64_t row_)
      : std::runtime_error(what), query(query_), row(row_) {}
  std::int64_t query;
  std::int64_t row;
};

// Text that cannot be read. `line` and `column` count from 1, columns in bytes.
struct parse_error : std::runtime_error {
  parse_error(const std::string& what, std::int64_t line_, std::int64_t column_)
      : std::runtime_error(what), line(line_), column(column_) {}
  std::int64_t line;
  std::int64_t column;
};

// All errors of the headers go through this. A build without exceptions, such as for WebAssembly, defines its own
// `end_call` for each kind of error.
#ifdef __cpp_exceptions
template <class Error>
[[noreturn]] void raise(const Error& error) {
  throw error;
}
#else
[[noreturn]] void end_call(const std::bad_alloc& error);

template <class Error>
[[noreturn]] void raise(const Error& error) {
  end_call(error);
}
#endif

}  // namespace idealrank
