# SPDX-License-Identifier: Apache-2.0
"""The mutations: each breaks one place, and the tests named with it must notice.

The text to find is compared without regard to white space, from the text `within` on, in the first file that has both;
so it survives formatting and most work nearby. What no longer matches is an error of the run, never passed over.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    files: tuple  # globs from the root
    within: str  # where to begin looking; empty: at the start of the file
    find: str
    replace: str
    tests: tuple  # (executable, selection of test cases), in the order in which they are tried
    needs: str = ""  # a CPU flag without which the broken code never runs


LOADS = (("kernels", "loads kernels*"),)
HARDWARE = (("kernels", "hardware kernels*"),)
TABLE = (("kernels", "table kernels*"),)
SWEEP = LOADS + HARDWARE
CACHE = (("kernels", "*code*"),)
PROPERTY = (("property", ""),)
POLICIES = (("operators", "*policy*,*policies*,*zero*"),)
OPERATORS = (("operators", "~*beyond*"),)
FAR = (("operators", "*beyond*,int32 and uint32*,rows of an embedding*"),)
BIG = (("big", ""),)
SHAPES = (("operators", "*shape*,*dims*,*extents*,attributes*,depth*,GatherElements*,GatherND*"),)
LAYOUTS = (("operators", "*layout*,*strides*"),)
EXECUTORS = (("threads", "*executor*,*slice*,*shards*"),)
POSITIONS = (("threads", "*bad*,*lowest*,*failure*"),)
MISUSE = (("api", "*buffer*,*strides*,*overlap*,outputs*"),)
FAULTS = (("faults", ""),)
COPIES = (("copy", ""),)
TABLE_SIZES = (("field", "tables*"),)
UNSIGNED = (("big", "unsigned*"),)  # only an axis of more than 2^31 tells how a uint32 is extended

def _mutants(files, tests, *entries, needs=""):
    return [Mutant(name, files, within, find, replace, tests, needs) for name, within, find, replace in entries]


MUTANTS = [
    # ---- What an index means: the check of the portable paths.
    *_mutants(
        ("runtime/resolve.h",), POLICIES + OPERATORS,
        ("check-one-too-far", "bool on_axis", "(place) <", "(place) <="),
        ("wrap-by-one-less", "int64_t wrapped", "& axis.wrap", "& (axis.wrap - 1)"),
        ("clamp-past-the-end", "int64_t clamped", "axis.extent - 1", "axis.extent"),
        ("clamp-u64-to-zero", "int64_t clamped", "std::is_signed_v<Index> && place < 0", "place < 0"),
        ("wrap-rejected-negatives", "make_axis", "problem.negative == Negative::wrap &&", ""),
    ),
    *_mutants(
        ("runtime/resolver.cpp",), POLICIES + PROPERTY,
        ("resolver-checks-last-coordinate", "resolve_stretch", "tuple_good &= inside", "tuple_good = inside"),
        ("resolver-checks-last-tuple", "resolve_stretch", "good &= tuple_good", "good = tuple_good"),
        ("resolver-forgets-bad-stretch", "resolve_block", "good &= resolve_stretch", "good = resolve_stretch"),
        ("resolver-data-carry", "resolve_block", "cursor.data_at += args.data_carry;", ""),
        ("resolver-index-carry", "resolve_block", "cursor.index_at += args.index_carry;", ""),
        ("resolver-row-end", "resolve_block", "std::min(count, args.columns - cursor.column)", "count"),
    ),
    *_mutants(
        ("runtime/resolver_pairs.h",), OPERATORS + PROPERTY,
        ("pairs-upper-bound", "resolve_pairs", "_mm_or_si128(place, _mm_sub_epi64(last[k], place))", "place"),
        ("pairs-lower-bound", "resolve_pairs", "_mm_or_si128(place, _mm_sub_epi64(last[k], place))",
         "_mm_sub_epi64(last[k], place)"),
        ("pairs-odd-tuple", "resolve_pairs", "if (i < count)", "if (i + 1 < count)"),
        ("pairs-second-column", "resolve_pairs", "(count > 1 ? data_column : 0)", "0"),
    ),
    *_mutants(
        ("runtime/resolver_pairs.h",), FAR + BIG,
        ("pairs-extent-limit", "bool fits_pairs", "axis.extent <= most_extent &&", ""),
        ("pairs-stride-limit", "bool fits_pairs", "&& axis.data_stride <= most_stride", ""),
    ),
    # ---- The scalar kernel, which also decides what every error says.
    *_mutants(
        ("runtime/scalar_kernel.cpp",), OPERATORS + PROPERTY,
        ("scalar-failing-position", "on_axis", "{position, value", "{position + 1, value"),
        ("scalar-failing-coordinate", "on_axis", "extent, k, 0}", "extent, 0, 0}"),
        ("scalar-empty-axis", "on_axis", "|| axes[k].extent == 0", ""),
        ("scalar-data-carry", "++column", "data_at += args.data_carry;", ""),
        ("scalar-callback-code", "copy_host_run", "if (code != 0) return code;", ""),
    ),
    # ---- Movers and the blocks they work on.
    *_mutants(
        ("runtime/mover_rows.h",), OPERATORS + PROPERTY,
        ("mover-last-word", "rows_of_words", "args.run_bytes - Word::bytes", "(words - 1) * Word::bytes"),
        ("mover-tail", "rows_wide", "if (at < bytes)", "if (at + unit < bytes)"),
        ("mover-step", "rows_wide", "at + unit <= bytes", "at < bytes"),
    ),
    *_mutants(
        ("runtime/mover_avx2.cpp",), OPERATORS + PROPERTY,
        ("mover-choice", "choose", "run_bytes <= 64", "run_bytes <= 65"),
    ),
    *_mutants(
        ("runtime/mover_rows.h",), COPIES,
        ("mover-stream-alignment", "whole_lines =", "places % Word::bytes == 0", "places % 16 == 0"),
    ),
    *_mutants(
        ("runtime/copy_kernel.cpp",), OPERATORS + PROPERTY,
        ("copy-joins-any-order", "is_one_run", "consecutive &=", "consecutive |="),
        ("copy-joins-spread-output", "is_one_run", "args.output_column != args.run_bytes ||", ""),
        ("copy-zeroes-one-less", "zero_runs", "count * args.run_bytes", "(count - 1) * args.run_bytes"),
        ("copy-output-carry", "left_in_row_ == 0", "output_ += args_.output_carry;", ""),
        ("copy-stops-too-late", "copy_kernel(", "problem.bounds != Bounds::zero", "false"),
    ),
    # ---- Shards and slabs.
    *_mutants(
        ("runtime/execute.cpp",), EXECUTORS + PROPERTY,
        ("shard-boundary", "part_start", "std::min(part, total % parts)", "std::min(part + 1, total % parts)"),
        ("shard-last-bytes", "make_shard", "last ? problem.run_bytes :", "false ? problem.run_bytes :"),
        ("slab-index-carry", "void prepare_execution", "carry(slab.row.index_stride, slab.column.extent, slab.column.index_stride)",
         "slab.row.index_stride"),
        ("slab-outer-dims", "void next()", "data_at_ -= dim.extent * dim.data_stride;", ""),
        ("slab-column-start", "void move_to", "column * slab_.column.data_stride", "0"),
        ("shard-left-by-executor", "parallel_for(", "claim_shards();", ""),
    ),
    *_mutants(
        ("runtime/execute.cpp",), COPIES,
        ("shard-first-run", "make_shard", "slice_part + 1) - shard.first_run",
         "slice_part + 1) - shard.first_run - 1"),
    ),
    *_mutants(
        ("runtime/execute.cpp",), FAULTS,
        ("shard-executor-returned-early", "parallel_for(", "while (working_.load(std::memory_order_acquire) != 0) pause();",
         ""),
    ),
    *_mutants(
        ("runtime/execute.cpp",), POSITIONS,
        ("shard-lowest-failure", "void report", "detail.position < failure_.detail.position", "false"),
        ("shard-position-of-failure", "bool run(KernelFailure", "position + done", "done"),
        ("kernel-position-of-failure", "int64_t run_slab", "args_.failure->position -= scalar_done;", ""),
    ),
    *_mutants(
        ("runtime/sharding.cpp",), EXECUTORS + FAULTS,
        ("shard-smallest-part", "most_slice_parts", "problem.run_bytes / min_part_bytes", "problem.run_bytes / 64"),
    ),
    # ---- Operators and checks.
    *_mutants(
        ("src/operation.cpp",), SHAPES,
        ("elements-extent-check", "infer_elements_shape", "indices.shape[d] > data.shape[d]",
         "indices.shape[d] > data.shape[d] + 1"),
        ("elements-axis-exempt", "infer_elements_shape", "d != operation.axis &&", ""),
        ("batch-dims-limit", "check_attributes", "op.batch_dims >= limit", "op.batch_dims > limit"),
        ("depth-limit", "infer_nd_shape", "depth > data.rank - batch_dims", "depth > data.rank"),
        ("batch-dims-equal", "infer_nd_shape", "indices.shape[d] != data.shape[d]", "indices.shape[d] < data.shape[d]"),
        ("merged-batch-dims", "infer_nd_shape", "operation.merges_batch_dims() ? batch_dims : 0", "0"),
    ),
    *_mutants(
        ("src/footprint.h",), MISUSE,
        ("overlap-touching", "bool overlap", "static_cast<uintptr_t>(a.low) < start_b", "static_cast<uintptr_t>(a.low) <= start_b"),
    ),
    *_mutants(
        ("src/operation.cpp",), POLICIES + OPERATORS,
        ("openvino-5-negatives", "check_enums", "op.kind == GARNER_GATHER_ND_OPENVINO_5 ?",
         "op.kind == GARNER_GATHER_ND_OPENVINO_8 ?"),
    ),
    *_mutants(
        ("src/footprint.cpp",), MISUSE + LAYOUTS,
        ("buffer-one-byte-short", "check_buffer", "static_cast<uint64_t>(footprint.high) > buffer_bytes",
         "static_cast<uint64_t>(footprint.high) > buffer_bytes + 1"),
        ("buffer-before-start", "check_buffer", "footprint.low < 0", "footprint.low < -1"),
        ("output-places-shared", "check_distinct", "steps[i].magnitude < span", "steps[i].magnitude + 1 < span"),
        ("footprint-negative-stride", "find_footprint", "tensor.strides[d] < 0 ? low : high", "high"),
    ),
    *_mutants(
        ("src/execution.cpp",), MISUSE,
        ("overlap-with-indices", "check_overlap", "Input{GARNER_ARGUMENT_INDICES, args.indices, operation.index_footprint}",
         "Input{GARNER_ARGUMENT_DATA, args.data, operation.data_footprint}"),
    ),
    *_mutants(
        ("src/tensor.cpp",), SHAPES + MISUSE,
        ("size-overflow-bytes", "check_size", "|| __builtin_mul_overflow(count, tensor.element_bytes, &bytes)", ""),
        ("negative-extent", "check_extents", "tensor.shape[d] < 0", "tensor.shape[d] < -1"),
    ),
    # ---- The normal form and the planner.
    *_mutants(
        ("src/normal_form.cpp",), LAYOUTS + SHAPES + PROPERTY,
        ("dims-merge-output", "bool continues(const Dim&",
         "&& continues(outer.output_stride, inner.extent, inner.output_stride)", ""),
        ("dims-merge-data", "bool continues(const Dim&", "continues(outer.data_stride, inner.extent, inner.data_stride) &&",
         ""),
        ("dims-axis-moves", "build_dims", "d != operation.axis", "true"),
        ("slice-run-strided", "build_slice", "last.data_stride == data.element_bytes &&", ""),
        ("coord-index-stride", "build_coords", "k * step", "step"),
    ),
    *_mutants(
        ("src/planner.cpp",), OPERATORS + PROPERTY,
        ("planner-empty-axis", "bool has_empty_axis", "extent == 0", "extent < 0"),
        ("planner-host-objects", "needs_scalar", "problem.element_kind == ElementKind::host_object", "false"),
    ),
    # ---- Which kernel may take a problem.
    *_mutants(
        ("jit/select.cpp",), FAR + BIG + PROPERTY,
        ("select-hardware-products", "bool products_fit", "if (!unit &&", "if (false &&"),
        ("select-narrow-extent", "narrow_address =", "&& fits_int32(problem.coords[0].extent)", ""),
    ),
    *_mutants(
        ("jit/select.cpp",), LAYOUTS + PROPERTY,
        ("select-tuples-dense", "tuples_are_dense", "problem.coords[k].index_stride != k * index_size", "false"),
        ("select-unit-lanes", "Lanes lanes_of", "inner->data_stride == problem.run_bytes ?", "true ?"),
        ("select-folded-output", "bool folds", "outer.output_stride == inner.extent * inner.output_stride", "true"),
    ),
    *_mutants(
        ("jit/select.cpp",), TABLE_SIZES,
        ("select-table-size", "registers_for_table", "extent <= registers * lanes", "extent <= registers * lanes + 1"),
    ),
    # ---- Emitted kernels: one position.
    *_mutants(
        ("jit/element_access.cpp",), LOADS,
        ("emit-fast-check", "access == Access::fast", "jae(exit", "ja(exit"),
        ("emit-careful-check", "case Bounds::error", "jae(exit", "ja(exit"),
        ("emit-clamp-end", "case Bounds::clamp", "lea(temp_, ptr[extent - 1])", "lea(temp_, ptr[extent])"),
        ("emit-clamp-negative", "case Bounds::clamp", "cmovs(value, temp_);", ""),
        ("emit-zero-mask", "case Bounds::zero", "and_(seen_, temp_);", ""),
        ("emit-zero-compare", "compare_with_extent(value_, 0)", "cmovae(temp_", "cmova(temp_"),
        ("emit-coordinate-stride", "KernelGenerator::multiply_by_stride", "coord_stride(k)", "coord_stride(k - 1)"),
        ("emit-store-width", "KernelGenerator::assemble_block", "bytes - stored >= 16", "bytes - stored >= 8"),
    ),
    *_mutants(
        ("jit/element_access.cpp",), UNSIGNED,
        ("emit-u32-sign", "case IndexType::u32", "mov(dst.cvt32(), dword[address])", "movsxd(dst, dword[address])"),
    ),
    *_mutants(
        ("jit/generator.cpp",), SWEEP,
        ("emit-row-longer-than-call", "KernelGenerator::load_arguments", "cmova(row_left_, rax);", ""),
        ("emit-block-of-one-less", "L(careful.after)", "cmp(row_left_, n)", "cmp(row_left_, n - 1)"),
        ("emit-block-loop-end", "KernelGenerator::block_loop", "jae(careful.fast", "jmp(careful.fast"),
        ("emit-unit-advance", "KernelGenerator::advance", "add(src_, n * element_bytes())", "add(src_, 0)"),
        ("emit-row-carry", "KernelGenerator::row_loop", "add(src_, field(offsetof(KernelArgs, data_carry)));", ""),
        ("emit-single-store", "KernelGenerator::single_position", "mov(word[dst_], ax)", "mov(dword[dst_], eax)"),
    ),
    *_mutants(
        ("jit/folded_lanes.cpp",), LOADS,
        ("emit-fold-carry", "KernelGenerator::fold_advance", "vpand(mask, mask, Ymm(carry));", ""),
        ("emit-fold-start-carry", "KernelGenerator::fold_start", "cmovs(r14, field(offsetof(KernelArgs, data_carry)));",
         ""),
        ("emit-fold-single", "KernelGenerator::fold_carry_single",
         "add(src_, field(offsetof(KernelArgs, data_carry)));", ""),
    ),
    # ---- Bodies.
    *_mutants(
        ("jit/hardware_body.cpp",), HARDWARE,
        ("hardware-no-check-narrow", "vmovmskps", "cmp(eax, 0xff)", "cmp(eax, eax)"),
        ("hardware-no-check", "vmovmskpd", "cmp(eax, 0xf)", "cmp(eax, eax)"),
        ("hardware-negative-passes", "HardwareBody::check_and_wrap", "vpandn(spare, value, spare);", ""),
        ("hardware-checks-last-coordinate", "HardwareBody::check_and_wrap",
         "vpand(vector(in_bounds), vector(in_bounds), spare)", "vmovdqa(vector(in_bounds), spare)"),
        ("hardware-second-group", "HardwareBody::gather_group", "number * group() * element_bytes() : 0", "0 : 0"),
    ),
    *_mutants(
        ("jit/loads_body.cpp",), LOADS,
        ("rows-extent-check", "LoadsBody::emit_alternative", "jae(not_a_row_", "ja(not_a_row_"),
        ("rows-next-block-unchecked", "L(next)", "compare_block(block_done_);", ""),
        ("rows-compare-first-vector", "LoadsBody::compare_block", "offset < bytes", "offset < 32"),
        ("rows-copy-length", "LoadsBody::copy_block", "block_ * element_bytes()", "(block_ - 1) * element_bytes()"),
    ),
    *_mutants(
        ("jit/table_avx2.cpp",), TABLE,
        ("table-last-index", "TableBody::prepare_call_avx2", "lea(rax, ptr[r9 - 1])", "lea(rax, ptr[r9])"),
        ("table-high-halves", "TableBody::load_dword_indices", "if (wide) vpor(bad, bad, high);", ""),
        ("table-read-whole-vectors", "TableBody::load_dwords_avx2",
         "vpmaskmovd(Ymm(table + r), Ymm(masks + r), ptr[src_ + r * 32])", "vmovdqu(Ymm(table + r), ptr[src_ + r * 32])"),
        ("table-second-vector", "TableBody::fast_block_dwords", "if (vectors == 2) vpor(bad, bad, Ymm(partial[1]));", ""),
    ),
    *_mutants(
        ("jit/table_planes_avx2.cpp",), TABLE,
        ("planes-more-than-bytes", "vptest(seen", "jnz(careful, T_NEAR);", ""),
        ("planes-check", "vptest(spare, spare)", "jnz(careful, T_NEAR);", ""),
        ("planes-last-piece", "TableBody::load_planes_avx2", "cmova(at, last);", ""),
        ("planes-read-one-more", "L(next_element)", "jb(next_element);", "jbe(next_element);"),
        ("planes-order", "TableBody::order_byte_indices", "vpermq(index, index, 0xd8);", ""),
        ("planes-in-careful-registers", "TableBody::planes_on_stack", "planes() == 4 ||", "planes() == 8 ||"),
        ("planes-large-index", "TableBody::look_up_bytes", "> most_plain_index", "> 2 * most_plain_index"),
    ),
    *_mutants(
        ("jit/table_body.cpp",), TABLE + OPERATORS,
        ("table-empty", "TableBody::prepare_row", "jz(skip_blocks, T_NEAR);", ""),
    ),
    *_mutants(
        ("jit/table_avx512.cpp",), TABLE,
        ("table512-mask", "TableBody::load_table_avx512", "cmovs(rax, rbp);", ""),
        ("table512-check", "TableBody::fast_block_avx512", "jnz(careful, T_NEAR);", ""),
        ("table512-wrap", "TableBody::load_indices_avx512", "vpaddd(value | scratch, value, Zmm(extent));", ""),
        needs="avx512vl",
    ),
    *_mutants(
        ("jit/hardware_body.cpp",), HARDWARE,
        ("hardware512-check", "kortestw(bad, bad)", "jnz(careful, T_NEAR);", ""),
        ("hardware512-first-coordinate", "HardwareBody::check_and_wrap", "if (!first_check) korw(bad, bad, scratch);", ""),
        needs="avx512vl",
    ),
    # ---- Memory that holds code.
    *_mutants(
        ("jit/code_page.cpp",), CACHE,
        ("code-writable", "map_code", "PROT_READ | PROT_EXEC", "PROT_READ | PROT_WRITE | PROT_EXEC"),
    ),
    *_mutants(
        ("jit/code_page.cpp",), FAULTS,
        ("code-mapping-leaks", "mprotect(address", "munmap(address, mapped);", ""),
        ("code-limit-is-refusal", "mprotect(address", "if (errno != ENOMEM) result.status", "result.status"),
        ("code-errno", "map_code(", "const KeepErrno keep;", ""),
    ),
    *_mutants(
        ("jit/kernel_cache.cpp",), CACHE,
        ("cache-bound", "KernelCache::get", "trim_locked(cap_bytes_ - code_bytes(made));", ""),
        ("cache-reference", "KernelCache::get", "retain(found->kernel);", ""),
        ("cache-oldest", "KernelCache::trim_locked", "(*link)->last_use.load(std::memory_order_relaxed) <",
         "(*link)->last_use.load(std::memory_order_relaxed) >"),
    ),
    *_mutants(
        ("jit/kernel_cache.cpp",), FAULTS,
        ("cache-leak-without-entry", "if (memory == nullptr)", "release(made);", ""),
    ),
]
assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
