// SPDX-License-Identifier: Apache-2.0
// Body::slices: the copy path's slices of up to 256 bytes, checked and copied in one loop. Against resolver and mover, which
// take turns, the checks of the next slices run while those before them wait for the caches.
#pragma once

#include "jit/generator.h"

namespace garner::jit {

class SlicesBody final : public KernelGenerator {
 public:
  SlicesBody(const KernelKey& key, void* buffer, size_t capacity);

 private:
  void fast_block(int positions, const Xbyak::Label& careful) override;
};

}  // namespace garner::jit
