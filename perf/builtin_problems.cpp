// SPDX-License-Identifier: Apache-2.0
#include "perf/builtin_problems.h"

#include <fmt/format.h>

#include <string>

namespace garner::perf {
namespace {

constexpr const char* element_types[] = {"bool", "i8",  "u8",  "i16",  "u16", "i32", "u32", "i64", "u64", "f16", "bf16",
                                         "f32",  "f64", "c64", "c128", "f8",  "str", "x3",  "x7",  "x12", "x33"};
constexpr const char* index_types[] = {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"};
constexpr const char* table_types[] = {"u8", "f16", "f32", "f64", "c128"};

class ProblemList {
 public:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    const std::string text = fmt::format(format, std::forward<Args>(args)...) + fmt::format(":seed={}", ++seed_);
    problems_.push_back(named_problem("", text));
  }
  std::vector<NamedProblem> take() { return std::move(problems_); }

 private:
  std::vector<NamedProblem> problems_;
  int seed_ = 0;
};

void add_types(ProblemList& list) {
  for (const char* type : element_types) {
    list.add("gathernd:{}:300:i64:777x1:negative=0.3", type);
    list.add("gathernd:{}:20x30:i32:333x2:bounds=zero:bad=0.05", type);
    list.add("gathernd:{}:50x9:i64:100x1:pattern=sorted", type);
    list.add("gatherelements:{}:40x50:i64:40x37:axis=1:negative=0.5", type);
    list.add("gatherelements:{}:40x5x6:i32:17x5x6:pattern=rows", type);
    list.add("gathernd@openvino-5:{}:2x3x40:i32:2x3x50x1:batch_dims=2", type);
  }
}

void add_index_types(ProblemList& list) {
  static constexpr const char* shapes[] = {"100", "70x90", "9x10x11", "5x6x7x8", "3x4x5x6x7"};
  for (const char* index : index_types) {
    for (int k = 1; k <= 5; ++k) {
      list.add("gathernd:f32:{}:{}:601x{}:negative=0.2", shapes[k - 1], index, k);
      list.add("gathernd:f32:{}:{}:601x{}:wrap=off", shapes[k - 1], index, k);
      for (const char* bounds : {"error", "clamp", "zero"}) {
        list.add("gathernd:f32:{}:{}:601x{}:negative=0.2:bad=0.02:bounds={}", shapes[k - 1], index, k, bounds);
      }
    }
    list.add("gathernd:u8:200:{}:500x1:negative=0.5", index);  // i8: -128 is legal on an axis of 200
    list.add("gathernd:f64:1000:{}:500x1:bad=0.1:bounds=clamp:wrap=off", index);
    list.add("gatherelements:f16:33x60:{}:33x60:axis=1:bad=0.01", index);
    list.add("gatherelements:f32:60x33:{}:50x30:axis=0:bad=0.1:bounds=zero:negative=0.3", index);
  }
}

void add_tables(ProblemList& list) {
  for (const char* type : table_types) {
    for (const int extent : {1, 2, 4, 7, 8, 16, 31, 32, 64, 128, 256, 257}) {
      list.add("gathernd:{}:{}:i64:1029x1:negative=0.1", type, extent);
    }
    for (const int row : {1, 2, 3, 8, 10, 32, 100}) {
      list.add("gatherelements:{}:60x{}:i64:60x{}:axis=1:negative=0.1", type, row, row);
      list.add("gatherelements:{}:5x60x{}:i32:5x40x{}:axis=1", type, row, row);
      list.add("gatherelements:{}:60x{}:i64:44x{}:axis=0:bad=0.02", type, row, row);
    }
  }
}

void add_slices(ProblemList& list) {
  for (const int bytes : {1,  2,  3,  4,  5,  7,  8,   12,  15,  16,  17,   24,   31,   32,
                          33, 48, 60, 63, 64, 65, 100, 128, 140, 256, 1000, 4096, 20000}) {
    list.add("gathernd:u8:67x{}:i64:300x1:negative=0.2", bytes);
    list.add("gathernd:u8:9x8x{}:i32:70x2:bad=0.05:bounds=zero", bytes);
  }
  for (const char* pattern : {"sequential", "reversed", "sorted", "permutation", "constant", "rows", "diagonal",
                              "zipf-1.1", "local-4", "strided-7"}) {
    list.add("gathernd:f32:64x15:i64:10x50x1:pattern={}", pattern);
    list.add("gathernd:f32:64x64:i64:40x50x2:pattern={}", pattern);
    list.add("gatherelements:f32:4x64x70:i64:4x64x70:axis=1:pattern={}", pattern);
    list.add("gatherelements:f32:4x64x70:i64:4x64x70:axis=-1:pattern={}", pattern);
  }
  list.add("gathernd:f16:8x100000:i64:9x1");
  list.add("gathernd:f32:1000:i64:60001x1");
  list.add("gathernd:f32:64x64:i64:60001x2:bad=0.0001");
}

void add_batches(ProblemList& list) {
  for (const char* op : {"gathernd", "gathernd@openvino-5", "gathernd@openvino-8"}) {
    list.add("{}:f32:1x64x64x32:i64:1x64x64x1x1:batch_dims=3", op);
    list.add("{}:f32:8x32x16:i64:8x1x1:batch_dims=1", op);
    list.add("{}:i32:2x6x7x8:i32:2x16x3:batch_dims=1", op);
    list.add("{}:f32:30x2x100x35:i64:30x2x3x1:batch_dims=2", op);
    list.add("{}:f32:5x6x7:i64:5x6x2x1:batch_dims=2:bad=0.1", op);
    list.add("{}:f32:7x9:i64:7x3x1:batch_dims=1:bounds=clamp:bad=0.2:negative=0.2", op);
  }
}

void add_layouts(ProblemList& list) {
  for (const char* type : {"u8", "f16", "f32", "f64", "c128", "x12"}) {
    list.add("gathernd:{}:40x30:i64:500x2:offset=1", type);
    list.add("gathernd:{}:40x30:i64:500x2:data_strides=1x40", type);
    list.add("gathernd:{}:40x30:i64:500x2:data_strides=-30x-1:indices_strides=1x500", type);
    list.add("gathernd:{}:40x30:i64:500x2:output_strides=3:offset=5", type);
    list.add("gathernd:{}:40x30:i64:500x2:output_strides=-1:indices_strides=-2x1", type);
    list.add("gathernd:{}:40x30:i32:50x1:data_strides=33x1:output_strides=31x1", type);
    list.add("gathernd:{}:40x30:i32:50x1:data_strides=1x40", type);
    list.add("gathernd:{}:4x5x6x7:i32:50x1:data_strides=400x70x8x1:output_strides=300x60x9x1", type);
    list.add("gatherelements:{}:20x30:i64:20x30:axis=1:data_strides=0x1", type);
    list.add("gatherelements:{}:20x30:i64:20x25:axis=0:indices_strides=1x0", type);
    list.add("gatherelements:{}:20x30:i64:20x25:axis=0:indices_strides=25x1:data_strides=40x1:output_strides=50x2",
             type);
    list.add("gatherelements:{}:6x7x8:i16:5x6x7:axis=1:data_strides=-56x8x-1:bad=0.02:bounds=clamp", type);
    list.add("gatherelements:{}:6x7x8:i16:5x6x7:axis=2:output_strides=1x5x30", type);
  }
  list.add("gathernd@openvino-5:f32:3x4x9:i64:3x4x5x1:batch_dims=2:output_strides=7x1");
}

void add_empty(ProblemList& list) {
  list.add("gathernd:f32:2x2:i64:2");               // rank-0 output
  list.add("gathernd:f32:2x0x5:i64:1x1");           // legal index, empty slice
  list.add("gathernd:f32:2x0x5:i64:40x1:bad=0.5");  // bad index, empty slice
  list.add("gathernd:f32:0x3:i64:1x1");             // an empty axis has no legal index
  list.add("gathernd:f32:0x3:i64:1x1:bounds=clamp");
  list.add("gathernd:f32:0x3:i64:1x1:bounds=zero");
  list.add("gathernd:f32:4:i64:0x1");
  list.add("gathernd:f32:0x4:i64:0x3x1:batch_dims=1");
  list.add("gatherelements:f32:0:i64:1");
  list.add("gatherelements:f32:3x4:i64:0x4");
}

void add_wrong(ProblemList& list) {
  list.add("gathernd:f32:scalar:i64:1x1");
  list.add("gathernd:f32:4:i64:scalar");
  list.add("gathernd:f32:4:i64:2x0");                 // K = 0
  list.add("gathernd:f32:4:i64:2x2");                 // K beyond the rank
  list.add("gathernd:f32:4x3:i64:2x1:batch_dims=1");  // batch sizes differ
  list.add("gathernd:f32:4x3:i64:4x1:batch_dims=2");
  list.add("gathernd:f32:4x3:i64:4x1:batch_dims=-1");
  list.add("gatherelements:f32:4x3:i64:4x3:axis=2");
  list.add("gatherelements:f32:4x3:i64:4x3:axis=-3");
  list.add("gatherelements:f32:4x3:i64:4x4:axis=0");  // larger outside the axis
  list.add("gatherelements:f32:4x3:i64:4:axis=0");
  list.add("gathernd:f32:4:f32:4x1");  // no integer type
  list.add("gathernd:f32:4:str:4x1");
  list.add("gathernd:f32:4294967296x4294967296:i64:1x1");              // bytes beyond 64 bits
  list.add("gathernd:f32:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1:i64:1x1");  // rank 17
}

}  // namespace

std::vector<NamedProblem> check_problems() {
  ProblemList list;
  add_types(list);
  add_index_types(list);
  add_tables(list);
  add_slices(list);
  add_batches(list);
  add_layouts(list);
  add_empty(list);
  return list.take();
}

std::vector<NamedProblem> refused_problems() {
  ProblemList list;
  add_wrong(list);
  return list.take();
}

std::vector<NamedProblem> bench_problems() {
  static constexpr struct {
    const char* name;
    const char* text;
  } workloads[] = {
      {"dequantise_16", "gathernd:f32:16:i64:262144x1:seed=18"},
      {"byte_lut_256", "gathernd:u8:256:i64:1048576x1:seed=20"},
      {"table_16KB", "gathernd:f32:4096:i64:262144x1:seed=1"},
      {"table_64x64_k2", "gathernd:f32:64x64:i64:262144x2:seed=5"},
      {"openvino_doc_k3", "gathernd:f32:1000x256x10x15:i64:25x125x3:seed=38"},
      {"openvino5_doc_batch2", "gathernd@openvino-5:f32:30x2x100x35:i32:30x2x3x1:batch_dims=2:seed=39"},
      {"bert_masked_lm", "gathernd:f32:32x512x768:i64:32x76x1:batch_dims=1:pattern=sorted:seed=40"},
      {"embedding_f16_1280", "gathernd:f16:32000x640:i64:512x1:pattern=zipf-1.05:seed=58"},
      {"kv_cache_reorder", "gathernd:f16:8x1024x16x64:i64:8x1:seed=44"},
      {"hitnet_batch3", "gathernd:f32:1x64x64x320:i64:1x64x64x1x1:batch_dims=3:seed=53"},
      {"rtdetr_topk_rows", "gatherelements:f32:1x8400x80:i64:1x300x80:axis=1:pattern=rows:seed=45"},
      {"deberta_relative", "gatherelements:f32:12x256x512:i64:12x256x256:axis=2:pattern=diagonal:seed=59"},
      {"rows_of_32", "gatherelements:f32:32768x32:i64:32768x32:axis=1:seed=48"},
  };
  std::vector<NamedProblem> problems;
  for (const auto& workload : workloads) problems.push_back(named_problem(workload.name, workload.text));
  return problems;
}

std::vector<NamedProblem> problems_of(const std::vector<std::string>& texts, const std::vector<std::string>& files) {
  std::vector<NamedProblem> problems;
  for (const std::string& file : files) {
    for (NamedProblem& problem : read_problem_file(file)) problems.push_back(std::move(problem));
  }
  for (const std::string& text : texts) problems.push_back(named_problem("", text));
  return problems.empty() ? bench_problems() : problems;
}

}  // namespace garner::perf
