// SPDX-License-Identifier: Apache-2.0
// Every call that gets memory fails in turn, in the life of a context: the call that needed it says OUT_OF_MEMORY or does
// without, nothing leaks, errno stays, and the same context works again afterwards.
#include <cerrno>
#include <iostream>

#include "tests/faults/failing_calls.h"
#include "tests/support/catch.h"
#include "tests/support/reference.h"

using namespace garner_test;

namespace {

constexpr int host_errno = 4321;
constexpr int64_t far_too_many = 5000;

// One for each way through the planner: elements, a table, other axes, short rows, slices, slices that scatter.
const std::vector<Problem>& problems() {
  static const std::vector<Problem> result = [] {
    std::vector<int64_t> values(240);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i % 11) - 5;
    return std::vector<Problem>{
        {gather_nd(), arange<float>({900}), indices({240, 1}, values)},
        {gather_nd(), arange<uint8_t>({6}), indices({240, 1}, values)},
        {gather_nd(), arange<double>({9, 7}), indices({120, 2}, values)},
        {gather_elements(0), arange<float>({12, 24}), indices({10, 24}, values)},
        {gather_elements(1), arange<float>({80, 9}), indices({80, 3}, values)},
        {gather_nd(), arange<float>({6, 21}), indices({240, 1}, values)},
        {gather_nd(), arange<uint16_t>({6, 3, 2}), indices({240, 1}, values), Layout::transposed}};
  }();
  return result;
}

struct Answers {
  garner_status created = GARNER_OK, prepared = GARNER_OK, planned = GARNER_OK, executed = GARNER_OK,
                one_call = GARNER_OK;
  bool errno_kept = true;
  bool output_right = true;
  bool works_afterwards = true;
};

// The life of a context with one failing call. The buffers are made before, and looked at after the watch.
class Life {
 public:
  Life(const Route& route, const Problem& problem)
      : options_(options_for(route)), problem_(problem), expected_(reference(problem)) {
    output_.resize(expected_.output.size());
    args_ = arguments(problem, output_);
    args_.max_threads = 1;
    data_ = problem.data.descriptor();
    index_ = problem.indices.descriptor();
  }

  Answers run(Call call, int64_t failing, int error) {
    Answers answers;
    garner_context* context = nullptr;
    garner_plan* plan = nullptr;
    reset_watched();
    {
      const Watch watch(call, failing, error);
      errno = host_errno;
      answers.created = garner_context_create(&options_, &context, nullptr);
      if (context != nullptr) {
        const int32_t depth =
            problem_.op.kind == GARNER_GATHER_ELEMENTS_ONNX ? 1 : static_cast<int32_t>(problem_.indices.shape.back());
        answers.prepared =
            garner_context_prepare(context, &problem_.op, problem_.data.dtype, 0, GARNER_INT64, depth, nullptr);
        answers.planned = garner_plan_create(context, &problem_.op, &data_, &index_, nullptr, &plan, nullptr);
        if (plan != nullptr) answers.executed = garner_plan_execute(plan, &args_, nullptr);
      }
      answers.errno_kept = errno == host_errno;
    }
    if (plan != nullptr && answers.executed == GARNER_OK) answers.output_right = take_output();
    {
      const Watch watch(call, failing, error);  // goes on counting
      errno = host_errno;
      if (context != nullptr) answers.one_call = execute_at_once(context);
      answers.errno_kept = answers.errno_kept && errno == host_errno;
    }
    if (context != nullptr && answers.one_call == GARNER_OK)
      answers.output_right = answers.output_right && take_output();
    {
      const Watch watch;
      if (context != nullptr) {
        const garner_status again = execute_at_once(context);
        answers.works_afterwards = again == GARNER_OK || again == GARNER_UNSUPPORTED;
        refused_afterwards_ = again == GARNER_UNSUPPORTED;
      }
      garner_plan_destroy(plan);
      garner_context_destroy(context);
    }
    if (answers.works_afterwards && context != nullptr && !refused_afterwards_)
      answers.works_afterwards = take_output();
    return answers;
  }

  bool refused_afterwards() const { return refused_afterwards_; }

 private:
  garner_status execute_at_once(garner_context* context) {
    return garner_execute(context, &problem_.op, &data_, &index_, nullptr, &args_, nullptr);
  }
  bool take_output() {
    const bool right = output_ == expected_.output;
    std::fill(output_.begin(), output_.end(), uint8_t{0xEE});
    return right;
  }

  garner_context_options options_;
  const Problem& problem_;
  Expected expected_;
  Bytes output_;
  garner_args args_;
  garner_tensor data_, index_;
  bool refused_afterwards_ = false;
};

// Fails one call of a kind after the other until none is left to fail; returns how many were.
int64_t fail_in_turn(const Route& route, const Problem& problem, Call call, int error) {
  Life life(route, problem);
  // Something may be made once per process: not in the life that counts.
  REQUIRE(life.run(call, -1, 0).created == GARNER_OK);
  if (life.refused_afterwards()) return 0;
  const bool refusal = call == Call::protect && error != ENOMEM;
  // A refusal of executable memory is for good: the forced path cannot be had then.
  const auto acceptable = [&](garner_status status) {
    if (status == GARNER_OK) return true;
    return refusal ? status == GARNER_UNSUPPORTED && route.path == GARNER_PATH_JIT : status == GARNER_OUT_OF_MEMORY;
  };
  int64_t failed = 0;
  for (int64_t failing = 0; failing < far_too_many; ++failing) {
    const Answers answers = life.run(call, failing, error);
    if (!watched().failed) break;
    ++failed;
    CAPTURE(failing, answers.created, answers.prepared, answers.planned, answers.executed, answers.one_call);
    if (!acceptable(answers.created) || !acceptable(answers.prepared) || !acceptable(answers.planned) ||
        !acceptable(answers.executed) || !acceptable(answers.one_call)) {
      FAIL_CHECK("a call failed in a way that its missing memory does not explain");
    }
    if (!answers.output_right) FAIL_CHECK("success with a wrong output");
    if (!answers.errno_kept) FAIL_CHECK("errno was changed");
    if (!answers.works_afterwards) FAIL_CHECK("the context does not work any more");
    if (!refusal && life.refused_afterwards()) FAIL_CHECK("missing memory was taken for a refusal");
    if (watched().held_blocks != 0) FAIL_CHECK(watched().held_blocks << " blocks of memory leaked");
    if (watched().held_mapped_bytes != 0) FAIL_CHECK(watched().held_mapped_bytes << " mapped bytes leaked");
  }
  CHECK(failed < far_too_many);
  return failed;
}

}  // namespace

TEST_CASE("every call that gets memory fails in turn") {
  struct Fault {
    Call call;
    int error;
  };
  for (const Fault& fault : {Fault{Call::allocation, ENOMEM}, Fault{Call::operator_new, ENOMEM},
                             Fault{Call::map, ENOMEM}, Fault{Call::map, EACCES}, Fault{Call::protect, ENOMEM},
                             Fault{Call::protect, EACCES}, Fault{Call::protect, EPERM}}) {
    int64_t failed = 0;
    for (const Route& route : routes()) {
      for (size_t number = 0; number < problems().size(); ++number) {
        INFO(name(fault.call) << " fails with errno " << fault.error << ", route " << name(route) << ", problem "
                              << number);
        failed += fail_in_turn(route, problems()[number], fault.call, fault.error);
      }
    }
    std::cout << "failed points: " << failed << " of " << name(fault.call) << ", errno " << fault.error << std::endl;
    if (fault.call == Call::allocation || GARNER_HAVE_JIT) CHECK(failed > 0);
  }
}

TEST_CASE("the watch sees what the library asks for") {
  // Otherwise the test above could pass because nothing was ever made to fail.
  Life life({GARNER_PATH_JIT, GARNER_BODY_LOADS, GARNER_ISA_AUTO}, problems()[0]);
  for (const Call call : all_calls) {
    if (!GARNER_HAVE_JIT && call != Call::allocation) continue;
    life.run(call, -1, 0);
    if (life.refused_afterwards()) continue;  // no AVX2, or a system without executable memory
    INFO(name(call));
    CHECK(watched().calls > 0);
    CHECK_FALSE(watched().failed);
    CHECK(watched().held_blocks == 0);
    CHECK(watched().held_mapped_bytes == 0);
  }
}
