/* SPDX-License-Identifier: Apache-2.0 */
/* A host that loads the library at run time: dlopen_host LIBRARY. Loads it twice, since a plug-in is unloaded and loaded. */
#include <dlfcn.h>
#include <garner/garner.h>
#include <stdio.h>
#include <string.h>

typedef garner_status (*execute_fn)(garner_context*, const garner_op*, const garner_tensor*, const garner_tensor*,
                                    const garner_tensor*, const garner_args*, garner_error*);

static int gather(const char* library, float output[3]) {
  const float data[] = {10, 11, 12, 20, 21, 22};
  const int64_t indices[] = {0, 2, 1, -1, 1, 0};
  const int64_t data_shape[] = {2, 3}, indices_shape[] = {3, 2};
  garner_op op = GARNER_OP_INIT;
  garner_tensor d = GARNER_TENSOR_INIT, i = GARNER_TENSOR_INIT;
  garner_args args = GARNER_ARGS_INIT;
  garner_error error = GARNER_ERROR_INIT;
  execute_fn execute = NULL;
  void* symbol;
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return puts(dlerror()), 1;
  symbol = dlsym(handle, "garner_execute");
  if (symbol == NULL) return puts(dlerror()), 2;
  memcpy(&execute, &symbol, sizeof execute); /* C has no conversion between the two kinds of pointer */
  d.dtype = GARNER_FLOAT32, d.rank = 2, d.shape = data_shape;
  i.dtype = GARNER_INT64, i.rank = 2, i.shape = indices_shape;
  args.data = data, args.data_bytes = sizeof data;
  args.indices = indices, args.indices_bytes = sizeof indices;
  args.output = output, args.output_bytes = 3 * sizeof(float);
  if (execute(NULL, &op, &d, &i, NULL, &args, &error) != GARNER_OK) return puts(error.text), 3;
  if (dlclose(handle) != 0) return puts(dlerror()), 4;
  /* Linked with -z nodelete: what still runs inside must not lose its code. */
  handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  if (handle == NULL) return puts("unmapped by dlclose"), 5;
  return dlclose(handle);
}

int main(int argc, char** argv) {
  float output[3] = {0, 0, 0};
  if (argc != 2) return 9;
  if (gather(argv[1], output) != 0) return 1;
  memset(output, 0, sizeof output);
  if (gather(argv[1], output) != 0) return 1;
  return printf("%g %g %g\n", (double)output[0], (double)output[1], (double)output[2]) < 0;
}
