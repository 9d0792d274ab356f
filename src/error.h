// SPDX-License-Identifier: Apache-2.0
// How a failed call tells its caller why: status, argument and text in the caller's garner_error.
#pragma once

#include <garner/garner.h>

#include "src/text.h"

namespace garner {

class ErrorReport {
 public:
  // error may be NULL: then only statuses are returned.
  explicit ErrorReport(garner_error* error) : error_(error) {}

  // GARNER_VERSION when the caller's struct is smaller than that of any version. First thing in every call.
  garner_status open() const;

  garner_status succeed() const {
    if (error_ != nullptr) error_->status = GARNER_OK;
    return GARNER_OK;
  }

  // Fills the caller's struct and returns `status`. The parts are written one after the other: strings, numbers,
  // Extents.
  template <class... Parts>
  garner_status fail(garner_status status, int32_t argument, const Parts&... parts) const {
    if (error_ == nullptr) return status;
    garner_error detail = GARNER_ERROR_INIT;
    detail.status = status;
    detail.argument = argument;
    TextWriter text(detail.text, sizeof(detail.text));
    (text << ... << parts);
    write(detail);
    return status;
  }

  bool wanted() const { return error_ != nullptr; }

  // Copies all of `detail` but its struct_size, as far as the caller's struct goes.
  void write(const garner_error& detail) const;

 private:
  garner_error* error_;
};

}  // namespace garner

// Leaves the function with the status of `expression` unless that is GARNER_OK.
#define GARNER_RETURN_IF_FAILED(expression)                                               \
  do {                                                                                    \
    if (const garner_status garner_status_ = (expression); garner_status_ != GARNER_OK) { \
      return garner_status_;                                                              \
    }                                                                                     \
  } while (false)
