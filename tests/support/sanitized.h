// SPDX-License-Identifier: Apache-2.0
// Whether this build has a sanitizer's runtime, which allocates and asks the system for things of its own.
#pragma once

namespace garner_test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace garner_test
