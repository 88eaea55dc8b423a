// The Python module: its parts, and the translation of C++ exceptions to Python exceptions.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>

#include "bind.hpp"
#include "idealrank/errors.hpp"

using namespace idealrank;
using namespace idealrank::bind;

namespace {

// Only the main thread runs signal handlers, so only it polls for them: other threads may outlive an interpreter that is
// shutting down, where acquiring the GIL would end the thread.
std::atomic<unsigned long> main_thread{0};

void find_main_thread() {
  main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
}

void run_signal_handlers() {
  nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void translate(const std::exception_ptr& error, void*) {
  auto raise = [](const char* type, const auto&... arguments) {
    try {
      const nb::object cls = nb::module_::import_("idealrank.errors").attr(type);
      PyErr_SetObject(cls.ptr(), cls(arguments...).ptr());
    } catch (nb::python_error& failure) {
      failure.restore();
    }
  };
  // A message may quote bytes of a file that are not UTF-8.
  auto text = [](const std::exception& e) {
    return nb::steal(PyUnicode_DecodeUTF8(e.what(), static_cast<Py_ssize_t>(std::strlen(e.what())), "backslashreplace"));
  };
  auto or_none = [](std::int64_t number) { return number < 0 ? nb::object(nb::none()) : nb::object(nb::int_(number)); };
  try {
    std::rethrow_exception(error);
  } catch (const data_error& e) {
    raise("DataError", text(e), or_none(e.query), or_none(e.row));
  } catch (const parse_error& e) {
    raise("ParseError", text(e), nb::none(), e.line, e.column);
  }
}

}  // namespace

Threads idealrank::bind::interruptible(int n_threads) {
  const bool main = PyThread_get_thread_ident() == main_thread.load(std::memory_order_relaxed);
  return {n_threads, main ? &run_signal_handlers : nullptr};
}

NB_MODULE(_core, m) {
  nb::register_exception_translator(translate);
  find_main_thread();
  nb::object os = nb::module_::import_("os");
  if (nb::hasattr(os, "register_at_fork")) {
    os.attr("register_at_fork")("after_in_child"_a = nb::cpp_function([] { find_main_thread(); }));
  }
  bind_text(m);
  bind_ids(m);
  bind_sort(m);
  bind_measure(m);
  bind_prefixes(m);
  bind_direct(m);
  bind_pairwise(m);
  bind_linear_model(m);
  bind_stats(m);
  bind_suffix_sums(m);
  bind_highest_ratio(m);
}
