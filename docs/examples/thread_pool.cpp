// SPDX-License-Identifier: Apache-2.0
// A host with a thread pool of its own: garner runs on the pool's threads and starts none.
//
// Prints:
//   1000000 elements, all right, twice at once
#include <garner/garner.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <queue>
#include <thread>
#include <vector>

namespace {

// garner asks a pool for concurrency() and parallel_for(n, f), perhaps from one of its own threads. Those may all be
// busy, so the caller runs whatever nobody else has begun.
class Pool {
 public:
  explicit Pool(int workers) {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    std::unique_lock<std::mutex> lock(mutex_);
    stopping_ = true;
    lock.unlock();
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  int concurrency() const { return static_cast<int>(threads_.size()) + 1; }  // and the thread that calls
  template <class Function>
  void parallel_for(int n, Function function) {
    const auto job = std::make_shared<Job>(n, function);
    std::unique_lock<std::mutex> lock(mutex_);
    for (int i = 1; i < n; ++i) invitations_.push(job);
    lock.unlock();
    wake_.notify_all();
    job->run();
    while (job->done.load() < n) std::this_thread::yield();
  }

 private:
  struct Job {
    Job(int n, const std::function<void(int)>& f) : function(f), count(n) {}
    void run() {
      for (int i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
        function(i);
        done.fetch_add(1);
      }
    }
    const std::function<void(int)> function;
    const int count;
    std::atomic<int> next{0}, done{0};
  };
  void work() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !invitations_.empty(); });
      if (invitations_.empty()) return;
      const std::shared_ptr<Job> job = invitations_.front();
      invitations_.pop();
      lock.unlock();
      job->run();  // nothing, if it comes too late
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::queue<std::shared_ptr<Job>> invitations_;
  std::vector<std::thread> threads_;
  bool stopping_ = false;
};

}  // namespace

int main() {
  Pool pool(3);
  const garner_executor executor = garner::executor_of(pool);
  garner::ContextOptions options;
  options.executor = &executor;  // copied; garner_args.executor can name another one for a single call
  const garner::Context context(options);
  std::vector<float> data(5000), output(1000000), second(1000000);
  std::vector<int64_t> indices(output.size());
  std::iota(data.begin(), data.end(), 0.0f);
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int64_t>(i * 7919 % data.size());
  const garner::Plan plan(context, garner::gather_nd(), garner::Tensor::of<float>({5000}),
                          garner::Tensor::of<int64_t>({1000000, 1}));
  // As an engine does: its own threads execute plans.
  pool.parallel_for(2, [&](int i) { plan.execute(garner::Args(data, indices, i == 0 ? output : second)); });
  const std::vector<float> expected(indices.begin(), indices.end());  // data[i] is i
  if (output != expected || second != expected) return std::puts("wrong"), 1;
  std::printf("%zu elements, all right, twice at once\n", output.size());
  return 0;
}
