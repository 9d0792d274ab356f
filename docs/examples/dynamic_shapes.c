/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that change from call to call: garner_execute plans and executes at once, and allocates nothing for the plan.
 * What could be slow in the first call, emitting and calibrating, is done at load time by garner_context_prepare.
 *
 * Prints:
 *   rows of 4 that begin with: 40
 *   rows of 2 that begin with: 20 22 40
 *   no rows
 */
#include <garner/garner.h>
#include <stdio.h>
#include <stdlib.h>

static const float data[] = {10, 11, 12, 13, 20, 21, 22, 23, 40, 41, 42, 43};

/* Gathers `rows` rows out of data, seen as an array of rows with `width` elements. */
static int gather_rows(garner_context* context, const int64_t* indices, int64_t rows, int64_t width) {
  const int64_t data_shape[] = {(int64_t)(sizeof data / sizeof *data) / width, width}, indices_shape[] = {rows, 1};
  int64_t output_shape[GARNER_MAX_RANK], count = 1;
  int32_t rank = 0, dim;
  garner_op op = GARNER_OP_INIT;
  garner_tensor data_tensor = GARNER_TENSOR_INIT, indices_tensor = GARNER_TENSOR_INIT;
  garner_args args = GARNER_ARGS_INIT;
  garner_error error = GARNER_ERROR_INIT;
  float* output;
  garner_status status;

  data_tensor.dtype = GARNER_FLOAT32, data_tensor.rank = 2, data_tensor.shape = data_shape;
  indices_tensor.dtype = GARNER_INT64, indices_tensor.rank = 2, indices_tensor.shape = indices_shape;
  /* The shape first, to allocate the output. It reads no buffer and allocates nothing. */
  status = garner_infer_shape(&op, &data_tensor, &indices_tensor, output_shape, GARNER_MAX_RANK, &rank, &error);
  if (status != GARNER_OK) return fprintf(stderr, "%s\n", error.text), 1;
  for (dim = 0; dim < rank; ++dim) count *= output_shape[dim];
  output = malloc((size_t)count * sizeof *output + 1);
  if (output == NULL) return 1;

  args.data = data, args.data_bytes = sizeof data;
  args.indices = indices, args.indices_bytes = (size_t)rows * sizeof *indices;
  args.output = output, args.output_bytes = (size_t)count * sizeof *output;
  status = garner_execute(context, &op, &data_tensor, &indices_tensor, NULL, &args, &error);
  if (status != GARNER_OK) {
    fprintf(stderr, "%s\n", error.text);
  } else if (rows == 0) {
    printf("no rows\n");
  } else {
    int64_t i;
    printf("rows of %lld that begin with:", (long long)width);
    for (i = 0; i < rows; ++i) printf(" %g", (double)output[i * width]);
    printf("\n");
  }
  free(output);
  return status != GARNER_OK;
}

int main(void) {
  const int64_t one[] = {2}, three[] = {2, -3, 4};
  garner_context* context = NULL;
  garner_op op = GARNER_OP_INIT;
  garner_error error = GARNER_ERROR_INIT;
  if (garner_context_create(NULL, &context, &error) != GARNER_OK) return fprintf(stderr, "%s\n", error.text), 1;
  /* float32 data, int64 indices, one coordinate. Where nothing can be emitted this is GARNER_OK as well. */
  if (garner_context_prepare(context, &op, GARNER_FLOAT32, 0, GARNER_INT64, 1, &error) != GARNER_OK ||
      gather_rows(context, one, 1, 4) != 0 || gather_rows(context, three, 3, 2) != 0 ||
      gather_rows(context, NULL, 0, 6) != 0)
    return 1;
  garner_context_destroy(context);
  return 0;
}
