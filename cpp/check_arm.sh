#!/usr/bin/env bash
# Runs the C++ tests on 64-bit ARM, where the base kernels use NEON vectors: cross-compiles
# them and runs them in an emulator.
# If the compiler or the emulator is missing, says so and exits successfully. Builds in a temporary folder;
# takes some minutes on two cores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source cpp/may_install.sh

packages=(g++-aarch64-linux-gnu qemu-user-static)
compiler=aarch64-linux-gnu-g++
emulator() { command -v qemu-aarch64-static || command -v qemu-aarch64; }
missing() { ! { command -v "$compiler" && emulator; } >/dev/null; }

if missing && [[ "$(id -u)" == 0 ]] && command -v apt-get >/dev/null && may_install "${packages[@]}"; then
  apt-get update && apt-get install --yes --no-install-recommends "${packages[@]}"
fi
if missing; then
  echo "SKIPPED  tests on ARM: they need a cross compiler and an emulator (on Debian: apt-get install ${packages[*]})"
  exit 0
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cmake -S . -B "$work" -DIDEALRANK_CPP_TESTS=ON -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DCMAKE_CXX_FLAGS=-O2 \
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_EXE_LINKER_FLAGS=-static -DCMAKE_CROSSCOMPILING_EMULATOR="$(emulator)"
cmake --build "$work" --parallel "$(nproc)"
# Without the tests of plain loops as lanes, which are the same everywhere.
ctest --test-dir "$work" --output-on-failure --no-tests=error --parallel "$(nproc)" --exclude-regex _plain
