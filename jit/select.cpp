// SPDX-License-Identifier: Apache-2.0
#include "jit/select.h"

#include <algorithm>
#include <bit>

#include "jit/calibration.h"
#include "jit/kernel_list.h"

namespace garner::jit {
namespace {

constexpr bool compiled_in = GARNER_HAVE_JIT != 0;

// Rows below this many positions are folded: a block would not fit into them.
constexpr int64_t folded_columns = 8;

const Dim* innermost(const GatherProblem& problem) {
  return problem.dim_count > 0 ? &problem.dims[problem.dim_count - 1] : nullptr;
}

bool tuples_are_dense(const GatherProblem& problem) {
  const int64_t index_size = index_bytes(problem.index_type);
  for (int k = 1; k < problem.coord_count; ++k) {
    if (problem.coords[k].index_stride != k * index_size) return false;
  }
  const Dim* inner = innermost(problem);
  return inner == nullptr ||
         (inner->index_stride == problem.coord_count * index_size && inner->output_stride == problem.run_bytes);
}

bool folds(const GatherProblem& problem) {
  if (problem.dim_count < 2) return false;
  const Dim& inner = problem.dims[problem.dim_count - 1];
  const Dim& outer = problem.dims[problem.dim_count - 2];
  return inner.extent < folded_columns && inner.extent * outer.extent >= 2 * folded_columns &&
         outer.index_stride == inner.extent * inner.index_stride &&
         outer.output_stride == inner.extent * inner.output_stride;
}

Lanes lanes_of(const GatherProblem& problem, bool allow_folding) {
  if (!tuples_are_dense(problem)) return Lanes::strided;
  const Dim* inner = innermost(problem);
  if (inner == nullptr) return Lanes::flat;
  if (allow_folding && folds(problem)) return Lanes::folded;
  if (inner->data_stride == 0) return Lanes::flat;
  return inner->data_stride == problem.run_bytes ? Lanes::unit : Lanes::step;
}

bool fits_int32(int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }

// What every body's key says about a problem.
void fill_key(const GatherProblem& problem, Isa isa, bool allow_folding, KernelKey& key) {
  key.isa = isa;
  key.lanes = lanes_of(problem, allow_folding);
  key.index_type = problem.index_type;
  key.bounds = problem.bounds;
  // Unsigned types have no negatives: one kernel serves both rules.
  key.negative = index_is_signed(problem.index_type) ? problem.negative : Negative::wrap;
  key.element_bytes = static_cast<uint16_t>(problem.run_bytes);
  key.coord_count = static_cast<uint8_t>(problem.coord_count);
}

// What HardwareBody takes for granted about the factors of its products.
bool products_fit(const GatherProblem& problem, const KernelKey& key) {
  for (int k = 0; k < problem.coord_count; ++k) {
    const bool unit = key.unit_coord && k == problem.coord_count - 1;
    if (!unit && (!fits_int32(problem.coords[k].extent) || !fits_int32(problem.coords[k].data_stride))) return false;
  }
  return true;
}

// The smallest number of registers, a power of two, that holds the table; 0 when none does.
int registers_for_table(int64_t extent, const KernelKey& key) {
  const int64_t lanes = table_lanes(key);
  for (int registers = 1; registers <= table_max_registers(key); registers *= 2) {
    if (extent <= registers * lanes) return registers;
  }
  return 0;
}

int64_t columns_of(const GatherProblem& problem) { return problem.dim_count > 0 ? innermost(problem)->extent : 1; }

// A table is cut into planes once per row, 16 elements at a time or, if there are fewer, byte by byte. Measured: that pays for rows as
// long as the table has bytes, four times as long where they are taken singly, and a block at least.
bool planes_pay(const GatherProblem& problem, int element_bytes) {
  const auto extent = static_cast<uint64_t>(problem.coords[0].extent);
  const uint64_t cost = extent < 16 ? 4 * extent : std::bit_ceil(extent);
  const auto columns = static_cast<uint64_t>(columns_of(problem));
  constexpr uint64_t block = 32;
  return columns >= block && columns >= static_cast<uint64_t>(element_bytes) * cost;
}

// Bytes and words are looked up in planes of bytes. Dwords as well, unless two of vpermd's registers hold the table, or four do and the
// rows are short.
bool looks_up_planes(const GatherProblem& problem, const KernelKey& key) {
  if (key.isa != Isa::avx2 || key.element_bytes > 4) return false;
  const int64_t extent = problem.coords[0].extent;
  return key.element_bytes < 4 || extent > 32 || (extent > 16 && planes_pay(problem, key.element_bytes));
}

// Loading the table is done once per row and must be earned back by the row.
bool table_pays(const GatherProblem& problem, const KernelKey& key) {
  const int64_t columns = columns_of(problem);
  if (key.byte_planes > 0) return planes_pay(problem, key.element_bytes);
  if (key.lanes == Lanes::unit) return columns >= block_positions(key);
  if (key.isa == Isa::avx512) return columns >= block_positions(key) && columns >= 8 * key.table_registers;
  // Rows of 8 dwords are half a block, which is a whole vector.
  return columns >= 8 && columns >= 4 * key.table_registers;
}

// A few rows side by side, each column choosing among its own elements.
const char* try_column_tables(const GatherProblem& problem, KernelKey& key) {
  const int64_t rows = problem.coords[0].extent;
  if (!has_column_tables(key.isa, key.element_bytes)) return "table: not for columns of this width";
  if (rows > most_table_rows) return "table: more rows than a column chooses from";
  key.table_registers = static_cast<uint8_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(rows, 1))));
  return key_is_valid(key) ? nullptr : "table: not for these indices";
}

const char* try_table(const GatherProblem& problem, const Preferences& preferences, KernelKey& key) {
  if (key.lanes == Lanes::unit && key.coord_count == 1) return try_column_tables(problem, key);
  if (key.lanes != Lanes::flat || key.coord_count != 1 || !key.unit_coord) {
    return "table: needs one dense coordinate and rows that share one table";
  }
  if (key.isa == Isa::avx512 && key.element_bytes == 1 && !preferences.vbmi) return "table: bytes need AVX-512 VBMI";
  if (looks_up_planes(problem, key)) key.byte_planes = static_cast<uint8_t>(key.element_bytes);
  key.table_registers = static_cast<uint8_t>(registers_for_table(problem.coords[0].extent, key));
  if (key.table_registers == 0) return "table: too large for registers";
  if (!key_is_valid(key)) return "table: not for these indices";
  return nullptr;
}

const char* try_hardware(const GatherProblem& problem, KernelKey& key) {
  if (key.element_bytes != 4 && key.element_bytes != 8) return "hardware: vpgather takes 4- and 8-byte elements only";
  if (key.lanes == Lanes::strided || key.lanes == Lanes::folded)
    return "hardware: needs dense rows of at least 8 positions";
  if (!products_fit(problem, key)) return "hardware: an extent or stride exceeds 32 bits";
  key.narrow_address = key.element_bytes == 4 && key.coord_count == 1 && key.unit_coord && key.lanes == Lanes::flat &&
                       index_bytes(key.index_type) <= 4 && fits_int32(problem.coords[0].extent);
  return nullptr;
}

// Bytes that index values can reach.
int64_t addressed_bytes(const GatherProblem& problem) {
  int64_t bytes = problem.run_bytes;
  for (int k = 0; k < problem.coord_count; ++k) {
    const int64_t stride = problem.coords[k].data_stride;
    bytes += (problem.coords[k].extent - 1) * (stride < 0 ? -stride : stride);
  }
  return bytes;
}

// Several coordinates, long rows, and a table that lies well beyond L2.
bool is_far(const GatherProblem& problem, const Preferences& preferences, const KernelKey& key) {
  if (!preferences.allow_prefetch || key.coord_count < 2) return false;
  if (key.lanes != Lanes::flat && key.lanes != Lanes::unit) return false;
  return columns_of(problem) >= far_positions && addressed_bytes(problem) > 4 * preferences.l2_bytes;
}

void use_loads(const GatherProblem& problem, const Preferences& preferences, KernelKey& key) {
  key.body = Body::loads;
  key.detect_rows = 1;
  // Detection looks at whole blocks of one row.
  if (!preferences.detect_rows || !key_is_valid(key) || innermost(problem)->extent < block_positions(key)) {
    key.detect_rows = 0;
  }
  key.far = is_far(problem, preferences, key);
}

const char* nothing_may_be_emitted(const Preferences& preferences) {
  if constexpr (!compiled_in) return "the JIT is not compiled in";
  return preferences.isa == Isa::scalar ? "the CPU or max_isa gives no AVX2" : nullptr;
}

}  // namespace

Selection select_slices(const GatherProblem& problem, const Preferences& preferences) {
  Selection selection{};
  selection.reason = nothing_may_be_emitted(preferences);
  if (selection.reason != nullptr) return selection;
  const bool one_short_run = problem.element_kind == ElementKind::bytes && problem.slice_dim_count == 0 &&
                             problem.run_count == 1 && problem.run_bytes >= least_slice_bytes &&
                             problem.run_bytes <= most_slice_bytes;
  if (!preferences.allow_slices || !one_short_run) {
    selection.reason = preferences.allow_slices ? "the slice is not one short run" : "emitted copies are disabled";
    return selection;
  }
  fill_key(problem, preferences.isa, false, selection.key);
  selection.key.body = Body::slices;
  selection.taken = key_is_valid(selection.key);
  selection.reason = selection.taken ? "the slice is one short run" : "the slice is as wide as an element";
  return selection;
}

bool suits_jit(const GatherProblem& problem) {
  const int64_t bytes = problem.run_bytes;
  return problem.element_kind == ElementKind::bytes && problem.slice_dim_count == 0 && problem.run_count == 1 &&
         (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16);
}

Selection select_kernel(const GatherProblem& problem, const Preferences& preferences) {
  Selection selection{};
  selection.reason = nothing_may_be_emitted(preferences);
  if (selection.reason != nullptr) return selection;
  if (!suits_jit(problem)) {
    selection.reason = "the slice is not one dense run of 1, 2, 4, 8 or 16 bytes";
    return selection;
  }
  KernelKey& key = selection.key;
  fill_key(problem, preferences.isa, preferences.allow_folding, key);
  key.unit_coord = problem.coords[problem.coord_count - 1].data_stride == problem.run_bytes;

  KernelKey table = key, hardware = key;
  table.body = Body::table;
  hardware.body = Body::hardware;
  const char* table_refusal = try_table(problem, preferences, table);
  const char* hardware_refusal = try_hardware(problem, hardware);
  if (preferences.body_forced && preferences.forced_body != Body::loads) {
    const bool wants_table = preferences.forced_body == Body::table;
    selection.reason = wants_table ? table_refusal : hardware_refusal;
    selection.taken = selection.reason == nullptr;
    if (selection.taken) {
      key = wants_table ? table : hardware;
      selection.reason = "forced body";
    }
    return selection;
  }
  selection.taken = true;
  if (preferences.body_forced) {
    use_loads(problem, preferences, key);
    selection.reason = "forced body";
  } else if (preferences.allow_table && table_refusal == nullptr && table_pays(problem, table)) {
    key = table;
    selection.reason = "the table fits in vector registers";
  } else if (hardware_refusal != nullptr) {
    use_loads(problem, preferences, key);
    selection.reason = "vpgather cannot take it";
  } else if (key.coord_count > 1) {
    use_loads(problem, preferences, key);
    selection.reason = "deeper tuples: vpgather would have to gather the indices as well";
  } else if (!preferences.allow_hardware) {
    use_loads(problem, preferences, key);
    selection.reason = "hardware is disabled";
  } else if (!preferences.calibrate) {
    use_loads(problem, preferences, key);
    selection.reason = "calibration is off";
  } else if (addressed_bytes(problem) > preferences.llc_bytes) {
    use_loads(problem, preferences, key);
    selection.reason = "the table exceeds the cache, where independent loads overlap best";
  } else {
    calibrate(key.element_bytes, key.isa);
    if (hardware_is_faster(key.element_bytes, key.isa)) {
      key = hardware;
      selection.reason = "calibration: vpgather is faster than loads";
    } else {
      use_loads(problem, preferences, key);
      selection.reason = "calibration: loads are not slower than vpgather";
    }
  }
  return selection;
}

}  // namespace garner::jit
