// SPDX-License-Identifier: Apache-2.0
// garner-perf run: an operator on real arrays.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "perf/commands.h"
#include "perf/gather_case.h"
#include "perf/input_error.h"
#include "perf/interrupt.h"
#include "perf/memory.h"
#include "perf/npy.h"
#include "perf/runner.h"

namespace garner::perf {
namespace {

struct RunOptions {
  std::string op;
  std::string data;
  std::string indices;
  std::string output;
  int64_t batch_dims = 0;
  int64_t axis = 0;
  bool axis_given = false;
  bool batch_dims_given = false;
  std::string bounds = "error";
  std::string wrap;
  int32_t threads = 0;
};

garner_op operator_of(const RunOptions& options) {
  const auto known = parse_operator(options.op);
  if (!known) throw InputError(fmt::format("unknown operator '{}'; one of {}", options.op, operator_names()));
  if (known->gather_elements && options.batch_dims_given)
    throw InputError("gatherelements has no --batch-dims; it has --axis");
  if (!known->gather_elements && options.axis_given) throw InputError("gathernd has no --axis; it has --batch-dims");
  garner_op op = GARNER_OP_INIT;
  op.kind = known->kind;
  op.batch_dims = options.batch_dims;
  op.axis = options.axis;
  if (options.bounds == "clamp") op.bounds = GARNER_BOUNDS_CLAMP;
  if (options.bounds == "zero") op.bounds = GARNER_BOUNDS_ZERO;
  if (options.wrap == "on") op.negative = GARNER_NEGATIVE_WRAP;
  if (options.wrap == "off") op.negative = GARNER_NEGATIVE_REJECT;
  return op;
}

int run(const RunOptions& options) {
  const garner_op op = operator_of(options);
  const NpyArray data = read_npy(options.data);
  const NpyArray indices = read_npy(options.indices);
  if (!indices.type.is_integer()) {
    throw InputError(fmt::format("{}: indices must be integers, they are '{}'", options.indices, indices.descr));
  }
  const Tensor data_tensor = data.tensor();
  const Tensor indices_tensor = indices.tensor();
  const Tensor output = inferred_output(op, data_tensor, indices_tensor);
  require_memory(static_cast<double>(output.buffer_bytes()), "the output " + format_shape(output.shape));
  std::vector<std::byte> bytes(to_size(output.buffer_bytes()));

  const Context context({});
  Plan plan;
  garner_error error = GARNER_ERROR_INIT;
  garner_status status = plan.create(context, op, data_tensor, indices_tensor, nullptr, &error);
  if (status == GARNER_OK) {
    garner_args args = GARNER_ARGS_INIT;
    args.max_threads = options.threads;
    args.data = data.bytes.data();
    args.data_bytes = data.bytes.size();
    args.indices = indices.bytes.data();
    args.indices_bytes = indices.bytes.size();
    args.output = bytes.data();
    args.output_bytes = bytes.size();
    status = garner_plan_execute(plan.handle(), &args, &error);
  }
  if (status != GARNER_OK) throw InputError(describe_error(status, error));
  catch_interrupts();  // so that the temporary file does not stay
  write_npy(options.output, data.descr, output.shape, bytes.data(), bytes.size());
  const PlanFacts facts(plan, options.threads);
  fmt::print("{}: {} of '{}', {} path, {}\n", options.output, format_shape(output.shape), data.descr, facts.get("path"),
             facts.get("kernel"));
  return interrupted() ? exit_usage : exit_fine;
}

}  // namespace

Command add_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  app.add_option("op", options->op, operator_names())->required();
  app.add_option("data", options->data, "DATA.npy")->required();
  app.add_option("indices", options->indices, "INDICES.npy")->required();
  app.add_option("-o,--output", options->output, "OUT.npy; appears whole or not at all")->required()->check(not_empty);
  auto* batch_dims =
      app.add_option("--batch-dims", options->batch_dims, "gathernd: leading dims that data and indices share");
  auto* axis = app.add_option("--axis", options->axis, "gatherelements: the axis that an index addresses");
  app.add_option("--bounds", options->bounds, "what an index outside its axis means: error, clamp, zero")
      ->check(CLI::IsMember({"error", "clamp", "zero"}));
  app.add_option("--wrap", options->wrap,
                 "whether negative indices count from the end: on, off; default: as the operator says")
      ->check(CLI::IsMember({"on", "off"}));
  app.add_option("--threads", options->threads, "at most so many threads; 0: no limit")->check(CLI::Range(0, 4096));
  app.footer(
      "Examples:\n"
      "  garner-perf run gathernd table.npy rows.npy -o out.npy\n"
      "  garner-perf run gatherelements --axis 1 --bounds clamp data.npy indices.npy -o out.npy");
  return [options, batch_dims, axis] {
    options->batch_dims_given = batch_dims->count() > 0;
    options->axis_given = axis->count() > 0;
    return run(*options);
  };
}

}  // namespace garner::perf
