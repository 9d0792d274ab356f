// SPDX-License-Identifier: Apache-2.0
// The main function of test programs in cross builds with Catch2 2; others take the one of the Catch2 package.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
