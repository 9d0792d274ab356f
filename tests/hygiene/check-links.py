#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check-links.py ROOT: every relative link in the Markdown files leads to a file, and every anchor to a heading."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(text):
    """Of all headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", FENCE.sub("", text), re.MULTILINE):
        heading = LINK.sub(lambda link: link.group(0).split("]")[0].lstrip("!["), heading)
        words = re.sub(r"[^\w\- ]", "", heading.strip().lower())
        found.add(words.replace(" ", "-"))
    return found


def main():
    pages = [page for page in root.rglob("*.md")
             if not {"build", ".git", "node_modules"} & set(page.relative_to(root).parts)]
    broken, checked = [], 0
    for page in pages:
        # Code is no prose, but a link may have code as its text.
        prose = FENCE.sub("", page.read_text())
        for target in LINK.findall(prose):
            if re.match(r"[a-z]+:", target):
                if not re.match(r"(https://[\w.-]+\.\w+(/|$)|mailto:)", target):
                    broken.append(f"{page.relative_to(root)}: {target}: not an https link")
                continue
            checked += 1
            path, _, anchor = target.partition("#")
            place = (page.parent / path).resolve() if path else page
            if not place.exists():
                broken.append(f"{page.relative_to(root)}: {target}: no such file")
            elif anchor and anchor not in anchors(place.read_text()):
                broken.append(f"{page.relative_to(root)}: {target}: no such heading")
    print(f"{checked} links in {len(pages)} pages")
    print("\n".join(broken))
    return 1 if broken or checked == 0 else 0


sys.exit(main())
