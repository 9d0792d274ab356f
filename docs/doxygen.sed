# SPDX-License-Identifier: Apache-2.0
# Turns the headers' comments into Doxygen's, for docs/Doxyfile.
# Not the licence, the formatter's switch and the rulers.
/SPDX-License-Identifier/d
/clang-format off/d
/Comments stand in columns/d
/^\/[*\/] ----/d
# The first comment is the file's.
1,3s#^/\* garner: #/** @file\n * garner: #
# A comment that stands behind something, and one that stands before.
s#\([^ \t].*\)/\* #\1/**< #
s#^\( *\)/\* #\1/** #
s#\([^ \t:/].*[^:]\) // #\1 ///< #
s#^\( *\)// #\1/// #
