/* SPDX-License-Identifier: Apache-2.0 */
/* Plain C: a plan is made once and executed twice; the second time an index is out of bounds.
 *
 * Prints:
 *   12 22 20
 *   OUT_OF_BOUNDS at position 1: indices[1,1] = 3 is out of bounds for axis 1 of data, extent 3 (allowed -3..2)
 */
#include <garner/garner.h>
#include <stdio.h>

int main(void) {
  const float data[] = {10, 11, 12, 20, 21, 22}; /* shape [2,3] */
  const int64_t good[] = {0, 2, 1, -1, 1, 0};    /* shape [3,2]: three places in data */
  const int64_t bad[] = {0, 2, 1, 3, 1, 0};
  const int64_t data_shape[] = {2, 3}, indices_shape[] = {3, 2};
  float output[3];
  garner_op op = GARNER_OP_INIT; /* ONNX GatherND without batch dimensions */
  garner_tensor data_tensor = GARNER_TENSOR_INIT, indices_tensor = GARNER_TENSOR_INIT;
  garner_args args = GARNER_ARGS_INIT;
  garner_error error = GARNER_ERROR_INIT;
  garner_plan* plan = NULL;
  garner_status status;

  data_tensor.dtype = GARNER_FLOAT32;
  data_tensor.rank = 2;
  data_tensor.shape = data_shape;
  indices_tensor.dtype = GARNER_INT64;
  indices_tensor.rank = 2;
  indices_tensor.shape = indices_shape;
  /* The context NULL is the default one of the process; the output NULL is dense, of the inferred shape. */
  if (garner_plan_create(NULL, &op, &data_tensor, &indices_tensor, NULL, &plan, &error) != GARNER_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }

  args.data = data;
  args.data_bytes = sizeof data;
  args.indices = good;
  args.indices_bytes = sizeof good;
  args.output = output;
  args.output_bytes = sizeof output;
  status = garner_plan_execute(plan, &args, &error);
  if (status == GARNER_OK) printf("%g %g %g\n", (double)output[0], (double)output[1], (double)output[2]);

  args.indices = bad;
  status = garner_plan_execute(plan, &args, &error);
  printf("%s at position %lld: %s\n", garner_status_name(status), (long long)error.position, error.text);

  garner_plan_destroy(plan);
  return 0;
}
