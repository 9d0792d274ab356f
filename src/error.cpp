// SPDX-License-Identifier: Apache-2.0
#include "src/error.h"

#include <algorithm>
#include <cstring>

#include "src/struct_size.h"

namespace garner {

garner_status ErrorReport::open() const {
  if (error_ == nullptr || is_known_size(*error_)) return GARNER_OK;
  return fail(GARNER_VERSION, GARNER_ARGUMENT_NONE, "struct_size of garner_error is ", uint64_t{error_->struct_size},
              "; start from GARNER_ERROR_INIT (", uint64_t{sizeof(garner_error)}, "), with all beyond it zero");
}

void ErrorReport::write(const garner_error& detail) const {
  constexpr size_t head = sizeof(detail.struct_size);
  const size_t bytes = std::min<size_t>(error_->struct_size, sizeof(detail));
  if (bytes <= head) return;
  auto* target = reinterpret_cast<char*>(error_);
  std::memcpy(target + head, reinterpret_cast<const char*>(&detail) + head, bytes - head);
  // A text that is cut by a small struct still ends.
  if (bytes > offsetof(garner_error, text) && bytes < sizeof(detail)) target[bytes - 1] = '\0';
}

}  // namespace garner
