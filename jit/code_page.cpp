// SPDX-License-Identifier: Apache-2.0
#include "jit/code_page.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "jit/kernel_cache.h"
#include "runtime/keep_errno.h"

namespace garner::jit {

CodePage map_code(const void* code, size_t bytes) {
  const KeepErrno keep;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t mapped = (bytes + page - 1) / page * page;
  CodePage result{MapStatus::out_of_memory, nullptr, 0};
  void* address = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address != MAP_FAILED) {
    std::memcpy(address, code, bytes);
    // int3 behind the code: a stray jump stops instead of running on.
    std::memset(static_cast<char*>(address) + bytes, 0xcc, mapped - bytes);
    if (mprotect(address, mapped, PROT_READ | PROT_EXEC) == 0) {
      result = {MapStatus::ok, address, mapped};
    } else {
      // SELinux, PR_SET_MDWE and seccomp filters answer EACCES or EPERM; ENOMEM is a limit on mappings.
      if (errno != ENOMEM) result.status = MapStatus::refused;
      munmap(address, mapped);
    }
  }
  return result;
}

void unmap_code(void* address, size_t bytes) {
  const KeepErrno keep;
  munmap(address, bytes);
}

bool executable_memory_available() {
  static constexpr unsigned char return_instruction = 0xc3;
  const CodePage page = map_code(&return_instruction, 1);
  if (page.status == MapStatus::ok) unmap_code(page.address, page.bytes);
  return page.status != MapStatus::refused;
}

}  // namespace garner::jit
