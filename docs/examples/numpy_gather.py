#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# NumPy arrays through ctypes, strided ones as they are:  numpy_gather.py /usr/local/lib/libgarner.so
#
# Prints:
#   [12. 22. 20.]
#   [[20. 11.]]
#   indices[0,0] = 5 is out of bounds for axis 0 of data, extent 2 (allowed -2..1)
import ctypes
import sys

import numpy as np

GATHER_ND, GATHER_ELEMENTS = 0, 3
DTYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9,
          "float16": 10, "float64": 11, "uint32": 12, "uint64": 13, "complex64": 14, "complex128": 15}
i32, i64, pointer = ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p


class Sized(ctypes.Structure):
    """Every struct begins with its own size."""

    def __init__(self, **fields):
        super().__init__(struct_size=ctypes.sizeof(self), **fields)


class Op(Sized):
    _fields_ = [("struct_size", ctypes.c_uint32), ("kind", i32), ("batch_dims", i64), ("axis", i64), ("bounds", i32),
                ("negative", i32)]


class Tensor(Sized):
    _fields_ = [("struct_size", ctypes.c_uint32), ("dtype", i32), ("element_bytes", i64), ("rank", i32),
                ("reserved", i32), ("shape", ctypes.POINTER(i64)), ("strides", ctypes.POINTER(i64)),
                ("byte_offset", i64)]


class Error(Sized):
    _fields_ = [("struct_size", ctypes.c_uint32)] + [(name, i32) for name in (
        "status", "argument", "coordinate", "axis", "index_dtype", "callback_code", "reserved")] + [
            (name, i64) for name in ("position", "value", "extent")] + [("text", ctypes.c_char * 256)]


class Args(Sized):
    _fields_ = [("struct_size", ctypes.c_uint32), ("max_threads", i32), ("data", pointer),
                ("data_bytes", ctypes.c_size_t), ("indices", pointer), ("indices_bytes", ctypes.c_size_t),
                ("output", pointer), ("output_bytes", ctypes.c_size_t), ("executor", pointer), ("copy", pointer),
                ("copy_ctx", pointer)]


def describe(array):
    """The descriptor of an array, and the start and size of what its elements can touch."""
    low, high = np.lib.array_utils.byte_bounds(array) if hasattr(np.lib, "array_utils") else np.byte_bounds(array)
    numbers = i64 * max(array.ndim, 1)
    tensor = Tensor(dtype=DTYPES[array.dtype.name], rank=array.ndim, shape=numbers(*array.shape),
                    strides=numbers(*(stride // array.itemsize for stride in array.strides)),
                    byte_offset=array.ctypes.data - low)
    return tensor, low, high - low


def gather(library, op, data, indices):
    error, rank, shape = Error(), i32(), (i64 * 16)()
    data_tensor, data_start, data_bytes = describe(data)
    indices_tensor, indices_start, indices_bytes = describe(indices)

    def check(status):
        if status != 0:
            raise IndexError(error.text.decode())

    check(library.garner_infer_shape(ctypes.byref(op), ctypes.byref(data_tensor), ctypes.byref(indices_tensor), shape,
                                     16, ctypes.byref(rank), ctypes.byref(error)))
    output = np.empty(shape[:rank.value], data.dtype)
    args = Args(data=data_start, data_bytes=data_bytes, indices=indices_start, indices_bytes=indices_bytes,
                output=output.ctypes.data, output_bytes=output.nbytes)
    check(library.garner_execute(None, ctypes.byref(op), ctypes.byref(data_tensor), ctypes.byref(indices_tensor), None,
                                 ctypes.byref(args), ctypes.byref(error)))
    return output


library = ctypes.CDLL(sys.argv[1])
data = np.array([[10, 11, 12], [20, 21, 22]], np.float32)
print(gather(library, Op(kind=GATHER_ND), data, np.array([[0, 2], [1, -1], [1, 0]])))
print(gather(library, Op(kind=GATHER_ELEMENTS, axis=0), data[::-1, :2], np.array([[0, 1]], np.int32)))
try:
    gather(library, Op(kind=GATHER_ND), data, np.array([[5, 0]]))
except IndexError as error:
    print(error)
