/* A complete peer: a matrix product in three plain loops, and the same 3 % slower on purpose, which
 * shows what a comparison can tell apart. C99 and one header; see docs/writing-a-peer.md. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tilewright/peer.h"

struct naive {
  tw_peer_problem problem;
  double delay; /* share of its own time that it waits */
};

static const char* version(void* context) {
  (void)context;
  return "1.0";
}

static int64_t index_of(const tw_peer_operand* operand, int64_t matrix, int64_t row,
                        int64_t column) {
  const int64_t within = operand->order == TW_PEER_ROW_MAJOR ? row * operand->ld + column
                                                             : column * operand->ld + row;
  return matrix * operand->batch_stride + within;
}

/* `context` is the delay of this table. */
static int32_t prepare(void* context, const tw_peer_problem* problem, const tw_peer_device* device,
                       const tw_peer_set* sets, int64_t set_count, void* stream, void** state,
                       tw_peer_facts* facts, char* reason, uint64_t reason_bytes) {
  (void)device, (void)sets, (void)set_count, (void)stream;
  if (strcmp(problem->op, "gemm") != 0 || problem->a.type != TW_PEER_F32 ||
      problem->b.type != TW_PEER_F32 || problem->d.type != TW_PEER_F32) {
    snprintf(reason, reason_bytes, "it takes gemm with f32 operands only");
    return TW_PEER_UNSUPPORTED;
  }
  struct naive* naive = malloc(sizeof *naive);
  if (naive == NULL) {
    snprintf(reason, reason_bytes, "there is no memory for %zu bytes", sizeof *naive);
    return TW_PEER_FAILED;
  }
  naive->problem = *problem;
  naive->delay = *(const double*)context;
  facts->kernel = naive->delay > 0 ? "three loops and a pause" : "three loops";
  facts->policy = "there is only one";
  *state = naive;
  return TW_PEER_OK;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int32_t run(void* context, void* state, int64_t set, const tw_peer_set* operands,
                   float alpha, float beta, void* stream, char* reason, uint64_t reason_bytes) {
  (void)context, (void)set, (void)stream, (void)reason, (void)reason_bytes;
  const struct naive* naive = state;
  const tw_peer_problem* p = &naive->problem;
  const float *a = operands->a, *b = operands->b, *c = operands->c;
  float* d = operands->d;
  const double start = seconds();
  for (int64_t matrix = 0; matrix < p->batch; ++matrix) {
    for (int64_t row = 0; row < p->m; ++row) {
      for (int64_t column = 0; column < p->n; ++column) {
        float sum = 0;
        for (int64_t k = 0; k < p->k; ++k) {
          sum += a[index_of(&p->a, matrix, row, k)] * b[index_of(&p->b, matrix, k, column)];
        }
        sum *= alpha;
        if (c != NULL) sum += beta * c[index_of(&p->c, matrix, row, column)];
        d[index_of(&p->d, matrix, row, column)] = sum;
      }
    }
  }
  const double end = start + (seconds() - start) * (1 + naive->delay);
  while (naive->delay > 0 && seconds() < end) {
  }
  return TW_PEER_OK;
}

static void destroy(void* context, void* state) {
  (void)context;
  free(state);
}

static double no_delay = 0, three_percent = 0.03;

static const tw_peer peers[] = {
    {TW_PEER_ABI_VERSION, sizeof(tw_peer), "naive", &no_delay, TW_PEER_CPU, 0, version, NULL, NULL,
     prepare, run, destroy},
    {TW_PEER_ABI_VERSION, sizeof(tw_peer), "naive-delayed", &three_percent, TW_PEER_CPU, 0, version,
     NULL, NULL, prepare, run, destroy},
};

const tw_peer* tw_peers(uint32_t abi_version, uint32_t* count) {
  if (abi_version != TW_PEER_ABI_VERSION) {
    *count = 0;
    return NULL;
  }
  *count = sizeof peers / sizeof *peers;
  return peers;
}
