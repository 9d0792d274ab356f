// SPDX-License-Identifier: Apache-2.0
#include "jit/kernel_key.h"

#include <cstring>

namespace garner::jit {
namespace {

class NameWriter {
 public:
  explicit NameWriter(char (&text)[kernel_name_capacity]) : next_(text), end_(text + kernel_name_capacity - 1) {}

  void text(const char* part) {
    while (*part != '\0' && next_ < end_) *next_++ = *part++;
    *next_ = '\0';
  }

  void number(unsigned value) {
    if (value >= 10) number(value / 10);
    const char digit[2] = {static_cast<char>('0' + value % 10), '\0'};
    text(digit);
  }

 private:
  char* next_;
  char* end_;
};

const char* index_name(IndexType type) {
  static constexpr const char* names[] = {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"};
  return names[static_cast<int>(type)];
}

}  // namespace

const char* body_name(Body body) {
  static constexpr const char* names[] = {"table", "loads", "hardware", "slices"};
  return names[static_cast<int>(body)];
}

const char* lanes_name(Lanes lanes) {
  static constexpr const char* names[] = {"flat", "unit", "step", "folded", "strided"};
  return names[static_cast<int>(lanes)];
}

void kernel_name(const KernelKey& key, char (&name)[kernel_name_capacity]) {
  static constexpr const char* bounds_names[] = {"error", "clamp", "zero"};
  NameWriter out(name);
  if (key.body == Body::slices) {
    out.text("copy_slices_");
    out.number(key.element_bytes);
  } else {
    out.text("gather_x");
    out.number(key.element_bytes * 8u);
    out.text("_");
    out.text(body_name(key.body));
  }
  if (key.body == Body::table) out.number(key.table_registers);
  if (key.byte_planes > 1) {
    out.text("x");
    out.number(key.byte_planes);
  }
  out.text("_");
  out.text(index_name(key.index_type));
  out.text("_k");
  out.number(key.coord_count);
  out.text(key.negative == Negative::wrap ? "_wrap_" : "_reject_");
  out.text(bounds_names[static_cast<int>(key.bounds)]);
  out.text("_");
  out.text(lanes_name(key.lanes));
  if (!key.unit_coord && key.body != Body::slices) out.text("_axis");
  if (key.narrow_address) out.text("_narrow");
  if (key.detect_rows) out.text("_rows");
  if (key.far) out.text("_far");
  out.text("__");
  out.text(isa_name(key.isa));
}

}  // namespace garner::jit
