// SPDX-License-Identifier: Apache-2.0
#include "perf/onnx_case.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include "perf/input_error.h"
#include "perf/npy.h"

namespace garner::perf {
namespace {

namespace fs = std::filesystem;

constexpr int64_t file_limit = (int64_t{1} << 31) - 1;  // protobuf's own

template <class Message>
Message read_message(const fs::path& path) {
  const std::vector<std::byte> bytes = read_file(path.string(), file_limit);
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw InputError(
        fmt::format("{}: is truncated or not a protobuf of this kind ({} bytes)", path.string(), bytes.size()));
  }
  return message;
}

template <class To, class Values>
void append_all(std::vector<std::byte>& bytes, const Values& values) {
  for (const auto& value : values) {
    const To narrow = static_cast<To>(value);
    const auto* first = reinterpret_cast<const std::byte*>(&narrow);
    bytes.insert(bytes.end(), first, first + sizeof narrow);
  }
}

// The typed fields, of which each serves several element types.
std::vector<std::byte> typed_values(const onnx::TensorProto& tensor) {
  std::vector<std::byte> bytes;
  switch (tensor.data_type()) {
    case GARNER_FLOAT32:
    case GARNER_COMPLEX64: append_all<float>(bytes, tensor.float_data()); break;
    case GARNER_INT32: append_all<int32_t>(bytes, tensor.int32_data()); break;
    case GARNER_INT16:
    case GARNER_UINT16:
    case GARNER_FLOAT16:
    case GARNER_BFLOAT16: append_all<uint16_t>(bytes, tensor.int32_data()); break;
    case GARNER_INT8:
    case GARNER_UINT8:
    case GARNER_BOOL:
    case GARNER_FLOAT8E4M3FN:
    case GARNER_FLOAT8E4M3FNUZ:
    case GARNER_FLOAT8E5M2:
    case GARNER_FLOAT8E5M2FNUZ:
    case GARNER_FLOAT8E8M0: append_all<uint8_t>(bytes, tensor.int32_data()); break;
    case GARNER_INT64: append_all<int64_t>(bytes, tensor.int64_data()); break;
    case GARNER_FLOAT64:
    case GARNER_COMPLEX128: append_all<double>(bytes, tensor.double_data()); break;
    case GARNER_UINT32: append_all<uint32_t>(bytes, tensor.uint64_data()); break;
    case GARNER_UINT64: append_all<uint64_t>(bytes, tensor.uint64_data()); break;
    default: break;
  }
  return bytes;
}

struct LoadedTensor {
  Tensor tensor;
  std::vector<std::byte> bytes;
  std::vector<std::string> strings;
};

LoadedTensor load_tensor(const onnx::TensorProto& proto, const std::string& where) {
  const auto fail = [&](const std::string& why) { throw InputError(fmt::format("{}: {}", where, why)); };
  LoadedTensor loaded;
  Tensor& tensor = loaded.tensor;
  tensor.type = {proto.data_type(), 0};
  if (garner_dtype_bytes(tensor.type.dtype) == 0)
    fail(fmt::format("element type {} is not supported", proto.data_type()));
  for (const int64_t extent : proto.dims()) {
    if (extent < 0) fail(fmt::format("has a negative extent: {}", extent));
    tensor.shape.push_back(extent);
  }
  if (proto.has_segment() || proto.data_location() == onnx::TensorProto::EXTERNAL)
    fail("keeps its values elsewhere, which is not supported");
  const int64_t count = tensor.element_count();
  if (tensor.type.dtype == GARNER_STRING) {
    if (proto.string_data_size() != count)
      fail(fmt::format("has {} strings for the shape {}", proto.string_data_size(), format_shape(tensor.shape)));
    loaded.strings.assign(proto.string_data().begin(), proto.string_data().end());
    return loaded;
  }
  if (proto.has_raw_data()) {
    const auto* first = reinterpret_cast<const std::byte*>(proto.raw_data().data());
    loaded.bytes.assign(first, first + proto.raw_data().size());
  } else {
    loaded.bytes = typed_values(proto);
  }
  if (to_int(loaded.bytes.size()) != tensor.buffer_bytes()) {
    fail(fmt::format("is truncated or has a wrong shape: {} bytes of values, {} of {} need {}", loaded.bytes.size(),
                     format_shape(tensor.shape), garner_dtype_name(tensor.type.dtype), tensor.buffer_bytes()));
  }
  return loaded;
}

std::vector<std::byte> make_views(const std::vector<std::string>& strings, std::deque<std::string>& characters) {
  std::vector<garner_string_view> views;
  for (const std::string& text : strings) {
    const std::string& kept = characters.emplace_back(text);
    views.push_back({kept.data(), kept.size()});
  }
  const auto* first = reinterpret_cast<const std::byte*>(views.data());
  return {first, first + views.size() * sizeof(garner_string_view)};
}

garner_op operator_of_node(const onnx::NodeProto& node) {
  garner_op op = GARNER_OP_INIT;
  op.kind = node.op_type() == "GatherND" ? GARNER_GATHER_ND_ONNX : GARNER_GATHER_ELEMENTS_ONNX;
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() == "batch_dims") op.batch_dims = attribute.i();
    if (attribute.name() == "axis") op.axis = attribute.i();
  }
  return op;
}

GatherCase read_data_set(const fs::path& folder, const onnx::GraphProto& graph) {
  const onnx::NodeProto& node = graph.node(0);
  if (node.input_size() != 2 || node.output_size() != 1)
    throw InputError(fmt::format("{}: the node has not two inputs and one output", folder.string()));
  // Inputs by the name that the node uses: an initializer, or the N-th graph input's file.
  std::map<std::string, LoadedTensor> tensors;
  for (const onnx::TensorProto& tensor : graph.initializer())
    tensors[tensor.name()] = load_tensor(tensor, "initializer " + tensor.name());
  for (int i = 0; i < graph.input_size(); ++i) {
    const fs::path file = folder / fmt::format("input_{}.pb", i);
    if (tensors.count(graph.input(i).name()) != 0 && !fs::exists(file)) continue;
    tensors[graph.input(i).name()] = load_tensor(read_message<onnx::TensorProto>(file), file.string());
  }
  GatherCase result;
  result.op = operator_of_node(node);
  const auto take = [&](int i) -> LoadedTensor& {
    const auto found = tensors.find(node.input(i));
    if (found == tensors.end())
      throw InputError(fmt::format("{}: the input '{}' is nowhere", folder.string(), node.input(i)));
    return found->second;
  };
  const LoadedTensor& data = take(0);
  const LoadedTensor& indices = take(1);
  result.data = data.tensor;
  result.data_bytes =
      data.tensor.type.dtype == GARNER_STRING ? make_views(data.strings, result.characters) : data.bytes;
  result.indices = indices.tensor;
  result.index_bytes = indices.bytes;

  const fs::path file = folder / "output_0.pb";
  LoadedTensor output = load_tensor(read_message<onnx::TensorProto>(file), file.string());
  Expectation expected;
  expected.shape = std::move(output.tensor.shape);
  expected.bytes = std::move(output.bytes);
  expected.strings = std::move(output.strings);
  result.expected = std::move(expected);
  return result;
}

}  // namespace

std::vector<std::string> list_onnx_folders(const std::string& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) throw InputError(fmt::format("{}: is not a folder", directory));
  if (fs::exists(fs::path(directory) / "model.onnx")) return {directory};
  std::vector<std::string> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    if (fs::exists(entry.path() / "model.onnx", error)) folders.push_back(entry.path().string());
  }
  if (folders.empty()) throw InputError(fmt::format("{}: holds no folder with a model.onnx", directory));
  std::sort(folders.begin(), folders.end());
  return folders;
}

OnnxFolder read_onnx_folder(const std::string& path) {
  google::protobuf::SetLogHandler(nullptr);  // it would print what the message of the InputError says
  OnnxFolder result;
  const fs::path folder = fs::path(path).lexically_normal();
  result.name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  try {
    const auto model = read_message<onnx::ModelProto>(folder / "model.onnx");
    const onnx::GraphProto& graph = model.graph();
    if (graph.node_size() == 0) throw InputError(fmt::format("{}: has no node", (folder / "model.onnx").string()));
    const onnx::NodeProto& node = graph.node(0);
    result.operator_name = graph.node_size() == 1 ? node.op_type() : fmt::format("{} nodes", graph.node_size());
    result.ours = graph.node_size() == 1 && (node.domain().empty() || node.domain() == "ai.onnx") &&
                  (node.op_type() == "GatherND" || node.op_type() == "GatherElements");
    if (!result.ours) return result;
    std::vector<fs::path> sets;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().filename().string().rfind("test_data_set_", 0) == 0) sets.push_back(entry.path());
    }
    if (sets.empty()) throw InputError(fmt::format("{}: holds no test_data_set_*", folder.string()));
    std::sort(sets.begin(), sets.end());
    for (const fs::path& set : sets) {
      result.cases.push_back(read_data_set(set, graph));
      result.cases.back().name = fmt::format("{}/{}", result.name, set.filename().string());
    }
  } catch (const InputError& error) {
    result.problem = error.what();
  } catch (const fs::filesystem_error& error) {
    result.problem = error.what();
  }
  return result;
}

}  // namespace garner::perf
