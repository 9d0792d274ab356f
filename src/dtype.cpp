// SPDX-License-Identifier: Apache-2.0
#include "src/dtype.h"

namespace garner {
namespace {

// By ONNX TensorProto.DataType.
constexpr DtypeInfo table[] = {
    {nullptr, nullptr, 0},                                                // 0: undefined
    {"float32", "f32", 4},                                                // 1
    {"uint8", "u8", 1},                                                   // 2
    {"int8", "i8", 1},                                                    // 3
    {"uint16", "u16", 2},                                                 // 4
    {"int16", "i16", 2},                                                  // 5
    {"int32", "i32", 4},                                                  // 6
    {"int64", "i64", 8},                                                  // 7
    {"string", "str", static_cast<int32_t>(sizeof(garner_string_view))},  // 8
    {"bool", "bool", 1},                                                  // 9
    {"float16", "f16", 2},                                                // 10
    {"float64", "f64", 8},                                                // 11
    {"uint32", "u32", 4},                                                 // 12
    {"uint64", "u64", 8},                                                 // 13
    {"complex64", "c64", 8},                                              // 14
    {"complex128", "c128", 16},                                           // 15
    {"bfloat16", "bf16", 2},                                              // 16
    {"float8e4m3fn", "f8", 1},                                            // 17
    {"float8e4m3fnuz", "f8", 1},                                          // 18
    {"float8e5m2", "f8", 1},                                              // 19
    {"float8e5m2fnuz", "f8", 1},                                          // 20
    {"uint4", "u4", 0},                                                   // 21
    {"int4", "i4", 0},                                                    // 22
    {"float4e2m1", "f4", 0},                                              // 23
    {"float8e8m0", "f8", 1},                                              // 24
    {"uint2", "u2", 0},                                                   // 25
    {"int2", "i2", 0},                                                    // 26
};

}  // namespace

DtypeInfo dtype_info(garner_dtype dtype) {
  if (dtype == GARNER_OPAQUE) return {"opaque", "x", 0};
  if (dtype < 0 || dtype >= static_cast<int32_t>(sizeof(table) / sizeof(table[0]))) return {nullptr, nullptr, 0};
  return table[dtype];
}

bool is_index_dtype(garner_dtype dtype) {
  switch (dtype) {
    case GARNER_INT8:
    case GARNER_UINT8:
    case GARNER_INT16:
    case GARNER_UINT16:
    case GARNER_INT32:
    case GARNER_UINT32:
    case GARNER_INT64:
    case GARNER_UINT64: return true;
    default: return false;
  }
}

IndexType to_index_type(garner_dtype dtype) {
  switch (dtype) {
    case GARNER_INT8: return IndexType::i8;
    case GARNER_UINT8: return IndexType::u8;
    case GARNER_INT16: return IndexType::i16;
    case GARNER_UINT16: return IndexType::u16;
    case GARNER_INT32: return IndexType::i32;
    case GARNER_UINT32: return IndexType::u32;
    case GARNER_UINT64: return IndexType::u64;
    default: return IndexType::i64;
  }
}

void write_short_dtype(TextWriter& text, garner_dtype dtype, int64_t element_bytes) {
  text << dtype_info(dtype).short_name;
  if (dtype == GARNER_OPAQUE) text << element_bytes;
}

}  // namespace garner
