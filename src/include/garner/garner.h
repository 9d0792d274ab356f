/* SPDX-License-Identifier: Apache-2.0 */
/* garner: gather operators on x86-64 CPUs, as fast as the machine can move the bytes.
 *
 * Order of this file: versions, status and types, the structs a caller fills, shapes, plans, execution, contexts.
 *
 * Rules that hold everywhere:
 * - C99, 64-bit Linux, System V ABI. No exception crosses this API; no function aborts, prints, or keeps a "last error".
 * - Shapes count elements, strides count elements, sizes and offsets count bytes.
 * - Every struct that a caller fills begins with struct_size; start from its GARNER_..._INIT macro. A smaller size, down
 *   to that of version 1, and a larger one whose unknown tail is zero are accepted; any other is GARNER_VERSION.
 * - Every function that can fail returns a status. Where a garner_error pointer is taken it may be NULL; otherwise it is
 *   filled on failure, with at most its struct_size bytes written, and its status is set to GARNER_OK on success.
 * - What the operators mean comes from the ONNX operator texts (GatherND 11/12/13, GatherElements 11/13) and the
 *   OpenVINO ones (GatherND-5, GatherND-8); docs/semantics.md decides where they are silent.
 */
/* Comments stand in columns that are set by hand. */
/* clang-format off */
#ifndef GARNER_GARNER_H
#define GARNER_GARNER_H

#include <stddef.h>
#include <stdint.h>

/* The one place of the version: builds and packages take it from here. */
#define GARNER_VERSION_MAJOR 0
#define GARNER_VERSION_MINOR 1
#define GARNER_VERSION_PATCH 0
#define GARNER_TEXT_OF_(number) #number
#define GARNER_DOTTED_(a, b, c) GARNER_TEXT_OF_(a) "." GARNER_TEXT_OF_(b) "." GARNER_TEXT_OF_(c)
#define GARNER_VERSION_STRING GARNER_DOTTED_(GARNER_VERSION_MAJOR, GARNER_VERSION_MINOR, GARNER_VERSION_PATCH)
/* Number of the binary interface, of the soname and of the version node; garner_abi_version() of the loaded library. */
#define GARNER_ABI_VERSION 0

/* Highest rank of data, indices and output. */
#define GARNER_MAX_RANK 16

#if defined(__cplusplus)
#define GARNER_NOEXCEPT noexcept
extern "C" {
#else
#define GARNER_NOEXCEPT
#endif

#if defined(GARNER_BUILDING_SHARED)
#define GARNER_API __attribute__((visibility("default")))
#else
#define GARNER_API
#endif

/* ---- Versions ------------------------------------------------------------------------------------------------- */

/* "MAJOR.MINOR.PATCH" of the library that is loaded; compare with GARNER_VERSION_STRING of the header. */
GARNER_API const char* garner_version(void) GARNER_NOEXCEPT;
/* Number of the binary interface; equal numbers are compatible. Since 0.1. */
GARNER_API int32_t garner_abi_version(void) GARNER_NOEXCEPT;
/* One line: compiler, whether the JIT and oneTBB are compiled in. Static storage. */
GARNER_API const char* garner_build_info(void) GARNER_NOEXCEPT;

/* ---- Status and types ----------------------------------------------------------------------------------------- */

/* The values are pinned and never reused. */
typedef int32_t garner_status;
enum {
  GARNER_OK = 0,
  GARNER_INVALID_ARGUMENT = 1, /* an attribute, pointer, size, stride or enum value that cannot be right */
  GARNER_INVALID_SHAPE = 2,    /* shapes that do not fit each other, or whose products overflow int64 */
  GARNER_UNSUPPORTED = 3,      /* legal, but not implemented: sub-byte types, rank above 16, a forced path that cannot */
  GARNER_OUT_OF_BOUNDS = 4,    /* an index outside its axis under GARNER_BOUNDS_ERROR; see garner_error */
  GARNER_OUT_OF_MEMORY = 5,
  GARNER_OVERLAP = 6,          /* the output's bytes meet those of data or indices */
  GARNER_CALLBACK_FAILED = 7,  /* the copy callback returned non-zero; see garner_error.callback_code */
  GARNER_VERSION = 8,          /* a struct_size this library does not know */
  GARNER_INTERNAL = 9          /* a fault of this library; please report it */
};
/* "OUT_OF_BOUNDS" and so on; "UNKNOWN" for any other number. Static storage. */
GARNER_API const char* garner_status_name(garner_status status) GARNER_NOEXCEPT;

/* Numbers of ONNX TensorProto.DataType, so an engine passes its own value through. */
typedef int32_t garner_dtype;
enum {
  GARNER_FLOAT32 = 1,
  GARNER_UINT8 = 2,
  GARNER_INT8 = 3,
  GARNER_UINT16 = 4,
  GARNER_INT16 = 5,
  GARNER_INT32 = 6,
  GARNER_INT64 = 7,
  GARNER_STRING = 8, /* element_bytes 0: garner_string_view; n: the host's own type of n bytes, see garner_copy_fn */
  GARNER_BOOL = 9,
  GARNER_FLOAT16 = 10,
  GARNER_FLOAT64 = 11,
  GARNER_UINT32 = 12,
  GARNER_UINT64 = 13,
  GARNER_COMPLEX64 = 14,
  GARNER_COMPLEX128 = 15,
  GARNER_BFLOAT16 = 16,
  GARNER_FLOAT8E4M3FN = 17,
  GARNER_FLOAT8E4M3FNUZ = 18,
  GARNER_FLOAT8E5M2 = 19,
  GARNER_FLOAT8E5M2FNUZ = 20,
  GARNER_FLOAT8E8M0 = 24,
  GARNER_OPAQUE = 0x10000 /* element_bytes bytes, 1..65535, moved as they are */
};
/* "float32" and so on; "unknown" for a number without a name. Static storage. */
GARNER_API const char* garner_dtype_name(garner_dtype dtype) GARNER_NOEXCEPT;
/* Bytes of one element: 16 for GARNER_STRING (a view), 0 for GARNER_OPAQUE, sub-byte and unknown types. */
GARNER_API int64_t garner_dtype_bytes(garner_dtype dtype) GARNER_NOEXCEPT;

/* An element of a string tensor with element_bytes 0. The output's views point into the input's characters. */
typedef struct garner_string_view {
  const char* data;
  size_t size;
} garner_string_view;

/* ---- Operators and tensors ------------------------------------------------------------------------------------ */

enum { /* garner_op.kind */
  GARNER_GATHER_ND_ONNX = 0,       /* ONNX GatherND 11, 12, 13 */
  GARNER_GATHER_ND_OPENVINO_5 = 1, /* batch dims merged in the output shape; negative indices rejected by default */
  GARNER_GATHER_ND_OPENVINO_8 = 2,
  GARNER_GATHER_ELEMENTS_ONNX = 3  /* ONNX GatherElements 11, 13 */
};

enum { /* garner_op.bounds: what an index outside its axis means */
  GARNER_BOUNDS_ERROR = 0, /* GARNER_OUT_OF_BOUNDS, naming the lowest failing position */
  GARNER_BOUNDS_CLAMP = 1, /* to 0 or extent - 1, after a negative index was wrapped */
  GARNER_BOUNDS_ZERO = 2   /* the tuple's slice becomes zero bytes */
};

enum { /* garner_op.negative: what a negative index means */
  GARNER_NEGATIVE_DEFAULT = 0, /* wrap; reject for GARNER_GATHER_ND_OPENVINO_5 */
  GARNER_NEGATIVE_WRAP = 1,    /* counts from the end of the axis */
  GARNER_NEGATIVE_REJECT = 2   /* is out of bounds */
};

typedef struct garner_op {
  uint32_t struct_size;
  int32_t kind;
  int64_t batch_dims; /* GatherND: 0 <= batch_dims < min(rank of data, rank of indices) */
  int64_t axis;       /* GatherElements: in [-rank, rank - 1] */
  int32_t bounds;
  int32_t negative;
} garner_op;
#define GARNER_OP_INIT {(uint32_t)sizeof(garner_op), GARNER_GATHER_ND_ONNX, 0, 0, GARNER_BOUNDS_ERROR, GARNER_NEGATIVE_DEFAULT}

/* Describes a tensor; holds no buffer. The arrays are read during the call only. */
typedef struct garner_tensor {
  uint32_t struct_size;
  garner_dtype dtype;     /* indices: any integer type of 8 to 64 bits */
  int64_t element_bytes;  /* GARNER_OPAQUE: 1..65535; GARNER_STRING: 0 (views) or the size of the host's type; otherwise
                             0 or the type's own size */
  int32_t rank;           /* 0..GARNER_MAX_RANK */
  int32_t reserved;       /* 0 */
  const int64_t* shape;   /* rank extents, each >= 0; may be NULL when rank is 0 */
  const int64_t* strides; /* rank strides in elements, of any sign; NULL means dense row-major */
  int64_t byte_offset;    /* of element [0,...,0] from the start of the buffer */
} garner_tensor;
#define GARNER_TENSOR_INIT {(uint32_t)sizeof(garner_tensor), 0, 0, 0, 0, NULL, NULL, 0}

enum { /* garner_error.argument: what the error is about */
  GARNER_ARGUMENT_NONE = 0,
  GARNER_ARGUMENT_OP = 1,
  GARNER_ARGUMENT_DATA = 2,
  GARNER_ARGUMENT_INDICES = 3,
  GARNER_ARGUMENT_OUTPUT = 4,
  GARNER_ARGUMENT_ARGS = 5,
  GARNER_ARGUMENT_CONTEXT = 6,
  GARNER_ARGUMENT_PLAN = 7,
  GARNER_ARGUMENT_RESULT = 8 /* a place the caller gave for a result */
};

/* Why a call failed. position .. extent are set for GARNER_OUT_OF_BOUNDS only and are the same for every path, ISA and
 * thread count. */
typedef struct garner_error {
  uint32_t struct_size;
  garner_status status;
  int32_t argument;     /* GARNER_ARGUMENT_... */
  int32_t coordinate;   /* lowest bad coordinate k of the tuple; 0 for GatherElements */
  int32_t axis;         /* the axis of data that it addresses */
  garner_dtype index_dtype;
  int32_t callback_code; /* what the copy callback returned */
  int32_t reserved;
  int64_t position;     /* lowest failing position, row-major over indices.shape[:-1]; over indices.shape for
                           GatherElements */
  int64_t value;        /* the index as it was read; for uint64 its bits */
  int64_t extent;       /* of the axis */
  char text[256];       /* for people: what is wrong, where, what would be right; NUL-terminated */
} garner_error;
#define GARNER_ERROR_INIT {(uint32_t)sizeof(garner_error), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}}

/* ---- Shapes ---------------------------------------------------------------------------------------------------- */

/* Writes the output's shape: at most capacity extents to out_shape, the rank to *out_rank (also when capacity is too
 * small, which is GARNER_INVALID_ARGUMENT). Pure: reads no buffer, allocates nothing. out_shape may be NULL when the rank
 * is 0. Any thread. */
GARNER_API garner_status garner_infer_shape(const garner_op* op, const garner_tensor* data, const garner_tensor* indices,
                                            int64_t* out_shape, int32_t capacity, int32_t* out_rank,
                                            garner_error* error) GARNER_NOEXCEPT;

/* ---- Execution arguments ---------------------------------------------------------------------------------------- */

/* The host's threads. parallel_for calls fn(arg, i) for i in [0, n), on any threads, and blocks until those calls have
 * ended; it may run serially, run fewer than n (the caller does the rest), and may be called from a worker. Calling fn
 * after parallel_for returned is the host's error. concurrency: how many calls can run at once, taken at its word. */
typedef struct garner_executor {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  void* ctx;
  int32_t (*concurrency)(void* ctx);
  void (*parallel_for)(void* ctx, int32_t n, void (*fn)(void* arg, int32_t i), void* arg);
} garner_executor;
#define GARNER_EXECUTOR_INIT {(uint32_t)sizeof(garner_executor), 0, NULL, NULL, NULL}

/* Copies one element of an owning string type: assigns *src to *dst, or the empty value when src is NULL. Called once per
 * output element, possibly concurrently and in any order. Non-zero: failure, and the code to report. */
typedef int32_t (*garner_copy_fn)(void* ctx, void* dst, const void* src);

typedef struct garner_args {
  uint32_t struct_size;
  int32_t max_threads; /* 0: no limit of the call's own */
  const void* data;    /* start of each buffer; any alignment; may be NULL when there are no tuples */
  size_t data_bytes;
  const void* indices;
  size_t indices_bytes;
  void* output;
  size_t output_bytes;
  const garner_executor* executor; /* NULL: the context's, else oneTBB when compiled in, else the calling thread */
  garner_copy_fn copy;             /* owning strings only */
  void* copy_ctx;
} garner_args;
#define GARNER_ARGS_INIT {(uint32_t)sizeof(garner_args), 0, NULL, 0, NULL, 0, NULL, 0, NULL, NULL, NULL}

/* ---- Contexts ---------------------------------------------------------------------------------------------------- */

/* A context owns the code cache, the calibration and the options; plans hold a reference to it. */
typedef struct garner_context garner_context;

/* Both or neither. allocate returns memory aligned to `alignment` (a power of two, at most 64) or NULL. */
typedef struct garner_allocator {
  void* ctx;
  void* (*allocate)(void* ctx, size_t bytes, size_t alignment);
  void (*release)(void* ctx, void* pointer, size_t bytes, size_t alignment);
} garner_allocator;

enum { GARNER_JIT_AUTO = 0, GARNER_JIT_OFF = 1 };
enum { GARNER_ISA_AUTO = 0, GARNER_ISA_SCALAR = 1, GARNER_ISA_AVX2 = 2, GARNER_ISA_AVX512 = 3 };
enum { GARNER_PATH_AUTO = 0, GARNER_PATH_COPY = 1, GARNER_PATH_JIT = 2, GARNER_PATH_SCALAR = 3 };
enum { GARNER_BODY_AUTO = 0, GARNER_BODY_TABLE = 1, GARNER_BODY_LOADS = 2, GARNER_BODY_HARDWARE = 3 };
enum { GARNER_CALIBRATION_ON = 0, GARNER_CALIBRATION_OFF = 1 };
enum { /* garner_context_options.disable, a set of bits */
  GARNER_DISABLE_TABLE = 1 << 0,
  GARNER_DISABLE_HARDWARE = 1 << 1,
  GARNER_DISABLE_ROWS = 1 << 2, /* detecting rows of one repeated index */
  GARNER_DISABLE_RUNS = 1 << 3, /* detecting runs of consecutive slices */
  GARNER_DISABLE_PREFETCH = 1 << 4,
  GARNER_DISABLE_NT = 1 << 5, /* non-temporal stores */
  GARNER_DISABLE_FOLDING = 1 << 6,
  GARNER_DISABLE_THREADS = 1 << 7,
  GARNER_DISABLE_SLICES = 1 << 8 /* emitted kernels for short slices on the copy path */
};

/* Receives one line of text without a newline; may be called from any thread that uses the context. */
typedef void (*garner_log_fn)(void* ctx, const char* text);

/* Every 0 or NULL, and -1 for min_shard_bytes, means: the environment variable named beside it, else the default. An option
 * wins over a variable. */
typedef struct garner_context_options {
  uint32_t struct_size;
  int32_t jit;                     /* GARNER_JIT */
  int32_t max_isa;                 /* GARNER_MAX_ISA */
  int32_t path;                    /* GARNER_PATH: forced; a problem that it cannot take is GARNER_UNSUPPORTED */
  int32_t body;                    /* GARNER_GATHER: forced body of the jit path, where it applies */
  int32_t calibration;             /* off: `loads` wherever it applies, nothing is measured */
  int32_t threads;                 /* GARNER_NUM_THREADS; upper limit for every call */
  uint32_t disable;                /* GARNER_DISABLE; the bits of both are joined */
  int64_t code_cache_bytes;        /* cap of the code cache; 0: 4 MiB */
  int64_t llc_bytes;               /* GARNER_LLC_BYTES: size of the last-level cache */
  int64_t min_shard_bytes;         /* GARNER_MIN_SHARD: smallest work worth a thread of its own; -1: unset */
  const garner_allocator* allocator; /* copied; NULL: malloc and free */
  const garner_executor* executor;   /* copied; NULL: see garner_args.executor */
  garner_log_fn log;               /* GARNER_VERBOSE; NULL: silence */
  void* log_ctx;
  int32_t verbose;                 /* GARNER_VERBOSE: 1 plans, 2 also executions; warnings are always sent to log */
  int32_t reserved;                /* 0 */
} garner_context_options;
#define GARNER_CONTEXT_OPTIONS_INIT \
  {(uint32_t)sizeof(garner_context_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, NULL, NULL, NULL, NULL, 0, 0}

/* options may be NULL. Reads the environment once (secure_getenv); an unknown value there is reported through log and
 * ignored. *context is NULL on failure. */
GARNER_API garner_status garner_context_create(const garner_context_options* options, garner_context** context,
                                               garner_error* error) GARNER_NOEXCEPT;
/* Gives up the caller's reference; plans keep theirs. NULL is allowed. */
GARNER_API void garner_context_destroy(garner_context* context) GARNER_NOEXCEPT;
/* Calibrates and emits now what plans for such operands would need, so that their first call does not. context NULL: the
 * default one. K: indices.shape[-1], 1 for GatherElements. Where no JIT can run: GARNER_OK, nothing to do. */
GARNER_API garner_status garner_context_prepare(garner_context* context, const garner_op* op, garner_dtype dtype,
                                                int64_t element_bytes, garner_dtype index_dtype, int32_t K,
                                                garner_error* error) GARNER_NOEXCEPT;
/* Shrinks the code cache to at most `bytes`; code that plans use stays with them. context NULL: the default one. */
GARNER_API garner_status garner_context_trim(garner_context* context, int64_t bytes) GARNER_NOEXCEPT;

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* Immutable; executed by any number of threads at once. */
typedef struct garner_plan garner_plan;

/* Checks everything but buffers and index values and chooses path and kernel. context NULL: a process-wide default made on
 * first need. output NULL: dense, of the inferred shape. About a microsecond when the kernel is in the code cache.
 * *plan is NULL on failure. */
GARNER_API garner_status garner_plan_create(garner_context* context, const garner_op* op, const garner_tensor* data,
                                            const garner_tensor* indices, const garner_tensor* output, garner_plan** plan,
                                            garner_error* error) GARNER_NOEXCEPT;
/* Executes. Allocates nothing and takes no lock with one effective thread. On GARNER_OUT_OF_BOUNDS what the output holds is
 * unspecified, but nothing outside it was written and nothing outside data and indices was read. */
GARNER_API garner_status garner_plan_execute(const garner_plan* plan, const garner_args* args,
                                             garner_error* error) GARNER_NOEXCEPT;
/* Writes `key=value` lines, NUL-terminated and cut to capacity; *needed (may be NULL) receives the full size including
 * the NUL. text may be NULL when capacity is 0. The keys are listed in docs/api.md. max_threads as in garner_args. */
GARNER_API garner_status garner_plan_describe(const garner_plan* plan, int32_t max_threads, char* text, size_t capacity,
                                              size_t* needed) GARNER_NOEXCEPT;
/* NULL is allowed. Destroying a plan while it executes is the caller's error. */
GARNER_API void garner_plan_destroy(garner_plan* plan) GARNER_NOEXCEPT;

/* Plan and execute in one call, without allocating for the plan. */
GARNER_API garner_status garner_execute(garner_context* context, const garner_op* op, const garner_tensor* data,
                                        const garner_tensor* indices, const garner_tensor* output, const garner_args* args,
                                        garner_error* error) GARNER_NOEXCEPT;

#if defined(__cplusplus)
} /* extern "C" */
#endif

#endif /* GARNER_GARNER_H */
