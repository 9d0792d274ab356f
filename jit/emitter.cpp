// SPDX-License-Identifier: Apache-2.0
// The emitting unit: compiled with exceptions, because Xbyak's containers may throw bad_alloc.
#include "jit/emitter.h"

#if GARNER_HAVE_JIT

#include <new>

#include "jit/hardware_body.h"
#include "jit/kernel_list.h"
#include "jit/loads_body.h"
#include "jit/slices_body.h"
#include "jit/table_body.h"
#include "runtime/keep_errno.h"

namespace garner::jit {
namespace {

template <class Generator>
Emission emit_with(const KernelKey& key, void* buffer, size_t capacity) {
  Generator generator(key, buffer, capacity);
  generator.emit();
  if (Xbyak::GetError() == 0 && generator.hasUndefinedLabel()) return {EmitStatus::internal, 0};
  return {Xbyak::GetError() == 0 ? EmitStatus::ok : EmitStatus::internal, generator.getSize()};
}

}  // namespace

Emission emit_kernel(const KernelKey& key, void* buffer, size_t capacity) noexcept {
  if (!key_is_valid(key)) return {EmitStatus::internal, 0};
  const KeepErrno keep;  // Xbyak's containers allocate
  try {
    Xbyak::ClearError();  // Xbyak keeps the first error of the thread, whoever made it
    switch (key.body) {
      case Body::loads: return emit_with<LoadsBody>(key, buffer, capacity);
      case Body::hardware: return emit_with<HardwareBody>(key, buffer, capacity);
      case Body::slices: return emit_with<SlicesBody>(key, buffer, capacity);
      case Body::table: return emit_with<TableBody>(key, buffer, capacity);
    }
    return {EmitStatus::internal, 0};
  } catch (const std::bad_alloc&) {
    return {EmitStatus::out_of_memory, 0};
  } catch (...) {
    return {EmitStatus::internal, 0};
  }
}

}  // namespace garner::jit

#else

namespace garner::jit {

Emission emit_kernel(const KernelKey&, void*, size_t) noexcept { return {EmitStatus::refused, 0}; }

}  // namespace garner::jit

#endif
