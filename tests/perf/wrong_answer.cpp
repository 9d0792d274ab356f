// SPDX-License-Identifier: Apache-2.0
// A library that errs once, so that tests see what the tool makes of it. The linker sends calls here first.
#include <garner/garner.h>

#include <cstddef>

extern "C" {

garner_status __real_garner_plan_execute(const garner_plan* plan, const garner_args* args,
                                         garner_error* error) noexcept;
garner_status __wrap_garner_plan_execute(const garner_plan* plan, const garner_args* args,
                                         garner_error* error) noexcept;

garner_status __wrap_garner_plan_execute(const garner_plan* plan, const garner_args* args,
                                         garner_error* error) noexcept {
  static bool first = true;
  const garner_status status = __real_garner_plan_execute(plan, args, error);
  if (first && args->output_bytes > 20) static_cast<std::byte*>(args->output)[20] ^= std::byte{1};
  first = false;
  return status;
}
}
