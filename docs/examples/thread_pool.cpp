// SPDX-License-Identifier: Apache-2.0
// A host with a thread pool of its own: garner runs on the pool's threads and starts none.
//
// Prints:
//   1000000 elements, all right; the pool's threads took part
#include <garner/garner.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace {

// Any pool will do. garner asks it for two things: concurrency() and parallel_for(n, f).
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

  // The workers and the thread that calls parallel_for.
  int concurrency() const { return static_cast<int>(threads_.size()) + 1; }

  template <class Function>
  void parallel_for(int n, Function function) {
    std::atomic<int> left{n - 1};
    std::unique_lock<std::mutex> lock(mutex_);
    for (int i = 1; i < n; ++i) {
      tasks_.push([&function, &left, this, i] {
        function(i);
        tasks_run_.fetch_add(1);
        left.fetch_sub(1);
      });
    }
    lock.unlock();
    wake_.notify_all();
    function(0);
    while (left.load() > 0) std::this_thread::yield();
  }
  int tasks_run() const { return tasks_run_.load(); }

 private:
  void work() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const auto task = std::move(tasks_.front());
      tasks_.pop();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::queue<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::atomic<int> tasks_run_{0};
  bool stopping_ = false;
};

}  // namespace

int main() {
  Pool pool(3);
  const garner_executor executor = garner::executor_of(pool);
  garner::ContextOptions options;
  options.executor = &executor;  // copied; garner_args.executor can name another one for a single call
  const garner::Context context(options);

  std::vector<float> data(5000), output(1000000);
  std::vector<int64_t> indices(output.size());
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int64_t>(i * 7919 % data.size());

  const garner::Plan plan(context, garner::gather_nd(), garner::Tensor::of<float>({5000}),
                          garner::Tensor::of<int64_t>({1000000, 1}));
  plan.execute(garner::Args(data, indices, output));
  for (size_t i = 0; i < output.size(); ++i) {
    if (output[i] != static_cast<float>(indices[i])) return std::printf("wrong at %zu\n", i), 1;
  }
  std::printf("%zu elements, all right; the pool's threads %s\n", output.size(),
              pool.tasks_run() > 0 ? "took part" : "were not asked");
  return 0;
}
