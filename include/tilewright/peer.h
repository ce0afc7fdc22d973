/* A peer: any implementation that is to be measured beside Tilewright's, from a shared object or from a
 * language with C calls (python/tilewright_peers speaks it for Python). A C ABI of one version;
 * docs/writing-a-peer.md has complete examples.
 *
 * A shared object exports
 *     const struct tw_peer* tw_peers(uint32_t abi_version, uint32_t* count);
 * which gives `count` tables that live as long as the process, or NULL with *count = 0 when it does not
 * speak `abi_version`. No function may throw, and none is called by two threads at once. */
#ifndef TILEWRIGHT_PEER_H
#define TILEWRIGHT_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TW_PEER_ABI_VERSION 1u

/* Answers of the functions below. Anything else counts as TW_PEER_FAILED. */
enum {
  TW_PEER_OK = 0,
  TW_PEER_UNSUPPORTED = 1, /* the problem is right, and this peer does not take it */
  TW_PEER_FAILED = 2       /* an error */
};

enum { TW_PEER_CPU = 0, TW_PEER_CUDA = 1 };           /* backend */
enum { TW_PEER_F32 = 0, TW_PEER_F16 = 1, TW_PEER_BF16 = 2 }; /* element type */
enum { TW_PEER_ROW_MAJOR = 0, TW_PEER_COL_MAJOR = 1 };

/* Element (r, c) of matrix i lies at i * batch_stride + r * ld + c in row-major order, and at
 * i * batch_stride + c * ld + r in column-major order, counted in elements. */
typedef struct tw_peer_operand {
  int32_t type;
  int32_t order;
  int64_t ld, batch_stride;
  int32_t alignment_bytes; /* the least alignment of its base in any set */
  int32_t reserved;
} tw_peer_operand;

/* op "gemm": D = alpha A B + beta C; A is m x k, B k x n, C and D m x n, sums in fp32. */
typedef struct tw_peer_problem {
  uint32_t struct_bytes; /* sizeof(tw_peer_problem) of the caller; fields are only ever added */
  uint32_t reserved;
  const char* op;
  int64_t m, n, k, batch;
  tw_peer_operand a, b, c, d;
  float alpha, beta; /* what run() will be called with */
} tw_peer_problem;

typedef struct tw_peer_device {
  uint32_t struct_bytes;
  int32_t backend;
  int32_t index;              /* of the CUDA device; it is current when a function is called */
  int32_t compute_capability; /* 90 for 9.0; 0 on the CPU */
  int32_t threads;            /* on the CPU: how many may be used */
  int32_t reserved;
} tw_peer_device;

/* One set of operands. Inputs must not be changed. c is NULL where beta is 0. */
typedef struct tw_peer_set {
  const void *a, *b, *c;
  void* d;
} tw_peer_set;

/* What prepare() tells of its choice; strings are copied before the next call. Any may be NULL. */
typedef struct tw_peer_facts {
  uint32_t struct_bytes;
  uint32_t reserved;
  const char* kernel;  /* what was selected, as the peer names it */
  const char* policy;  /* how: "first heuristic", "fastest of 16 by time", "tuned" */
  const char* padding; /* work done beyond the problem: "k padded from 470 to 512"; it is timed */
  int64_t workspace_bytes;
  int64_t persisting_l2_bytes; /* a persisting-L2 reservation wanted in its turns; 0 for none */
} tw_peer_facts;

typedef struct tw_peer {
  uint32_t abi_version; /* TW_PEER_ABI_VERSION */
  uint32_t struct_bytes;
  const char* id; /* lower case letters, digits, '-', '.': "acme-matmul"; not an id of Tilewright */
  void* context;  /* handed to every function */
  int32_t backend; /* TW_PEER_CPU or TW_PEER_CUDA */
  int32_t reserved;

  /* Version of the library that was really loaded, with its source revision where it has one. */
  const char* (*version)(void* context);
  /* Path of that library; may be NULL. */
  const char* (*path)(void* context);
  /* Why this peer cannot be used on this machine, a sentence with a remedy; NULL when it can. */
  const char* (*missing)(void* context);

  /* Makes ready for one problem; untimed. May allocate, repack, tune, and write to every D. Every
   * operand set of the cell is handed over: sets hold DIFFERENT values, so what is repacked is
   * repacked for each set. `stream` is a cudaStream_t, NULL on the CPU; work is done on it or has
   * ended on return. On TW_PEER_OK *state is handed to run() and destroy(); otherwise `reason` holds
   * a sentence. `reason` has room for reason_bytes with the final 0. */
  int32_t (*prepare)(void* context, const tw_peer_problem* problem, const tw_peer_device* device,
                     const tw_peer_set* sets, int64_t set_count, void* stream, void** state,
                     tw_peer_facts* facts, char* reason, uint64_t reason_bytes);
  /* Puts the work for sets[set] on `stream` and nothing else: no allocation, no synchronisation; it
   * is captured in a CUDA graph. On the CPU the work is done on return. */
  int32_t (*run)(void* context, void* state, int64_t set, const tw_peer_set* operands, float alpha,
                 float beta, void* stream, char* reason, uint64_t reason_bytes);
  void (*destroy)(void* context, void* state);
} tw_peer;

typedef const tw_peer* (*tw_peers_function)(uint32_t abi_version, uint32_t* count);

#ifdef __cplusplus
}
#endif

#endif
