#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check-snippets.py CC CXX ROOT: every block of C or C++ in the documents compiles, without a warning.

The blocks of docs/embedding.md are one program, in their order. Any other block is a program if it has a main function,
otherwise the inside of a function, for which the names below are declared."""
import pathlib
import re
import subprocess
import sys

cc, cxx = sys.argv[1:3]
root = pathlib.Path(sys.argv[3]).resolve()
BLOCK = re.compile(r"^```(c|cpp)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAMES = "static float x[3][4], y[2][4]; static int64_t i[2][1];\n"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused"]


def program(text):
    if re.search(r"\bmain\(", text):
        return text
    includes = "".join(line + "\n" for line in text.splitlines() if line.startswith("#include"))
    body = "".join(line + "\n" for line in text.splitlines() if not line.startswith("#include"))
    return f"{includes}#include <stdio.h>\n#include <stdint.h>\n{NAMES}void snippet(void);\nvoid snippet(void) {{\n{body}}}\n"


def compiles(language, text, name):
    compiler = [cc, "-std=c99", "-x", "c"] if language == "c" else [cxx, "-std=c++17", "-x", "c++"]
    command = compiler + WARNINGS + ["-fsyntax-only", f"-I{root}/src/include", "-"]
    result = subprocess.run(command, input=program(text), text=True, capture_output=True)
    if result.returncode != 0:
        print(f"{name} does not compile:\n{result.stderr}")
    return result.returncode == 0


def main():
    results = []
    for page in [root / "README.md"] + sorted((root / "docs").glob("*.md")):
        blocks = BLOCK.findall(page.read_text())
        name = str(page.relative_to(root))
        if page.name == "embedding.md" and blocks:
            blocks = [(blocks[0][0], "".join(text for _, text in blocks))]
        for number, (language, text) in enumerate(blocks, 1):
            results.append(compiles(language, text, f"{name}, block {number}"))
    print(f"{sum(results)} of {len(results)} compile")
    return 0 if results and all(results) else 1


sys.exit(main())
