#!/usr/bin/env bash
# All checks of the C++ core: rules for the headers; tests with sanitizers, in C++ and through Python; and fuzzing, for
# FUZZ_SECONDS (default: 20) per target. Builds in a temporary folder and leaves nothing behind. Takes
# about eight minutes on two cores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source cpp/may_install.sh

fuzz_seconds="${FUZZ_SECONDS:-20}"
jobs="$(nproc)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# The address layout of some Linux kernels is too random for the thread sanitizer of older compilers.
fixed=()
if setarch "$(uname -m)" -R true 2>/dev/null; then fixed=(setarch "$(uname -m)" -R); fi

# step NAME COMMAND...: runs a command and prints one line; on failure, prints its whole output and exits.
step() {
  local name="$1" start="$SECONDS"
  shift
  if ! "$@" >"$work/log" 2>&1; then
    cat "$work/log"
    echo "FAILED   $name"
    exit 1
  fi
  echo "ok       $name ($((SECONDS - start)) s)"
}

# none WHAT PATTERN: checks that no line of the headers matches.
none() {
  local status=0
  grep -rnP "$2" cpp/include || status="$?"
  if [[ "$status" != 1 ]]; then
    echo "headers must have no $1"
    return 1
  fi
}

check_headers() {
  none "Python, printing or logging" 'Python\.h|nanobind|printf|std::c(out|err|log)\b' &&
    none "static that can change" '^\s*(inline\s+)?static\s+(?!const\b|constexpr\b|_)[^(]*[;={]' &&
    none "global that can change" \
      '^\s*inline\s+(?!const\b|constexpr\b|namespace\b|static\b)(?!.*\boperator)[^(]*[;={]' &&
    none "thread_local" '\bthread_local\b' &&
    none "mutable member" '^\s*mutable\b'
}

# build FOLDER OPTIONS... [-- TARGETS...]: builds all targets, or the given ones.
build() {
  local folder="$work/$1" options=() targets=()
  shift
  while [[ "$#" -gt 0 && "$1" != -- ]]; do options+=("$1"); shift; done
  if [[ "$#" -gt 1 ]]; then targets=(--target "${@:2}"); fi
  cmake -S . -B "$folder" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON "${options[@]}" &&
    cmake --build "$folder" --parallel "$jobs" "${targets[@]}"
}

run_tests() {
  ctest --test-dir "$work/$1" --output-on-failure --no-tests=error --parallel "$jobs"
}

# The files with tests whose names mention threads, or chunks, which threads parse.
thread_tests() {
  grep -lE '^TEST\(\w*(threads|chunks)' cpp/tests/test_*.cpp | xargs -n 1 basename --suffix=.cpp
}

# Runs these tests, and all tests of for_each_query.
run_thread_tests() {
  local test
  for test in $(thread_tests); do
    case "$test" in
      test_for_each_query) "${fixed[@]}" "$work/$1/$test" || return 1 ;;
      *) "${fixed[@]}" "$work/$1/$test" threads chunks || return 1 ;;
    esac
  done
}

# through_python FOLDER LIBRARIES: calls from several Python threads. Python itself is not
# sanitized, so it preloads the libraries.
through_python() {
  local libraries="" library package="$work/package-$1"
  for library in $2; do libraries+="$(c++ -print-file-name="$library") "; done
  mkdir "$package" && cp -r src/idealrank "$package" && rm -f "$package"/idealrank/_native/*.so &&
    cp "$work/$1"/_core*.so "$package/idealrank/_native" &&
    LD_PRELOAD="$libraries" ASAN_OPTIONS=detect_leaks=0 PYTHONPATH="$package" "${fixed[@]}" "$python" cpp/tests/through_python.py
}

# The first clang that can link libFuzzer.
find_clang() {
  local candidate
  for candidate in clang++-{22,21,20,19,18,17,16} clang++; do
    if command -v "$candidate" >/dev/null &&
      echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
      "$candidate" -x c++ -fsanitize=fuzzer,address,undefined -o "$work/probe" - 2>/dev/null; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

install_clang() {
  apt-get update && apt-get install --yes --no-install-recommends clang-19 libclang-rt-19-dev
}

# Some valid lines for each target. For the line formats, the first bytes choose where blocks are cut and, for
# LETOR, the limit on feature ids.
make_seeds() {
  mkdir -p "$work"/seeds/{letor,trec,number}
  cd "$work/seeds"
  printf '\120\240\003%s\n' $'2 qid:10 1:.5 2:-1e-3 3:NULL #docid = G i = 1\n# c\n\n0 qid:10 3:1 1:2\r\n1 qid:7' >letor/queries
  printf '\020\360\001%s\n' $'1 1:1\n0 2:.5#c\n\n1 1:3 9:12345678901234567890' >letor/no_queries
  printf '\000\200\000%s' $'1 qid:1 1:nan\n1 1:1\n' >letor/mixed
  printf '\000\200\002%s' '1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9' >letor/dense
  printf '\000\200\003%s\n' '1 qid:1 2147483647:1 5:0.123456789 999:2 1000:3 100000:4 2147483646:5' >letor/widest
  # Longer than a line of short numbers, and than the room that the parser of short numbers needs.
  { printf '\100\300\001'; for line in {1..40}; do printf '%s qid:%s' "$((line % 3))" "$((line / 7))"
    for id in {1..60}; do printf ' %s:%s.%s' "$id" "$((id * line))" "$id"; done; printf '\n'; done; } >letor/long
  printf '\120\240%s\n' $'q1 0 d1 2\nq2\t0\td#2\t-1\r\n# comment\n\nq1 0 d3 0.5' >trec/qrels
  printf '\020\200%s\n' $'q1 Q0 d1 1 9.5 tag\nq2 Q0 d2 1 1e-3 tag more\nq1 Q0 d3 2 +7 tag' >trec/run
  local i=0 number
  for number in 0 -0.5 +1e22 1.7976931348623157e308 2.2250738585072011e-308 4.9e-324 1e-400 9007199254740993 .5 1. \
    inf -Infinity nan 123456789012345678901234567890e-20; do
    printf '%s' "$number" >"number/$((i++))"
  done
  printf '\375\103\256\025    ' >number/float  # the only float whose shortest text is rounded wrongly through double
  local word
  for word in 'qid:' '#docid = ' 'NULL' 'nan' 'inf' 'infinity' ' 1:' ' 1:1' ' 2:0.5' '\x0a' '\x0d\x0a' '\x09' ' ' '#' \
    'Q0 ' 'e-' 'e+30' '1 qid:1 ' 'q 0 d 1\x0a' '#q 0 d 1\x0a' 'q Q0 d 1 2 t\x0a' '0000000000' '9999999999' '2147483648:1' ' 2147483647:1' ' 999:1' ' 1000:1'; do
    printf '"%s"\n' "$word"
  done >words
}

fuzz() {
  build fuzz -DIDEALRANK_FUZZ=ON -DIDEALRANK_SANITIZE=address,undefined \
    -DCMAKE_CXX_COMPILER="$1" -DCMAKE_CXX_FLAGS=-O1 || return 1
  (make_seeds) || return 1
  # At every exception, the bookkeeping of this check would take half the time; the sanitized tests include it.
  export ASAN_OPTIONS=detect_stack_use_after_return=0
  local source target running=() pid failed=0
  for source in cpp/fuzz/fuzz_*.cpp; do
    target="$(basename "$source" .cpp)"
    mkdir -p "$work/seeds/${target#fuzz_}" "$work/found/$target"
    "$work/fuzz/$target" -seed=1 -max_total_time="$fuzz_seconds" -max_len=65536 -timeout=60 -rss_limit_mb=2048 \
      -dict="$work/seeds/words" -artifact_prefix="$work/$target-" "$work/found/$target" "$work/seeds/${target#fuzz_}" \
      >"$work/$target.log" 2>&1 &
    running+=("$!:$target")
  done
  for pid in "${running[@]}"; do
    target="${pid#*:}"
    if wait "${pid%%:*}"; then
      echo "$target: $(grep -E '^Done' "$work/$target.log")"
    else
      failed=1
      tail -n 60 "$work/$target.log"  # ends with the input, in Base64
    fi
  done
  return "$failed"
}

step "rules on cpp/include" check_headers
python="${PYTHON:-$([[ -x .venv/bin/python ]] && echo "$PWD/.venv/bin/python" || command -v python3)}"
extension=()
if "$python" -c "import nanobind, numpy" 2>/dev/null; then
  extension=(-DIDEALRANK_EXTENSION=ON -DPython_EXECUTABLE="$python" -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)")
else
  echo "SKIPPED  the extension under sanitizers: $python lacks nanobind or numpy"
fi

step "build with address and undefined behaviour sanitizers" \
  build asan -DIDEALRANK_CPP_TESTS=ON -DIDEALRANK_SANITIZE=address,undefined "${extension[@]}"
step "all tests under them" run_tests asan
if [[ -n "${extension[*]}" ]]; then
  step "calls through Python under them" through_python asan "libasan.so libubsan.so libstdc++.so.6"
fi
# shellcheck disable=SC2046  # one target per word
step "build with the thread sanitizer" build tsan -DIDEALRANK_CPP_TESTS=ON -DIDEALRANK_SANITIZE=thread "${extension[@]}" \
  -- $(thread_tests) ${extension:+_core}
step "thread tests under it" run_thread_tests tsan
if [[ -n "${extension[*]}" ]]; then
  step "calls through Python under it" through_python tsan libtsan.so
fi

clang="$(find_clang || true)"
if [[ -z "$clang" && "$(id -u)" == 0 ]] && command -v apt-get >/dev/null && may_install clang-19 libclang-rt-19-dev; then
  step "install clang for fuzzing" install_clang
  clang="$(find_clang || true)"
fi
if [[ -z "$clang" ]]; then
  echo "SKIPPED  fuzzing: it needs clang with libFuzzer (on Debian: apt-get install clang-19 libclang-rt-19-dev)"
else
  step "fuzz the parsers, $fuzz_seconds s each" fuzz "$clang"
  grep '^fuzz_.*Done' "$work/log" | sed 's/^/         /'
fi
