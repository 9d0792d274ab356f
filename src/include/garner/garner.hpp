// SPDX-License-Identifier: Apache-2.0
// The C API of garner/garner.h for C++17: header only, nothing but forwarding, so it costs what the C calls cost.
//
// - Context and Plan own their C objects and can be moved, not copied. Everything else is a value.
// - Buffers are a pointer and a count of elements, or anything with data() and size().
// - Each call that can fail exists twice. With an Error& as last argument it returns a status or an empty object and is
//   noexcept. Without one it throws garner::Exception; in units without exceptions that form is not there.
#pragma once

#include <garner/garner.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

#if defined(__cpp_exceptions) && !defined(GARNER_NO_EXCEPTIONS)
#define GARNER_HAS_EXCEPTIONS 1
#else
#define GARNER_HAS_EXCEPTIONS 0
#endif

namespace garner {
// Keeps the symbols of hosts apart from the library's own, which share a program when it is linked statically.
inline namespace cpp {

// Why a call failed; position to extent are set for GARNER_OUT_OF_BOUNDS.
struct Error : garner_error {
  Error() noexcept : garner_error GARNER_ERROR_INIT {}
  explicit operator bool() const noexcept { return status != GARNER_OK; }
};

class Exception : public std::exception {
 public:
  explicit Exception(const Error& error) noexcept : error_(error) {}
  const char* what() const noexcept override { return error_.text; }
  garner_status status() const noexcept { return error_.status; }
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

// ---- Types and shapes

// The garner_dtype of a C++ type. Specialise it for a host's own float16 and the like.
template <class T, class = void>
struct DtypeOf;
template <>
struct DtypeOf<float> : std::integral_constant<garner_dtype, GARNER_FLOAT32> {};
template <>
struct DtypeOf<double> : std::integral_constant<garner_dtype, GARNER_FLOAT64> {};
template <>
struct DtypeOf<bool> : std::integral_constant<garner_dtype, GARNER_BOOL> {};
template <>
struct DtypeOf<garner_string_view> : std::integral_constant<garner_dtype, GARNER_STRING> {};
template <class T>
struct DtypeOf<T, std::enable_if_t<std::is_integral_v<T>>>
    : std::integral_constant<garner_dtype, sizeof(T) == 1   ? (std::is_signed_v<T> ? GARNER_INT8 : GARNER_UINT8)
                                           : sizeof(T) == 2 ? (std::is_signed_v<T> ? GARNER_INT16 : GARNER_UINT16)
                                           : sizeof(T) == 4 ? (std::is_signed_v<T> ? GARNER_INT32 : GARNER_UINT32)
                                                            : (std::is_signed_v<T> ? GARNER_INT64 : GARNER_UINT64)> {};
template <class T>
inline constexpr garner_dtype dtype_of = DtypeOf<std::remove_cv_t<T>>::value;

// Up to GARNER_MAX_RANK extents, or as many strides. Of more only the number is kept, for the library to refuse.
class Shape {
 public:
  Shape() noexcept = default;
  Shape(std::initializer_list<int64_t> extents) noexcept : Shape(extents.begin(), extents.size()) {}
  Shape(const int64_t* extents, size_t rank) noexcept : rank_(rank < too_many ? static_cast<int32_t>(rank) : too_many) {
    for (size_t i = 0; i < rank && i < GARNER_MAX_RANK; ++i) extents_[i] = extents[i];
  }

  int32_t rank() const noexcept { return rank_; }
  size_t size() const noexcept { return static_cast<size_t>(rank_); }
  const int64_t* data() const noexcept { return extents_; }
  const int64_t* begin() const noexcept { return extents_; }
  const int64_t* end() const noexcept { return extents_ + (rank_ < GARNER_MAX_RANK ? rank_ : GARNER_MAX_RANK); }
  int64_t operator[](size_t dim) const noexcept { return extents_[dim]; }
  // Elements of a tensor of this shape; 1 for rank 0. For shapes that the library has accepted.
  int64_t count() const noexcept {
    int64_t product = 1;
    for (const int64_t extent : *this) product *= extent;
    return product;
  }
  friend bool operator==(const Shape& a, const Shape& b) noexcept {
    if (a.rank_ != b.rank_) return false;
    for (const int64_t *left = a.begin(), *right = b.begin(); left != a.end(); ++left, ++right) {
      if (*left != *right) return false;
    }
    return true;
  }
  friend bool operator!=(const Shape& a, const Shape& b) noexcept { return !(a == b); }

 private:
  friend Shape infer_shape(const garner_op&, const class Tensor&, const class Tensor&, Error&) noexcept;
  static constexpr int32_t too_many = GARNER_MAX_RANK + 1;
  int64_t extents_[GARNER_MAX_RANK] = {};
  int32_t rank_ = 0;
};

// Describes a tensor; holds no buffer. Layout and element size can be given: Tensor(dtype, shape).strides({1, 4}).
class Tensor {
 public:
  Tensor(garner_dtype dtype, const Shape& shape) noexcept : dtype_(dtype), shape_(shape) {}
  template <class T>
  static Tensor of(const Shape& shape) noexcept {
    return Tensor(dtype_of<T>, shape);
  }
  // Elements of any size, moved as they are.
  static Tensor opaque(int64_t element_bytes, const Shape& shape) noexcept {
    return Tensor(GARNER_OPAQUE, shape).element_bytes(element_bytes);
  }

  Tensor& strides(const Shape& elements) noexcept { return strides_ = elements, is_strided_ = true, *this; }
  Tensor& byte_offset(int64_t bytes) noexcept { return byte_offset_ = bytes, *this; }
  Tensor& element_bytes(int64_t bytes) noexcept { return element_bytes_ = bytes, *this; }

  const Shape& shape() const noexcept { return shape_; }
  // Points into this object. Strides of another rank than the shape's make a rank that the library refuses.
  garner_tensor c_tensor() const noexcept {
    const bool fits = !is_strided_ || strides_.rank() == shape_.rank();
    return {static_cast<uint32_t>(sizeof(garner_tensor)),
            dtype_,
            element_bytes_,
            fits ? shape_.rank() : -1,
            0,
            shape_.data(),
            is_strided_ ? strides_.data() : nullptr,
            byte_offset_};
  }

 private:
  garner_dtype dtype_;
  int64_t element_bytes_ = 0;
  Shape shape_, strides_;
  bool is_strided_ = false;
  int64_t byte_offset_ = 0;
};

// ---- Operators

enum class Bounds : int32_t { error = GARNER_BOUNDS_ERROR, clamp = GARNER_BOUNDS_CLAMP, zero = GARNER_BOUNDS_ZERO };
enum class Negative : int32_t {
  by_operator = GARNER_NEGATIVE_DEFAULT,
  wrap = GARNER_NEGATIVE_WRAP,
  reject = GARNER_NEGATIVE_REJECT
};

inline garner_op make_op(int32_t kind, int64_t batch_dims, int64_t axis, Bounds bounds, Negative negative) noexcept {
  return {static_cast<uint32_t>(sizeof(garner_op)),
          kind,
          batch_dims,
          axis,
          static_cast<int32_t>(bounds),
          static_cast<int32_t>(negative)};
}
inline garner_op gather_nd(int64_t batch_dims = 0, Bounds bounds = Bounds::error,
                           Negative negative = Negative::by_operator) noexcept {
  return make_op(GARNER_GATHER_ND_ONNX, batch_dims, 0, bounds, negative);
}
inline garner_op openvino_gather_nd_5(int64_t batch_dims = 0, Bounds bounds = Bounds::error,
                                      Negative negative = Negative::by_operator) noexcept {
  return make_op(GARNER_GATHER_ND_OPENVINO_5, batch_dims, 0, bounds, negative);
}
inline garner_op openvino_gather_nd_8(int64_t batch_dims = 0, Bounds bounds = Bounds::error,
                                      Negative negative = Negative::by_operator) noexcept {
  return make_op(GARNER_GATHER_ND_OPENVINO_8, batch_dims, 0, bounds, negative);
}
inline garner_op gather_elements(int64_t axis = 0, Bounds bounds = Bounds::error,
                                 Negative negative = Negative::by_operator) noexcept {
  return make_op(GARNER_GATHER_ELEMENTS_ONNX, 0, axis, bounds, negative);
}

// ---- Buffers and threads

// The buffers of one execution and what goes with them.
struct Args : garner_args {
  Args() noexcept : garner_args GARNER_ARGS_INIT {}
  // Pointers and counts of elements; what the elements are is the plan's business.
  template <class Data, class Index, class Output>
  Args(const Data* data_begin, size_t data_count, const Index* indices_begin, size_t indices_count,
       Output* output_begin, size_t output_count) noexcept
      : Args() {
    data = data_begin, data_bytes = data_count * sizeof(Data);
    indices = indices_begin, indices_bytes = indices_count * sizeof(Index);
    output = output_begin, output_bytes = output_count * sizeof(Output);
  }
  // Vectors, arrays and spans.
  template <class Data, class Indices, class Output>
  Args(const Data& from, const Indices& at, Output&& to) noexcept
      : Args(std::data(from), std::size(from), std::data(at), std::size(at), std::data(to), std::size(to)) {}

  Args& with_threads(int32_t most) noexcept { return max_threads = most, *this; }
  // Not copied: must outlive the execution.
  Args& with_executor(const garner_executor& threads) noexcept { return executor = &threads, *this; }
  Args& with_copy(garner_copy_fn function, void* ctx) noexcept { return copy = function, copy_ctx = ctx, *this; }
};

// Lends a thread pool that has int concurrency() and void parallel_for(int n, F f), which calls f(0) .. f(n - 1) and waits
// for them. The pool must outlive every use; an exception that leaves it ends the process.
template <class Pool>
garner_executor executor_of(Pool& pool) noexcept {
  return {static_cast<uint32_t>(sizeof(garner_executor)), 0, &pool,
          [](void* ctx) noexcept { return static_cast<int32_t>(static_cast<Pool*>(ctx)->concurrency()); },
          [](void* ctx, int32_t n, void (*function)(void*, int32_t), void* arg) noexcept {
            static_cast<Pool*>(ctx)->parallel_for(n, [function, arg](int32_t i) { function(arg, i); });
          }};
}

// ---- Contexts

namespace detail {
#if GARNER_HAS_EXCEPTIONS
inline void check(const Error& error) {
  if (error) throw Exception(error);
}
#endif
}  // namespace detail

struct ContextOptions : garner_context_options {
  ContextOptions() noexcept : garner_context_options GARNER_CONTEXT_OPTIONS_INIT {}
};

// An empty one stands for the default context of the process.
class Context {
 public:
  Context() noexcept = default;
  Context(Context&& other) noexcept : context_(std::exchange(other.context_, nullptr)) {}
  Context& operator=(Context&& other) noexcept { return std::swap(context_, other.context_), *this; }
  ~Context() { garner_context_destroy(context_); }

  static Context create(const garner_context_options& options, Error& error) noexcept {
    Context made;
    garner_context_create(&options, &made.context_, &error);
    return made;
  }
  garner_status prepare(const garner_op& op, garner_dtype dtype, garner_dtype index_dtype, int32_t coordinates,
                        int64_t element_bytes, Error& error) const noexcept {
    return garner_context_prepare(context_, &op, dtype, element_bytes, index_dtype, coordinates, &error);
  }
  garner_status trim(int64_t bytes) const noexcept { return garner_context_trim(context_, bytes); }
  garner_context* get() const noexcept { return context_; }
  explicit operator bool() const noexcept { return context_ != nullptr; }

#if GARNER_HAS_EXCEPTIONS
  explicit Context(const garner_context_options& options) {
    Error error;
    garner_context_create(&options, &context_, &error);
    detail::check(error);
  }
  void prepare(const garner_op& op, garner_dtype dtype, garner_dtype index_dtype, int32_t coordinates,
               int64_t element_bytes = 0) const {
    Error error;
    prepare(op, dtype, index_dtype, coordinates, element_bytes, error);
    detail::check(error);
  }
#endif

 private:
  garner_context* context_ = nullptr;
};

// ---- Shapes, plans, execution

// Rank 0 on failure; ask the error, as rank 0 is also a shape.
inline Shape infer_shape(const garner_op& op, const Tensor& data, const Tensor& indices, Error& error) noexcept {
  Shape shape;
  const garner_tensor from = data.c_tensor(), at = indices.c_tensor();
  if (garner_infer_shape(&op, &from, &at, shape.extents_, GARNER_MAX_RANK, &shape.rank_, &error) != GARNER_OK)
    return {};
  return shape;
}

// What to gather, worked out once; executed by any number of threads at once.
class Plan {
 public:
  Plan() noexcept = default;
  Plan(Plan&& other) noexcept : plan_(std::exchange(other.plan_, nullptr)) {}
  Plan& operator=(Plan&& other) noexcept { return std::swap(plan_, other.plan_), *this; }
  ~Plan() { garner_plan_destroy(plan_); }

  // Empty on failure. Without `output` the output is dense.
  static Plan create(const Context& context, const garner_op& op, const Tensor& data, const Tensor& indices,
                     const Tensor* output, Error& error) noexcept {
    Plan made;
    const garner_tensor from = data.c_tensor(), at = indices.c_tensor();
    const garner_tensor to = output != nullptr ? output->c_tensor() : garner_tensor GARNER_TENSOR_INIT;
    garner_plan_create(context.get(), &op, &from, &at, output != nullptr ? &to : nullptr, &made.plan_, &error);
    return made;
  }
  static Plan create(const garner_op& op, const Tensor& data, const Tensor& indices, Error& error) noexcept {
    return create(Context(), op, data, indices, nullptr, error);
  }
  garner_status execute(const garner_args& args, Error& error) const noexcept {
    return garner_plan_execute(plan_, &args, &error);
  }
  // key=value lines; empty without a plan.
  std::string describe(int32_t max_threads = 0) const {
    size_t needed = 0;
    garner_plan_describe(plan_, max_threads, nullptr, 0, &needed);
    std::string text(needed, '\0');
    if (needed == 0) return text;
    garner_plan_describe(plan_, max_threads, &text[0], needed, nullptr);
    text.pop_back();  // the NUL
    return text;
  }
  garner_plan* get() const noexcept { return plan_; }
  garner_plan* release() noexcept { return std::exchange(plan_, nullptr); }
  explicit operator bool() const noexcept { return plan_ != nullptr; }

#if GARNER_HAS_EXCEPTIONS
  Plan(const Context& context, const garner_op& op, const Tensor& data, const Tensor& indices,
       const Tensor* output = nullptr) {
    Error error;
    *this = create(context, op, data, indices, output, error);
    detail::check(error);
  }
  Plan(const garner_op& op, const Tensor& data, const Tensor& indices) : Plan(Context(), op, data, indices) {}
  void execute(const garner_args& args) const {
    Error error;
    execute(args, error);
    detail::check(error);
  }
#endif

 private:
  garner_plan* plan_ = nullptr;
};

// Plan and execute in one call, without allocating for the plan: for shapes that change from call to call.
inline garner_status execute(const Context& context, const garner_op& op, const Tensor& data, const Tensor& indices,
                             const garner_args& args, Error& error) noexcept {
  const garner_tensor from = data.c_tensor(), at = indices.c_tensor();
  return garner_execute(context.get(), &op, &from, &at, nullptr, &args, &error);
}

#if GARNER_HAS_EXCEPTIONS
inline Shape infer_shape(const garner_op& op, const Tensor& data, const Tensor& indices) {
  Error error;
  const Shape shape = infer_shape(op, data, indices, error);
  detail::check(error);
  return shape;
}
inline void execute(const Context& context, const garner_op& op, const Tensor& data, const Tensor& indices,
                    const garner_args& args) {
  Error error;
  execute(context, op, data, indices, args, error);
  detail::check(error);
}
#endif

}  // namespace cpp
}  // namespace garner
