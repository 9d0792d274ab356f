// SPDX-License-Identifier: Apache-2.0
// Catch2 2 and 3 from one source.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

// Ends the test case as skipped. Catch2 2 has no such state: ctest recognises the line instead (SKIP_REGULAR_EXPRESSION in
// tests/CMakeLists.txt), whatever else the test reports, so it may only be used before the first assertion of a test case.
#if defined(SKIP)
#define GARNER_TEST_SKIP(reason) SKIP("TEST-SKIPPED: " << reason)
#else
#define GARNER_TEST_SKIP(reason)      \
  do {                                \
    WARN("TEST-SKIPPED: " << reason); \
    return;                           \
  } while (false)
#endif
