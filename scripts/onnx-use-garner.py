#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the GatherND and GatherElements nodes of an ONNX model into those of the domain "garner", or back.

  onnx-use-garner.py MODEL.onnx OUT.onnx
  onnx-use-garner.py --back MODEL.onnx OUT.onnx

Nodes in subgraphs and in the model's functions are turned as well. Everything else is copied byte for byte, so a model
that is turned and turned back is the model it was. The session needs libgarner_onnxruntime.so registered; see
docs/onnxruntime.md."""
import argparse
import sys

OPERATORS = {b"GatherND", b"GatherElements"}
STANDARD = {b"", b"ai.onnx"}
GARNER = b"garner"
# Numbers of fields in onnx.proto.
MODEL_GRAPH, MODEL_OPSET, MODEL_FUNCTIONS = 7, 8, 25
GRAPH_NODE, FUNCTION_NODE, FUNCTION_OPSET = 1, 7, 9
NODE_OP_TYPE, NODE_ATTRIBUTE, NODE_DOMAIN = 4, 5, 7
ATTRIBUTE_GRAPH, ATTRIBUTE_GRAPHS = 6, 11


class Malformed(Exception):
    pass


def read_varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Malformed("not a protobuf file")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields(data):
    """(number, the content of a length-delimited field or None, all bytes of the field) in their order."""
    at = 0
    while at < len(data):
        start = at
        key, at = read_varint(data, at)
        number, kind, content = key >> 3, key & 7, None
        if kind == 0:
            _, at = read_varint(data, at)
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        elif kind == 2:
            length, at = read_varint(data, at)
            content = data[at:at + length]
            at += length
        else:
            raise Malformed("not a protobuf file")
        if at > len(data):
            raise Malformed("the file ends in the middle of a field")
        yield number, content, data[start:at]


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + bytes(content)


class Turner:
    def __init__(self, back):
        self.back, self.turned = back, 0

    def replaced(self, data, how):
        """The message with the fields that `how` names turned by its functions; the same object if none changed."""
        parts, changed = [], False
        for number, content, raw in fields(data):
            if content is not None and number in how:
                new = how[number](content)
                if new is not content:
                    raw, changed = field(number, new), True
            parts.append(raw)
        return b"".join(parts) if changed else data

    def node(self, data):
        data = self.replaced(data, {NODE_ATTRIBUTE: self.attribute})
        op_type, domain = b"", b""
        for number, content, _ in fields(data):
            if number == NODE_OP_TYPE:
                op_type = bytes(content)
            elif number == NODE_DOMAIN:
                domain = bytes(content)
        if op_type not in OPERATORS or (domain != GARNER if self.back else domain not in STANDARD):
            return data
        self.turned += 1
        rest = b"".join(raw for number, _, raw in fields(data) if number != NODE_DOMAIN)
        return rest if self.back else rest + field(NODE_DOMAIN, GARNER)

    def attribute(self, data):
        return self.replaced(data, {ATTRIBUTE_GRAPH: self.graph, ATTRIBUTE_GRAPHS: self.graph})

    def graph(self, data):
        return self.replaced(data, {GRAPH_NODE: self.node})

    def function(self, data):
        turned = self.turned
        data = self.replaced(data, {FUNCTION_NODE: self.node})
        return self.with_opset(data, FUNCTION_OPSET) if self.turned > turned else data

    def with_opset(self, data, number):
        """With or without the import of the domain."""
        opset = field(1, GARNER) + b"\x10\x01"  # domain, version 1
        rest = b"".join(raw for n, content, raw in fields(data) if n != number or bytes(content) != opset)
        return rest if self.back else rest + field(number, opset)

    def model(self, data):
        if not any(number == MODEL_GRAPH for number, _, _ in fields(data)):
            raise Malformed("no graph: not an ONNX model")
        data = self.replaced(data, {MODEL_GRAPH: self.graph, MODEL_FUNCTIONS: self.function})
        return self.with_opset(data, MODEL_OPSET) if self.turned else data


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--back", action="store_true", help="from garner's domain to the standard one")
    parser.add_argument("model")
    parser.add_argument("out")
    options = parser.parse_args()
    turner = Turner(options.back)
    try:
        with open(options.model, "rb") as file:
            turned = turner.model(memoryview(file.read()))
        with open(options.out, "wb") as file:
            file.write(turned)
    except (OSError, Malformed) as error:
        sys.exit(f"onnx-use-garner.py: {options.model}: {error}")
    print(f"{turner.turned} nodes turned")


if __name__ == "__main__":
    main()
