# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's own shared library (of npm's onnxruntime-node or any other) through its C API, in this process.

Its API is a table of functions that only grows at its end, so the few that are needed are called by their places.
"""
import ctypes
import glob
import json
import os
import tempfile
from ctypes import byref, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p

API_VERSION = 11  # the lowest that knows what is used here; every later library offers it
GET_ERROR_MESSAGE, CREATE_ENV, CREATE_SESSION_FROM_ARRAY, RUN = 2, 3, 8, 9
CREATE_OPTIONS, ENABLE_PROFILING, SET_OPTIMIZATION, SET_INTRA_THREADS, SET_INTER_THREADS = 10, 14, 23, 24, 25
CREATE_TENSOR, CREATE_CPU_MEMORY_INFO, DEFAULT_ALLOCATOR = 49, 69, 78
RELEASE_SESSION, RELEASE_VALUE, RELEASE_OPTIONS, END_PROFILING = 95, 96, 100, 110
RELEASES = (RELEASE_SESSION, RELEASE_VALUE, RELEASE_OPTIONS)  # they return nothing

FLOAT64, INT32, INT64, COMPLEX128 = 11, 6, 7, 15  # ONNX numbers, which are garner's too
MANY_NODES = 33
TINY_BYTES = 16384  # outputs up to this are also measured as one more node of a graph


def find_library(folder):
    """libonnxruntime of this kind of machine below a folder of node modules."""
    found = glob.glob(os.path.join(folder, "**", "linux", "x64", "libonnxruntime.so*"), recursive=True)
    return sorted(found)[0] if found else None


# ---- The model, in the few fields of ONNX's protocol buffers that one kind of node needs ----

def _varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _field(number, value):
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    value = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _value_info(name, dtype, dims):
    shape = b"".join(_field(1, _field(1, extent)) for extent in dims)
    return _field(1, name) + _field(2, _field(1, _field(1, dtype) + _field(2, shape)))


def _node(kind, inputs, output, attributes):
    node = b"".join(_field(1, name) for name in inputs) + _field(2, output) + _field(4, kind)
    for name, value in attributes.items():
        node += _field(5, _field(1, name) + _field(3, value) + _field(20, 2))  # 2: an integer
    return node


def encode_model(kind, attributes, dtype, data_dims, index_dtype, index_dims, output_dims, nodes=1, cast=False):
    """`nodes` equal nodes with an output each; with `cast` the indices become int64 in the graph."""
    graph = _field(2, "gather")
    indices = "indices"
    if cast:
        graph += _field(1, _node("Cast", ["indices"], "wide", {"to": INT64}))
        indices = "wide"
    for i in range(nodes):
        graph += _field(1, _node(kind, ["data", indices], "output%d" % i, attributes))
        graph += _field(12, _value_info("output%d" % i, dtype, output_dims))
    graph += _field(11, _value_info("data", dtype, data_dims))
    graph += _field(11, _value_info("indices", index_dtype, index_dims))
    return _field(1, 7) + _field(7, graph) + _field(8, _field(2, 13))  # IR version 7, opset 13


def product(dims):
    total = 1
    for extent in dims:
        total *= extent
    return total


def graphs_of(case):
    """(name, node, attributes, data dims, index dims, output dims, cast): the ways to say the problem in ONNX."""
    data, index, output = case.data_dims, case.index_dims, case.output_dims
    if case.elements:
        return [("GatherElements", "GatherElements", {"axis": case.op.axis}, data, index, output, False)]
    batch, k = case.op.batch_dims, index[-1]
    ways = [("GatherND", "GatherND", {"batch_dims": batch}, data, index, output, case.index_dtype != INT64)]
    if k == 1 and batch == 0:
        ways.append(("Gather", "Gather", {"axis": 0}, data, index[:-1], output, False))
    if k == 1 and len(data) == batch + 1 and case.dtype != COMPLEX128:  # single elements, each batch a row
        rows = product(data[:batch])
        flat = [rows, product(index) // rows]
        ways.append(("GatherElements", "GatherElements", {"axis": 1}, [rows, data[batch]], flat, flat, False))
    return ways


class Ort:
    def __init__(self, path):
        self.path = path
        lib = ctypes.CDLL(path)
        lib.OrtGetApiBase.restype = ctypes.POINTER(c_void_p)
        base = lib.OrtGetApiBase()
        get_api = ctypes.CFUNCTYPE(c_void_p, c_uint32)(base[0])
        self.version = ctypes.CFUNCTYPE(c_char_p)(base[1])().decode()
        table = get_api(API_VERSION)
        if not table:
            raise OSError("%s has no API of version %d" % (path, API_VERSION))
        self.table = ctypes.cast(table, ctypes.POINTER(c_void_p))
        self.env, self.memory, self.allocator = c_void_p(), c_void_p(), c_void_p()
        self.call(CREATE_ENV, c_int(3), b"peers", byref(self.env))  # 3: errors only
        self.call(CREATE_CPU_MEMORY_INFO, c_int(0), c_int(0), byref(self.memory))
        self.call(DEFAULT_ALLOCATOR, byref(self.allocator))

    def call(self, place, *arguments):
        result = ctypes.CFUNCTYPE(c_void_p)(self.table[place])(*arguments)
        if place in RELEASES or not result:
            return
        text = ctypes.CFUNCTYPE(c_char_p)(self.table[GET_ERROR_MESSAGE])(c_void_p(result))
        raise RuntimeError("ONNX Runtime: " + text.decode(errors="replace"))

    def session(self, model, threads, profile=None):
        options, session = c_void_p(), c_void_p()
        self.call(CREATE_OPTIONS, byref(options))
        self.call(SET_INTRA_THREADS, options, c_int(threads))
        self.call(SET_INTER_THREADS, options, c_int(1))
        self.call(SET_OPTIMIZATION, options, c_int(0))  # equal nodes stay as many
        if profile:
            self.call(ENABLE_PROFILING, options, profile.encode())
        self.call(CREATE_SESSION_FROM_ARRAY, self.env, c_char_p(model), c_size_t(len(model)), options, byref(session))
        self.call(RELEASE_OPTIONS, options)
        return session

    def tensor(self, address, size, dims, dtype):
        value = c_void_p()
        self.call(CREATE_TENSOR, self.memory, c_void_p(address), c_size_t(size), (c_int64 * len(dims))(*dims),
                  c_size_t(len(dims)), c_int(dtype), byref(value))
        return value


class Way:
    """One graph for one problem and thread count: whole Run() calls into the problem's own output buffer."""

    def __init__(self, ort, case, threads, graph):
        self.ort, self.case = ort, case
        self.threads, self.released = threads, []
        self.name, kind, attributes, data, index, output, cast = graph
        dtype, tail = (FLOAT64, [2]) if case.dtype == COMPLEX128 else (case.dtype, [])
        self.shapes = (dtype, data + tail, case.index_dtype, index, output + tail)
        self.encode = lambda nodes: encode_model(kind, attributes, *self.shapes, nodes=nodes, cast=cast)
        f = case.facts
        self.inputs = (c_void_p * 2)(ort.tensor(f.data, f.data_bytes, data + tail, dtype).value,
                                     ort.tensor(f.indices, f.index_bytes, index, case.index_dtype).value)
        self.output = ort.tensor(f.output, f.output_bytes, output + tail, dtype)
        self.turn = self._turn(1)

    def _turn(self, nodes, profile=None):
        session = self.ort.session(self.encode(nodes), self.threads, profile)
        names_in = (c_char_p * 2)(b"data", b"indices")
        names_out = (c_char_p * nodes)(*(b"output%d" % i for i in range(nodes)))
        outputs = (c_void_p * nodes)(*([self.output.value] * nodes))
        self.ort.call(RUN, session, c_void_p(), names_in, self.inputs, c_size_t(2), names_out, c_size_t(nodes), outputs)
        turn = self.case.add_call(self.ort.table[RUN], [
            session.value, None, ctypes.addressof(names_in), ctypes.addressof(self.inputs), 2,
            ctypes.addressof(names_out), nodes, ctypes.addressof(outputs)])
        turn.keep, turn.session = (names_in, names_out, outputs), session
        self.released.append((RELEASE_SESSION, session))
        return turn

    def many(self):
        """The same node many times: its slope against one is the cost of one more node."""
        return self._turn(MANY_NODES)

    def profiled(self):
        self.folder = tempfile.TemporaryDirectory(prefix="garner-peers-")
        return self._turn(1, os.path.join(self.folder.name, "profile"))

    def kernel_times(self, turn):
        """Nanoseconds of the kernels of each call so far, from the profiler, which counts microseconds."""
        name = c_char_p()
        self.ort.call(END_PROFILING, turn.session, self.ort.allocator, byref(name))
        with open(name.value.decode()) as f:
            events = json.load(f)
        self.folder.cleanup()
        nodes = 2 if b"Cast" in self.encode(1) else 1
        times = [e["dur"] * 1e3 for e in events if e.get("name", "").endswith("_kernel_time")]
        return [sum(times[i:i + nodes]) for i in range(0, len(times) - nodes + 1, nodes)]

    def close(self):
        for place, handle in self.released + [(RELEASE_VALUE, self.output)]:
            self.ort.call(place, handle)
        for value in self.inputs:
            self.ort.call(RELEASE_VALUE, c_void_p(value))
