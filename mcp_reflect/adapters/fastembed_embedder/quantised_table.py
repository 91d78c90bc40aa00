"""Keeps a model's table of word vectors in the model's file, int8, out of which the rows of a text are read.

A model whose weights alone are quantised turns each matrix back into float32 by `Cast` and `Mul`. ONNX Runtime does
that once, as it loads: 47 MB for the 30,522 rows of the bundled model's table, of which a text needs one per token.
Here the graph is cut behind the table: the rows of a text are read from the mapped file, converted, and given to the
rest of the graph. The same numbers are multiplied: the vectors stay the same, bit for bit.

Only the fields of an ONNX file that this needs are read; the others are copied as they are.
"""

from __future__ import annotations

import mmap
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mcp_reflect.domain.values import Vector

_GRAPH = 7  # of ModelProto
_NODE, _INITIALIZER, _GRAPH_INPUT = 1, 5, 11  # of GraphProto
_INPUT, _OUTPUT, _OP_TYPE, _ATTRIBUTE = 1, 2, 4, 5  # of NodeProto
_DIMS, _DATA_TYPE, _NAME, _RAW_DATA = 1, 2, 8, 9  # of TensorProto
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

_FLOAT32, _INT8 = b"\x10\x01", b"\x10\x03"
"""Data types, as the field of a TensorProto."""

_ALONG_ROWS = b"\n\x04axis\x18\x00\xa0\x01\x02"
"""The attribute axis=0 of a Gather."""


@dataclass(frozen=True)
class QuantisedTable:
    """A table of vectors in a mapped `file`: `levels` int8 of shape (rows, dimension), `scales` float32 (rows, 1).

    `indices` is the input of the model whose numbers name rows, `found` the input that takes those rows.
    """

    indices: str
    found: str
    levels: NDArray[np.int8]
    scales: Vector
    file: mmap.mmap

    def rows(self, numbers: NDArray[np.int64]) -> Vector:
        """Return the vectors of these rows as float32, of shape (*numbers.shape, dimension)."""
        found = self.levels[numbers] * self.scales[numbers]
        _unload(self.file)
        return found


def cut_behind_table(weights: Path) -> tuple[bytes, QuantisedTable]:
    """Return a model without its table, which takes the table's rows as a further input, and the table in its file.

    Raises OSError, and ValueError for a file that is no ONNX model with such a table.
    """
    with weights.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    parts = list(_fields(memoryview(mapped)))
    graphs = [number for number, (field, _, _) in enumerate(parts) if field == _GRAPH]
    if len(graphs) != 1:
        raise ValueError("no ONNX model: it has no graph")
    graph, table = _cut_graph(parts[graphs[0]][1], mapped)
    model = b"".join(
        _encoded(_GRAPH, graph) if number == graphs[0] else whole for number, (_, _, whole) in enumerate(parts)
    )
    _unload(mapped)
    return model, table


def _unload(mapped: mmap.mmap) -> None:
    """Take a file's pages out of this process; they stay in the system's cache of files, from where they come back.

    Each row that is read brings 64 KB around it: after some hundred texts the whole table would be there.
    """
    if sys.platform != "win32":
        mapped.madvise(mmap.MADV_DONTNEED)


@dataclass(frozen=True)
class _Node:
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    op_type: bytes
    attributes: tuple[bytes, ...]


@dataclass(frozen=True)
class _Tensor:
    name: str
    shape: tuple[int, ...]
    data_type: bytes
    content: memoryview


def _cut_graph(graph: memoryview, mapped: mmap.mmap) -> tuple[bytes, QuantisedTable]:
    """The graph with Gather(Mul(Cast(levels), scales), indices) turned into an input, and that table."""
    parts = list(_fields(graph))
    nodes = {number: _read_node(content) for number, (field, content, _) in enumerate(parts) if field == _NODE}
    tensors = {
        tensor.name: (number, tensor)
        for number, (field, content, _) in enumerate(parts)
        if field == _INITIALIZER and (tensor := _read_tensor(content))
    }
    inputs = {_read_name(content) for field, content, _ in parts if field == _GRAPH_INPUT}
    made_by = {output: number for number, node in nodes.items() for output in node.outputs}
    uses = Counter(name for node in nodes.values() for name in node.inputs)
    for gathering, gather in nodes.items():
        if gather.op_type != b"Gather" or gather.attributes != (_ALONG_ROWS,) or gather.inputs[1] not in inputs:
            continue
        scaling = made_by.get(gather.inputs[0], -1)
        if scaling not in nodes or nodes[scaling].op_type != b"Mul":
            continue
        casting = made_by.get(nodes[scaling].inputs[0], -1)
        if casting not in nodes or nodes[casting].op_type != b"Cast":
            continue
        names = nodes[casting].inputs[0], nodes[scaling].inputs[1]
        between = gather.inputs[0], nodes[scaling].inputs[0]
        if any(uses[name] > 1 for name in (*names, *between)) or not all(name in tensors for name in names):
            continue
        (first, levels), (second, scales) = (tensors[name] for name in names)
        if (levels.data_type, scales.data_type) != (_INT8, _FLOAT32) or scales.shape != (*levels.shape[:1], 1):
            continue
        table = QuantisedTable(
            gather.inputs[1],
            gather.outputs[0],
            np.frombuffer(levels.content, np.int8).reshape(levels.shape),
            np.frombuffer(scales.content, np.float32).reshape(scales.shape),
            mapped,
        )
        left_out = {gathering, scaling, casting, first, second}
        rest = b"".join(whole for number, (_, _, whole) in enumerate(parts) if number not in left_out)
        return rest + _encoded(_GRAPH_INPUT, _float_input(table.found, levels.shape[1])), table
    raise ValueError("the ONNX model has no quantised table of words")


def _float_input(name: str, dimension: int) -> bytes:
    """A ValueInfoProto of float32 with two dimensions of any length before the last."""
    dimensions = _encoded(1, b"") + _encoded(1, b"") + _encoded(1, b"\x08" + _varint_of(dimension))
    return _encoded(1, name.encode()) + _encoded(2, _encoded(1, b"\x08\x01" + _encoded(2, dimensions)))


def _read_name(value_info: memoryview) -> str:
    return next((bytes(content).decode() for field, content, _ in _fields(value_info) if field == 1), "")


def _read_node(content: memoryview) -> _Node:
    found: dict[int, list[bytes]] = {_INPUT: [], _OUTPUT: [], _OP_TYPE: [], _ATTRIBUTE: []}
    for field, value, _ in _fields(content):
        found.get(field, []).append(bytes(value))
    inputs, outputs = (tuple(name.decode() for name in found[kind]) for kind in (_INPUT, _OUTPUT))
    return _Node(inputs, outputs, b"".join(found[_OP_TYPE]), tuple(found[_ATTRIBUTE]))


def _read_tensor(tensor: memoryview) -> _Tensor:
    name, dims, data_type, raw = "", [], b"", tensor[:0]
    for field, value, whole in _fields(tensor):
        if field == _NAME:
            name = bytes(value).decode()
        elif field == _DIMS:
            # One number of each, or all of them packed.
            dims += list(_varints(value)) if len(value) else [_varint(whole, 1)[0]]
        elif field == _DATA_TYPE:
            data_type = bytes(whole)
        elif field == _RAW_DATA:
            raw = value
    return _Tensor(name, tuple(dims), data_type, raw)


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """Each field's number, its content where that is bytes (otherwise empty), and the field as it stands."""
    at = 0
    while at < len(message):
        begin = at
        key, at = _varint(message, at)
        kind, content = key & 7, message[:0]
        if kind == _VARINT:
            _, at = _varint(message, at)
        elif kind == _BYTES:
            size, at = _varint(message, at)
            content = message[at : at + size]
            at += size
        elif kind in {_FIXED32, _FIXED64}:
            at += 4 if kind == _FIXED32 else 8
        else:
            raise ValueError(f"no ONNX model: a field of kind {kind}")
        yield key >> 3, content, message[begin:at]


def _varints(packed: memoryview) -> Iterable[int]:
    at = 0
    while at < len(packed):
        number, at = _varint(packed, at)
        yield number


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """The number that begins there, and where the next thing begins. Raises ValueError."""
    number = shift = 0
    while at < len(message):
        byte = message[at]
        number |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:  # noqa: PLR2004 - the last byte of a number
            return number, at
    raise ValueError("no ONNX model: it ends within a number")


def _varint_of(number: int) -> bytes:
    """A number, seven bits a byte, the lowest first."""
    written = bytearray()
    while number > 127:  # noqa: PLR2004 - what one byte holds
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])


def _encoded(field: int, content: bytes) -> bytes:
    """A field of bytes, with its key and length."""
    return bytes([field << 3 | _BYTES]) + _varint_of(len(content)) + content
