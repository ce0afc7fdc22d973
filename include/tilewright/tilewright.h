/* Tilewright from C: plan a product once, run it often.
 *
 *   D = alpha * A * B + beta * C     A is m x k, B is k x n, C and D are m x n
 *
 * What holds for every function here:
 * - It returns TW_OK or a code that says whose fault it was; tw_last_error() then gives the
 *   sentence. On any other code nothing was written to D, and *out is NULL.
 * - Sizes, leading dimensions and batch strides count elements and are 64-bit.
 * - Handles may be used from several threads at once; they are destroyed once.
 * - No exception leaves the library, and no state is kept but each thread's last error.
 *
 * The meaning of every field, and the promises on precision, beta = 0 and empty sizes, are those of
 * tilewright/gemm.h. libtilewright.so exports the functions below and nothing else.
 */
#ifndef TILEWRIGHT_TILEWRIGHT_H_
#define TILEWRIGHT_TILEWRIGHT_H_

#include <stddef.h>
#include <stdint.h>

#define TW_API __attribute__((visibility("default")))

/* Raised when a function or a field changes its meaning; new functions, and new fields at the end
 * of a struct, do not raise it. */
#define TW_ABI_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/* The TW_ABI_VERSION that the loaded library was built with. */
TW_API int32_t tw_abi_version(void);

typedef int32_t tw_status;
enum {
  TW_OK = 0,
  TW_INVALID_ARGUMENT = 1, /* the call is wrong whatever the machine */
  TW_UNSUPPORTED = 2,      /* the call is right, but no kernel here takes it */
  TW_NO_DEVICE = 3,        /* no such device, or its driver is missing or too old */
  TW_DEVICE_ERROR = 4      /* the device, or the system, reported an error */
};

/* The sentence of the last call on this thread that did not return TW_OK, zero-terminated UTF-8; ""
 * when none failed. Never NULL. Valid until the next call on this thread that fails. */
TW_API const char* tw_last_error(void);

typedef int32_t tw_dtype;
enum { TW_F32 = 0, TW_F16 = 1, TW_BF16 = 2 };

typedef int32_t tw_order;
enum {
  TW_ROW_MAJOR = 0, /* element (r, c) at r * ld + c, ld >= columns */
  TW_COL_MAJOR = 1  /* element (r, c) at r + c * ld, ld >= rows */
};

/* ---- Devices ---------------------------------------------------------------------------------*/

typedef struct tw_device tw_device;

/* out: receives this machine's CPU. */
TW_API tw_status tw_device_cpu(tw_device** out);
/* index: as the CUDA runtime counts, from 0. out: receives that card. */
TW_API tw_status tw_device_cuda(int32_t index, tw_device** out);
/* name: zero-terminated, "h200", "a100", ...: a card to plan for without having it.
 * out: receives its description. */
TW_API tw_status tw_device_card(const char* name, tw_device** out);
/* The CPU's model or the card's name, zero-terminated, valid as long as the device; "" for NULL. */
TW_API const char* tw_device_name(const tw_device* device);
/* NULL does nothing. Plans made for the device live on. */
TW_API void tw_device_destroy(tw_device* device);

/* ---- The problem ------------------------------------------------------------------------------*/

typedef struct tw_operand {
  tw_dtype type;
  tw_order order;
  int64_t ld;           /* elements from one row (row-major) or column (column-major) to the next */
  int64_t batch_stride; /* elements from one matrix to the next; 0 for A, B, C: one for all */
  int64_t alignment_bytes; /* what every address given to tw_gemm_plan_run will be a multiple of */
} tw_operand;

typedef struct tw_gemm_problem {
  size_t struct_size; /* sizeof(tw_gemm_problem), as the caller was compiled */
  int64_t m, n, k, batch;
  tw_operand a, b, c, d; /* c.type equals d.type; its other fields count where beta is not 0 */
} tw_gemm_problem;

/* Fills the default: A m x k row-major, B k x n column-major, C and D m x n row-major, all packed,
 * a batch of 1, addresses that are multiples of 16 bytes.
 * problem: struct_size is set by the caller, everything else is overwritten. */
TW_API tw_status tw_gemm_problem_default(int64_t m, int64_t n, int64_t k, tw_dtype inputs,
                                         tw_dtype output, tw_gemm_problem* problem);

/* ---- Plans ------------------------------------------------------------------------------------*/

typedef struct tw_gemm_plan tw_gemm_plan;

/* problem, device: read during the call only.
 * kernel: zero-terminated id of `tilewright list gemm`; NULL or "" lets the library choose.
 * cpu_threads: 0 for as many as the device has usable cores.
 * out: receives the plan. */
TW_API tw_status tw_gemm_plan_create(const tw_gemm_problem* problem, const tw_device* device,
                                     const char* kernel, int32_t cpu_threads, tw_gemm_plan** out);
/* Bytes of workspace that each run needs; 0 for NULL. */
TW_API size_t tw_gemm_plan_workspace_bytes(const tw_gemm_plan* plan);
/* The id of the kernel taken, zero-terminated, valid as long as the plan; "" for NULL. */
TW_API const char* tw_gemm_plan_kernel_name(const tw_gemm_plan* plan);

/* Addresses in the memory of the plan's device (host memory for the CPU). The first element of a
 * matrix of the batch number i lies batch_stride * i elements further. */
typedef struct tw_gemm_args {
  size_t struct_size; /* sizeof(tw_gemm_args), as the caller was compiled */
  const void* a;      /* m x k elements of a.type; not read, may be NULL, when alpha or k is 0 */
  const void* b;      /* k x n elements of b.type; the same */
  const void* c;      /* m x n elements of c.type, D itself or apart from D; NULL when beta is 0 */
  void* d;            /* m x n elements of d.type, written */
  float alpha, beta;
} tw_gemm_args;

/* args: read during the call only.
 * workspace: tw_gemm_plan_workspace_bytes of the device's memory, not shared by runs that overlap
 *   in time; NULL when that is 0. workspace_bytes: its size in bytes.
 * stream: a cudaStream_t, NULL for the default stream; the call returns when the work is queued.
 *   Ignored on the CPU, where the call returns when D is written. */
TW_API tw_status tw_gemm_plan_run(const tw_gemm_plan* plan, const tw_gemm_args* args,
                                  void* workspace, size_t workspace_bytes, void* stream);
/* NULL does nothing. Work already queued on a stream is not affected. */
TW_API void tw_gemm_plan_destroy(tw_gemm_plan* plan);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TILEWRIGHT_TILEWRIGHT_H_ */
