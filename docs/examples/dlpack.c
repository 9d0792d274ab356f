/* SPDX-License-Identifier: Apache-2.0 */
/* DLPack tensors are gathered where they lie. Here the data is column-major, as another framework may hand it over; a tensor
 * on a GPU is refused.
 *
 * Prints:
 *   12 22 20
 *   UNSUPPORTED: DLPack: data must be in CPU memory, device type 1 (here 2)
 */
#include <garner/garner_dlpack.h> /* after dlpack/dlpack.h where a unit uses both */
#include <stdio.h>

int main(void) {
  float by_column[] = {10, 20, 11, 21, 12, 22}, output[3];
  int64_t places[] = {0, 2, 1, -1, 1, 0};
  int64_t data_shape[] = {2, 3}, data_strides[] = {1, 2}, indices_shape[] = {3, 2}, output_shape[] = {3};
  /* data, device type and number, dimensions, type code, bits, lanes, shape, strides, byte_offset */
  garner_dl_tensor data = {by_column, 1, 0, 2, 2, 32, 1, data_shape, data_strides, 0};
  garner_dl_tensor indices = {places, 1, 0, 2, 0, 64, 1, indices_shape, NULL, 0};
  garner_dl_tensor result = {output, 1, 0, 1, 2, 32, 1, output_shape, NULL, 0};
  garner_dl_view from, at, to;
  garner_op op = GARNER_OP_INIT;
  garner_error error = GARNER_ERROR_INIT;
  garner_args args;
  garner_status status;

  if (garner_dl_view_of(&data, GARNER_ARGUMENT_DATA, &from, &error) != GARNER_OK ||
      garner_dl_view_of(&indices, GARNER_ARGUMENT_INDICES, &at, &error) != GARNER_OK ||
      garner_dl_view_of(&result, GARNER_ARGUMENT_OUTPUT, &to, &error) != GARNER_OK)
    return fprintf(stderr, "%s\n", error.text), 1;
  args = garner_dl_args(&from, &at, &to);
  if (garner_execute(NULL, &op, &from.tensor, &at.tensor, &to.tensor, &args, &error) != GARNER_OK)
    return fprintf(stderr, "%s\n", error.text), 1;
  printf("%g %g %g\n", (double)output[0], (double)output[1], (double)output[2]);

  data.device_type = 2;
  status = garner_dl_view_of(&data, GARNER_ARGUMENT_DATA, &from, &error);
  printf("%s: %s\n", garner_status_name(status), error.text);
  return 0;
}
