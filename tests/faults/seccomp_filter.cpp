// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/seccomp_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/child.h"

namespace garner_test {
namespace {

sock_filter load(size_t offset) { return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<uint32_t>(offset)}; }

sock_filter jump(uint32_t value, uint8_t if_true, uint8_t if_false) {
  return {BPF_JMP | BPF_JEQ | BPF_K, if_true, if_false, value};
}

sock_filter answer(uint32_t action) { return {BPF_RET | BPF_K, 0, 0, action}; }

sock_filter failure(int error) { return answer(SECCOMP_RET_ERRNO | static_cast<uint32_t>(error)); }

bool install(std::span<sock_filter> filter) {
  sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

bool refuse_executable_memory(int error) {
  sock_filter filter[] = {
      load(offsetof(seccomp_data, arch)),
      jump(AUDIT_ARCH_X86_64, 0, 7),
      load(offsetof(seccomp_data, nr)),
      jump(SYS_mmap, 2, 0),
      jump(SYS_mprotect, 1, 0),
      jump(SYS_pkey_mprotect, 0, 3),
      load(offsetof(seccomp_data, args[2])),
      {BPF_JMP | BPF_JSET | BPF_K, 0, 1, PROT_EXEC},
      failure(error),
      answer(SECCOMP_RET_ALLOW),
  };
  return install(filter);
}

bool refuse_calls(std::span<const int> numbers, int error) {
  std::vector<sock_filter> filter = {
      load(offsetof(seccomp_data, arch)),
      jump(AUDIT_ARCH_X86_64, 1, 0),
      answer(SECCOMP_RET_ALLOW),
      load(offsetof(seccomp_data, nr)),
  };
  for (const int number : numbers) {
    filter.push_back(jump(static_cast<uint32_t>(number), 0, 1));
    filter.push_back(failure(error));
  }
  filter.push_back(answer(SECCOMP_RET_ALLOW));
  return install(filter);
}

bool filters_work() {
  return in_child([]() -> std::string {
           if (!refuse_executable_memory(EPERM)) return "no filter";
           void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
           if (page == MAP_FAILED) return "mmap";
           return mprotect(page, 4096, PROT_READ | PROT_EXEC) == -1 && errno == EPERM ? "" : "not refused";
         }) == "";
}

}  // namespace garner_test
