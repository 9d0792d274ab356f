# SPDX-License-Identifier: Apache-2.0
# How every target of this project is compiled. Nothing here reaches a project that links garner.

# Warnings, C++20, hidden symbols, position independent code, includes from the repository's root.
function(garner_compile_options target)
  target_compile_features(${target} PRIVATE c_std_99 cxx_std_20)
  set_target_properties(${target} PROPERTIES
    C_EXTENSIONS OFF
    CXX_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PRIVATE ${garner_SOURCE_DIR} ${garner_SOURCE_DIR}/src/include)
  target_compile_definitions(${target} PRIVATE GARNER_HAVE_TBB=${GARNER_HAVE_TBB} GARNER_HAVE_JIT=${GARNER_HAVE_JIT})
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    $<$<BOOL:${GARNER_DEVELOPER}>:-Werror>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 sees overlapping copies in the standard library's operator+ of strings.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
  if(GARNER_SANITIZE)
    list(JOIN GARNER_SANITIZE "," sanitizers)
    target_compile_options(${target} PRIVATE
      -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${sanitizers})
  endif()
endfunction()

# The library itself: the same, and no C++ runtime machinery. A unit that must catch (the one that calls Xbyak, the one
# that calls oneTBB) turns exceptions on again with set_source_files_properties(... COMPILE_OPTIONS -fexceptions).
function(garner_core_options target)
  garner_compile_options(${target})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions> $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endfunction()
