# SPDX-License-Identifier: Apache-2.0
"""PyTorch and NumPy on the problem's own buffers: every usual way to write a gather, of which the fastest counts."""
import ctypes

NUMPY_TYPES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool",
               10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128"}


def product(dims):
    total = 1
    for extent in dims:
        total *= extent
    return total


class Views:
    """NumPy arrays over the buffers; elements of 16 bits as integers, because arithmetic types may quiet a NaN."""

    def __init__(self, numpy, case):
        f = case.facts
        dtype = NUMPY_TYPES[case.dtype]
        dtype = "int16" if numpy.dtype(dtype).itemsize == 2 else dtype

        def view(address, size, kind, dims):
            raw = (ctypes.c_ubyte * size).from_address(address)
            return numpy.frombuffer(raw, numpy.dtype(kind)).reshape(dims)

        self.data = view(f.data, f.data_bytes, dtype, case.data_dims)
        self.indices = view(f.indices, f.index_bytes, NUMPY_TYPES[case.index_dtype], case.index_dims)
        self.output = view(f.output, f.output_bytes, dtype, case.output_dims)


class Split:
    """GatherND's dims by their meaning."""

    def __init__(self, case):
        self.batch = case.op.batch_dims
        self.k = case.index_dims[-1]
        self.batches = case.data_dims[:self.batch]
        self.extents = case.data_dims[self.batch:self.batch + self.k]
        self.slice = case.data_dims[self.batch + self.k:]
        self.width = product(self.slice)
        self.steps = [product(self.extents[j + 1:]) for j in range(self.k)]
        self.tuple_rank = len(case.index_dims) - 1

    def along(self, dim):
        """A shape that lets an arange of a batch dim broadcast over the tuples."""
        return [-1 if d == dim else 1 for d in range(self.tuple_rank)]


def numpy_ways(np, case, negative):
    """(name, call, result or None): a call writes the output buffer, or returns new memory where NumPy cannot."""
    v = Views(np, case)
    d, i, o = v.data, v.indices, v.output
    if case.elements:
        axis = case.op.axis
        ways = [("take_along_axis", lambda: np.take_along_axis(d, i, axis), True)]
        if axis % d.ndim == d.ndim - 1 and d.shape[:-1] == i.shape[:-1] and not negative:
            starts = (np.arange(product(d.shape[:-1])) * d.shape[-1]).reshape(d.shape[:-1] + (1,))
            flat = d.reshape(-1)
            ways.append(("offsets+take", lambda: np.take(flat, i + starts, out=o, mode="clip"), False))
        return ways
    s = Split(case)
    grids = [np.arange(n).reshape(s.along(b)) for b, n in enumerate(s.batches)]

    def coordinates():
        return tuple(grids) + tuple(i[..., j] for j in range(s.k))

    ways = [("index", lambda: d[coordinates()], True)]
    if s.batch == 0 and s.k == 1:
        column = i[..., 0]
        ways.append(("take", lambda: np.take(d, column, axis=0), True))
        ways.append(("take(out, wrap)", lambda: np.take(d, column, axis=0, out=o, mode="wrap"), False))
        if not negative:
            ways.append(("take(out, clip)", lambda: np.take(d, column, axis=0, out=o, mode="clip"), False))
    else:
        rows = d.reshape([-1] + s.slice)
        dims = s.batches + s.extents
        mode = "wrap" if negative else "raise"
        ways.append(("ravel_multi_index+take", lambda: np.take(
            rows, np.ravel_multi_index(coordinates(), dims, mode=mode), axis=0, out=o, mode="clip"), False))
    return ways


def torch_ways(torch, np, case, negative):
    """(name, call): each writes the output buffer."""
    v = Views(np, case)
    d, i, o = (torch.from_numpy(a) for a in (v.data, v.indices, v.output))
    wide = i.dtype == torch.int64
    if case.elements:
        axis = case.op.axis
        if negative:
            extent = d.shape[axis]
            return [("where+gather", lambda: torch.gather(d, axis, torch.where(i < 0, i + extent, i).long(), out=o))]
        return [("gather", lambda: torch.gather(d, axis, i if wide else i.long(), out=o))]
    s = Split(case)
    grids = [torch.arange(n).reshape(s.along(b)) for b, n in enumerate(s.batches)]
    index_out = torch.ops.aten.index.Tensor_out
    ways = [("index", lambda: index_out(d, grids + [c if wide else c.long() for c in i.unbind(-1)], out=o))]
    rows, flat_out = d.reshape(-1, s.width), o.reshape(-1, s.width)
    table = product(s.extents)
    starts = None
    if s.batch:
        starts = (torch.arange(product(s.batches)) * table).reshape(
            list(case.index_dims[:s.batch]) + [1] * (s.tuple_rank - s.batch))

    def offsets():
        total = None
        for j in range(s.k):
            column = i[..., j]
            if negative:
                column = torch.where(column < 0, column + s.extents[j], column)
            term = column if s.steps[j] == 1 else column * s.steps[j]
            total = term if total is None else total + term
        return total if starts is None else total + starts

    if s.batch == 0 and s.k == 1 and not negative:
        column = i.reshape(-1)
        ways.append(("index_select", lambda: torch.index_select(d, 0, column, out=o.reshape([-1] + s.slice))))
    else:
        ways.append(("offsets+index_select",
                     lambda: torch.index_select(rows, 0, offsets().reshape(-1), out=flat_out)))
    if s.width == 1 and wide:
        flat, column = d.reshape(-1), i.reshape(-1)
        elements = o.reshape(-1)
        if s.batch == 0 and s.k == 1:
            ways.append(("take", lambda: torch.take(flat, column, out=elements)))
            if not negative:
                ways.append(("gather", lambda: torch.gather(flat, 0, column, out=elements)))
        else:
            ways.append(("offsets+take", lambda: torch.take(flat, offsets().reshape(-1), out=elements)))
    if s.k == 1 and wide and not negative and s.width <= 256 and (s.batch or s.width > 1):
        batches = product(s.batches)
        cube, cube_out = d.reshape(batches, -1, s.width), o.reshape(batches, -1, s.width)
        spread = i.reshape(batches, -1, 1).expand(-1, -1, s.width)
        ways.append(("gather(expand)", lambda: torch.gather(cube, 1, spread, out=cube_out)))
    return ways
