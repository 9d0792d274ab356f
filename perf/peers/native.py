# SPDX-License-Identifier: Apache-2.0
"""The native contestants: garner through its C API, the hand-written loop, and the probes of the ceiling."""
import ctypes
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p


class Op(ctypes.Structure):
    """garner_op"""
    _fields_ = [("struct_size", c_uint32), ("kind", c_int32), ("batch_dims", c_int64), ("axis", c_int64),
                ("bounds", c_int32), ("negative", c_int32)]


class Tensor(ctypes.Structure):
    """garner_tensor"""
    _fields_ = [("struct_size", c_uint32), ("dtype", c_int32), ("element_bytes", c_int64), ("rank", c_int32),
                ("reserved", c_int32), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("byte_offset", c_int64)]

    def dims(self):
        return [self.shape[i] for i in range(self.rank)]


class Args(ctypes.Structure):
    """garner_args"""
    _fields_ = [("struct_size", c_uint32), ("max_threads", c_int32), ("data", c_void_p), ("data_bytes", c_size_t),
                ("indices", c_void_p), ("indices_bytes", c_size_t), ("output", c_void_p), ("output_bytes", c_size_t),
                ("executor", c_void_p), ("copy", c_void_p), ("copy_ctx", c_void_p)]


class Facts(ctypes.Structure):
    """peers_facts"""
    _fields_ = [("data", c_void_p), ("indices", c_void_p), ("output", c_void_p), ("data_bytes", c_int64),
                ("index_bytes", c_int64), ("output_bytes", c_int64), ("op", POINTER(Op)),
                ("data_tensor", POINTER(Tensor)), ("indices_tensor", POINTER(Tensor)),
                ("output_tensor", POINTER(Tensor))]


GATHER_ELEMENTS = 3  # garner_op.kind
SAMPLES = 4096
RIVALS = ("copy", "stream", "touch", "loop")  # as host.cpp numbers them


class Host:
    """The shared object built of host.cpp."""

    def __init__(self, path):
        self.lib = lib = ctypes.CDLL(path)
        lib.peers_open.restype = c_void_p
        lib.peers_open.argtypes = [c_char_p, c_char_p, c_size_t]
        lib.peers_close.argtypes = [c_void_p]
        lib.peers_facts_of.restype = POINTER(Facts)
        lib.peers_facts_of.argtypes = [c_void_p]
        lib.peers_rivals.argtypes = [c_void_p, c_int, c_int, POINTER(c_int)]
        for name in ("peers_call3", "peers_call8"):
            getattr(lib, name).argtypes = [c_void_p, c_void_p, POINTER(c_void_p)]
        lib.peers_run.argtypes = [c_void_p, c_int, c_int64]
        lib.peers_time.argtypes = [c_void_p, c_int, c_int64, c_double, POINTER(c_double), c_int]
        self.samples = (c_double * SAMPLES)()


class Case:
    """The buffers of one problem. Its turns are the native calls that can be timed."""

    def __init__(self, host, problem):
        self.host, self.lib = host, host.lib
        why = ctypes.create_string_buffer(1024)
        self.handle = self.lib.peers_open(problem.encode(), why, len(why))
        if not self.handle:
            raise ValueError(why.value.decode())
        f = self.lib.peers_facts_of(self.handle).contents
        self.facts, self.op = f, f.op.contents
        self.elements = self.op.kind == GATHER_ELEMENTS
        self.data_dims = f.data_tensor.contents.dims()
        self.index_dims = f.indices_tensor.contents.dims()
        self.output_dims = f.output_tensor.contents.dims()
        self.dtype, self.index_dtype = f.data_tensor.contents.dtype, f.indices_tensor.contents.dtype
        self.output = (ctypes.c_char * f.output_bytes).from_address(f.output)
        self.keep = []  # what native calls point to

    def close(self):
        if self.handle:
            self.lib.peers_close(self.handle)
        self.handle = None

    def spoil_output(self):
        """So that a contestant that writes nothing is not taken for right."""
        ctypes.memset(self.facts.output, 0xA5, self.facts.output_bytes)

    def add_call(self, function, arguments):
        """A C function of three or eight pointer-sized arguments as a turn."""
        array = (c_void_p * len(arguments))(*arguments)
        add = self.lib.peers_call3 if len(arguments) == 3 else self.lib.peers_call8
        return Turn(self, add(self.handle, function, array))

    def add_rivals(self, kind, threads):
        """The variants of a probe or the loop, on so many threads and on one, as pairs of a name and a turn."""
        first = c_int()
        count = self.lib.peers_rivals(self.handle, RIVALS.index(kind), threads, byref(first))
        teams = [threads, 1] if threads > 1 else [1]
        return [("%d on %d thread(s)" % (i % (count // len(teams)), teams[i // (count // len(teams))]),
                 Turn(self, first.value + i)) for i in range(count)]


class Turn:
    """A native call that is timed in native code."""

    def __init__(self, case, number):
        self.case, self.number = case, number

    def run(self, calls=1):
        self.case.lib.peers_run(self.case.handle, self.number, calls)

    def time(self, batch, budget_ns):
        samples = self.case.host.samples
        count = self.case.lib.peers_time(self.case.handle, self.number, batch, budget_ns, samples, SAMPLES)
        return samples[:count]


class Garner:
    """The shared library that is measured."""

    def __init__(self, path):
        self.lib = lib = ctypes.CDLL(path)
        lib.garner_version.restype = lib.garner_build_info.restype = c_char_p
        lib.garner_status_name.restype = c_char_p
        lib.garner_plan_create.argtypes = [c_void_p, POINTER(Op), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor),
                                           POINTER(c_void_p), c_void_p]
        lib.garner_plan_execute.argtypes = [c_void_p, POINTER(Args), c_void_p]
        lib.garner_plan_describe.argtypes = [c_void_p, c_int32, c_char_p, c_size_t, c_void_p]
        lib.garner_plan_destroy.argtypes = [c_void_p]
        self.version = lib.garner_version().decode()
        self.build = lib.garner_build_info().decode()

    def check(self, status):
        if status != 0:
            raise RuntimeError("garner: " + self.lib.garner_status_name(c_int32(status)).decode())

    def turn(self, case, threads):
        """The turn, and what the plan says of itself."""
        plan, f = c_void_p(), case.facts
        self.check(self.lib.garner_plan_create(None, f.op, f.data_tensor, f.indices_tensor, None, byref(plan), None))
        args = Args(struct_size=ctypes.sizeof(Args), max_threads=threads, data=f.data, data_bytes=f.data_bytes,
                    indices=f.indices, indices_bytes=f.index_bytes, output=f.output, output_bytes=f.output_bytes)
        case.keep.append(args)
        self.check(self.lib.garner_plan_execute(plan, byref(args), None))
        text = ctypes.create_string_buffer(65536)
        self.lib.garner_plan_describe(plan, threads, text, len(text), None)
        described = dict(line.split("=", 1) for line in text.value.decode().splitlines() if "=" in line)
        execute = ctypes.cast(self.lib.garner_plan_execute, c_void_p).value
        turn = case.add_call(execute, [plan.value, ctypes.addressof(args), None])
        turn.release = lambda: self.lib.garner_plan_destroy(plan)
        return turn, described
