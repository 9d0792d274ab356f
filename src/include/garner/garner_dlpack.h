/* SPDX-License-Identifier: Apache-2.0 */
/* DLPack tensors as garner's descriptors and buffers, without copying: header only, C99 and C++11.
 *
 * Reads the structs of DLPack 0.6 to 1.x, with declarations of its own. A unit that includes dlpack/dlpack.h as well
 * includes it first and passes DLTensor and DLManagedTensorVersioned as they are; a unit that does not declares the tensors
 * it is handed as the structs below, which have the same layout.
 *
 * Taken are tensors in CPU memory of one lane and whole bytes per element. Everything else is refused with a reason.
 */
/* Comments stand in columns that are set by hand. */
/* clang-format off */
#ifndef GARNER_GARNER_DLPACK_H
#define GARNER_GARNER_DLPACK_H

#include <garner/garner.h>

#include <stdio.h>
#include <string.h>

/* The layout of DLTensor. */
typedef struct garner_dl_tensor_layout {
  void* data;
  int32_t device_type;  /* 1: CPU */
  int32_t device_id;
  int32_t ndim;
  uint8_t code;         /* 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool, 7..14 float8 */
  uint8_t bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides;     /* in elements; NULL: dense row-major */
  uint64_t byte_offset; /* from data to element [0,...,0] */
} garner_dl_tensor_layout;

/* The layout of DLManagedTensorVersioned in DLPack 1.x. */
typedef struct garner_dl_versioned_layout {
  uint32_t major;
  uint32_t minor;
  void* manager_ctx;
  void (*deleter)(struct garner_dl_versioned_layout* self);
  uint64_t flags; /* bit 0: read-only */
  garner_dl_tensor_layout tensor;
} garner_dl_versioned_layout;

#if defined(DLPACK_DLPACK_H_)
typedef DLTensor garner_dl_tensor;
typedef char garner_dl_tensor_has_this_size[sizeof(DLTensor) == sizeof(garner_dl_tensor_layout) ? 1 : -1];
#else
typedef garner_dl_tensor_layout garner_dl_tensor;
#endif
#if defined(DLPACK_DLPACK_H_) && defined(DLPACK_MAJOR_VERSION)
typedef DLManagedTensorVersioned garner_dl_versioned;
typedef char garner_dl_versioned_has_this_size
    [sizeof(DLManagedTensorVersioned) == sizeof(garner_dl_versioned_layout) ? 1 : -1];
#else
typedef garner_dl_versioned_layout garner_dl_versioned;
#endif

/* What a call of garner takes: the descriptor, and the bytes that it can touch. Valid while the DLPack tensor lives, whose
 * shape and strides it points to. */
typedef struct garner_dl_view {
  garner_tensor tensor;
  void* data;   /* lowest byte of any element: below element [0,...,0] when strides are negative */
  size_t bytes;
} garner_dl_view;

#if defined(__cplusplus)
extern "C" {
#endif

/* Sets the error, if there is one; returns the status. */
static inline garner_status garner_dl_refuse(garner_error* error, garner_status status, int32_t argument,
                                             const char* what, int64_t value) GARNER_NOEXCEPT {
  if (error != NULL) {
    const char* name = argument == GARNER_ARGUMENT_DATA      ? "data"
                       : argument == GARNER_ARGUMENT_INDICES ? "indices"
                       : argument == GARNER_ARGUMENT_OUTPUT  ? "output"
                                                             : "the tensor";
    const garner_error empty = GARNER_ERROR_INIT;
    *error = empty;
    error->status = status;
    error->argument = argument;
    (void)snprintf(error->text, sizeof error->text, "DLPack: %s %s (here %lld)", name, what, (long long)value);
  }
  return status;
}

/* The garner_dtype of a DLPack type; GARNER_OPAQUE for whole bytes of a type without a number, 0 for what is refused. */
static inline garner_dtype garner_dl_dtype(uint8_t code, uint8_t bits) GARNER_NOEXCEPT {
  if (bits == 0 || bits % 8 != 0) return 0;
  switch (code) {
    case 0: /* int */
      return bits == 8    ? GARNER_INT8
             : bits == 16 ? GARNER_INT16
             : bits == 32 ? GARNER_INT32
             : bits == 64 ? GARNER_INT64
                          : GARNER_OPAQUE;
    case 1: /* uint */
      return bits == 8    ? GARNER_UINT8
             : bits == 16 ? GARNER_UINT16
             : bits == 32 ? GARNER_UINT32
             : bits == 64 ? GARNER_UINT64
                          : GARNER_OPAQUE;
    case 2: /* float */
      return bits == 16 ? GARNER_FLOAT16 : bits == 32 ? GARNER_FLOAT32 : bits == 64 ? GARNER_FLOAT64 : GARNER_OPAQUE;
    case 4: return bits == 16 ? GARNER_BFLOAT16 : GARNER_OPAQUE;
    case 5: return bits == 64 ? GARNER_COMPLEX64 : bits == 128 ? GARNER_COMPLEX128 : GARNER_OPAQUE;
    case 6: return bits == 8 ? GARNER_BOOL : GARNER_OPAQUE;
    case 7:  /* float8_e3m4 */
    case 8:  /* float8_e4m3 */
    case 9:  /* float8_e4m3b11fnuz */
      return bits == 8 ? GARNER_OPAQUE : 0;
    case 10: return bits == 8 ? GARNER_FLOAT8E4M3FN : 0;
    case 11: return bits == 8 ? GARNER_FLOAT8E4M3FNUZ : 0;
    case 12: return bits == 8 ? GARNER_FLOAT8E5M2 : 0;
    case 13: return bits == 8 ? GARNER_FLOAT8E5M2FNUZ : 0;
    case 14: return bits == 8 ? GARNER_FLOAT8E8M0 : 0;
    default: return 0; /* handles, types that are not whole bytes, and what is not known */
  }
}

/* Describes a borrowed DLTensor. `argument` is GARNER_ARGUMENT_DATA, _INDICES or _OUTPUT and names it in errors. On
 * failure *view is not written. What garner itself checks, such as ranks and strides, is left to it. */
static inline garner_status garner_dl_view_of(const garner_dl_tensor* tensor, int32_t argument, garner_dl_view* view,
                                              garner_error* error) GARNER_NOEXCEPT {
  garner_dl_tensor_layout t;
  garner_dl_view made = {GARNER_TENSOR_INIT, NULL, 0};
  int64_t low = 0, high = 0, dense = 1, width;
  int32_t dim, is_empty = 0;
  if (tensor == NULL || view == NULL)
    return garner_dl_refuse(error, GARNER_INVALID_ARGUMENT, argument, "and view may not be NULL", 0);
  memcpy(&t, tensor, sizeof t); /* through memcpy, the two declarations of the struct may meet in one program */
  if (t.device_type != 1)
    return garner_dl_refuse(error, GARNER_UNSUPPORTED, argument, "must be in CPU memory, device type 1", t.device_type);
  if (t.lanes != 1)
    return garner_dl_refuse(error, GARNER_UNSUPPORTED, argument, "must have one lane per element", t.lanes);
  made.tensor.dtype = garner_dl_dtype(t.code, t.bits);
  if (made.tensor.dtype == 0)
    return garner_dl_refuse(error, GARNER_UNSUPPORTED, argument,
                            "has a DLPack type that garner cannot move; code * 1000 + bits names it",
                            t.code * 1000 + t.bits);
  if (t.ndim < 0 || t.ndim > GARNER_MAX_RANK)
    return garner_dl_refuse(error, t.ndim < 0 ? GARNER_INVALID_ARGUMENT : GARNER_UNSUPPORTED, argument,
                            "must have 0 to 16 dimensions", t.ndim);
  if (t.ndim > 0 && t.shape == NULL)
    return garner_dl_refuse(error, GARNER_INVALID_ARGUMENT, argument, "has dimensions but no shape", t.ndim);
  if (t.byte_offset > (uint64_t)INT64_MAX)
    return garner_dl_refuse(error, GARNER_INVALID_ARGUMENT, argument, "has a byte_offset beyond 2^63", -1);

  /* The lowest and the highest element, counted from element [0,...,0]. */
  width = t.bits / 8;
  for (dim = t.ndim - 1; dim >= 0; --dim) {
    const int64_t extent = t.shape[dim], stride = t.strides != NULL ? t.strides[dim] : dense;
    int64_t reach = 0;
    if (extent < 0)
      return garner_dl_refuse(error, GARNER_INVALID_SHAPE, argument, "has a negative extent", extent);
    if (extent == 0) is_empty = 1;
    if (extent > 1 && (__builtin_mul_overflow(extent - 1, stride, &reach) ||
                       __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high)))
      return garner_dl_refuse(error, GARNER_INVALID_SHAPE, argument, "reaches beyond 2^63 elements; extent", extent);
    if (t.strides == NULL && extent > 1 && __builtin_mul_overflow(dense, extent, &dense))
      return garner_dl_refuse(error, GARNER_INVALID_SHAPE, argument, "has more than 2^63 elements; extent", extent);
  }
  if (is_empty) low = 0, high = -1;
  if (__builtin_mul_overflow(low, width, &low) || __builtin_add_overflow(high, (int64_t)1, &high) ||
      __builtin_mul_overflow(high, width, &high) || __builtin_sub_overflow(high, low, &high))
    return garner_dl_refuse(error, GARNER_INVALID_SHAPE, argument, "reaches beyond 2^63 bytes; bytes per element", width);
  if (high > 0 && t.data == NULL)
    return garner_dl_refuse(error, GARNER_INVALID_ARGUMENT, argument, "has elements but no data; bytes", high);

  made.tensor.element_bytes = made.tensor.dtype == GARNER_OPAQUE ? width : 0;
  made.tensor.rank = t.ndim;
  made.tensor.shape = t.shape;
  made.tensor.strides = t.strides;
  made.tensor.byte_offset = -low;
  made.bytes = (size_t)high;
  if (t.data != NULL) made.data = (char*)t.data + ((int64_t)t.byte_offset + low);
  *view = made;
  if (error != NULL) error->status = GARNER_OK;
  return GARNER_OK;
}

/* The same for a versioned tensor, which also says whether it may be written: one that is read-only is refused as an output.
 * The tensor stays the caller's, who calls its deleter. */
static inline garner_status garner_dl_view_of_versioned(const garner_dl_versioned* managed, int32_t argument,
                                                        garner_dl_view* view, garner_error* error) GARNER_NOEXCEPT {
  garner_dl_versioned_layout m;
  garner_dl_tensor tensor;
  if (managed == NULL)
    return garner_dl_refuse(error, GARNER_INVALID_ARGUMENT, argument, "may not be NULL", 0);
  memcpy(&m.major, managed, sizeof m.major); /* another major version has another layout */
  if (m.major != 1)
    return garner_dl_refuse(error, GARNER_VERSION, argument, "must be of DLPack version 1", (int64_t)m.major);
  memcpy(&m, managed, sizeof m);
  if (argument == GARNER_ARGUMENT_OUTPUT && (m.flags & 1) != 0)
    return garner_dl_refuse(error, GARNER_INVALID_ARGUMENT, argument, "is read-only; flags", (int64_t)m.flags);
  memcpy(&tensor, &m.tensor, sizeof tensor);
  return garner_dl_view_of(&tensor, argument, view, error);
}

/* Buffers of an execution; threads and copy function are the caller's to add. */
static inline garner_args garner_dl_args(const garner_dl_view* data, const garner_dl_view* indices,
                                         const garner_dl_view* output) GARNER_NOEXCEPT {
  garner_args args = GARNER_ARGS_INIT;
  args.data = data->data, args.data_bytes = data->bytes;
  args.indices = indices->data, args.indices_bytes = indices->bytes;
  args.output = output->data, args.output_bytes = output->bytes;
  return args;
}

#if defined(__cplusplus)
} /* extern "C" */
#endif

#endif /* GARNER_GARNER_DLPACK_H */
