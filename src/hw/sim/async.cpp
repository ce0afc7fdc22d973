#include "hw/sim/async.h"

#include <cstring>
#include <mutex>

#include "hw/sim/machine.h"
#include "numeric/bf16.h"
#include "numeric/f16.h"

namespace tilewright::hw::sim {
namespace {

std::mutex& global_sums() {
  static std::mutex mutex;  // clusters on other OS threads add to the same memory
  return mutex;
}

template <class T>
T load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T, class Add>
void add_each(std::byte* to, const std::byte* from, std::uint32_t bytes, Add add) {
  for (std::uint32_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    const T sum = add(load_as<T>(to + i), load_as<T>(from + i));
    std::memcpy(to + i, &sum, sizeof(T));
  }
}

void add_to(std::byte* to, const std::byte* from, std::uint32_t bytes, BulkOperation operation) {
  const std::lock_guard lock(global_sums());
  switch (operation) {
    case BulkOperation::kStore:
      std::memcpy(to, from, bytes);
      break;
    case BulkOperation::kAddF32:
      add_each<float>(to, from, bytes, [](float a, float b) { return a + b; });
      break;
    case BulkOperation::kAddU32:
      add_each<std::uint32_t>(to, from, bytes, [](auto a, auto b) { return a + b; });
      break;
    case BulkOperation::kAddF16:
      add_each<std::uint16_t>(to, from, bytes, [](auto a, auto b) {
        return numeric::f16_from_f32(numeric::f16_to_f32(a) + numeric::f16_to_f32(b));
      });
      break;
    case BulkOperation::kAddBF16:
      add_each<std::uint16_t>(to, from, bytes, [](auto a, auto b) {
        return numeric::bf16_from_f32(numeric::bf16_to_f32(a) + numeric::bf16_to_f32(b));
      });
      break;
  }
}

std::vector<Span> spans_of(const std::vector<Piece>& pieces) {
  std::vector<Span> spans;
  for (const Piece& piece : pieces) spans.push_back({piece.shared, piece.bytes});
  return joined(std::move(spans));
}

}  // namespace

AsyncWrite::AsyncWrite(Machine& machine, Block& target, std::vector<Piece> pieces, Proxy proxy,
                       Site at)
    : target_(&target),
      pieces_(std::move(pieces)),
      spans_(spans_of(pieces_)),
      proxy_(proxy),
      at_(at) {
  for (const Span& span : spans_) {
    machine.check_shared(target, span.offset, span.bytes, 1, "overwrites", at);
    machine.fail_if(at, target.shadow.begin_write(machine.self().actor(), span, proxy, at));
  }
}

void AsyncWrite::land() {
  if (std::exchange(landed_, true)) return;
  for (const Piece& piece : pieces_) {
    std::memcpy(target_->memory.data() + piece.shared,
                piece.global == nullptr ? piece.fill : piece.global, piece.bytes);
  }
}

void AsyncWrite::finish(Slot slot, Tick tick) {
  land();
  if (std::exchange(finished_, true)) return;
  for (const Span& span : spans_) target_->shadow.end_write(span, slot, tick, proxy_);
}

BulkStore::BulkStore(Machine& machine, Block& source, std::vector<Piece> pieces,
                     BulkOperation operation, Site at)
    : source_(&source),
      pieces_(std::move(pieces)),
      spans_(spans_of(pieces_)),
      operation_(operation),
      at_(at) {
  for (const Span& span : spans_) {
    machine.check_shared(source, span.offset, span.bytes, 1, "reads", at);
    machine.fail_if(at, source.shadow.begin_read(machine.self().actor(), span, at));
  }
}

void BulkStore::read() {
  if (std::exchange(read_, true)) return;
  for (const Piece& piece : pieces_) {
    const std::byte* from = source_->memory.data() + piece.shared;
    data_.insert(data_.end(), from, from + piece.bytes);
  }
}

void BulkStore::finish_read(Thread& who) {
  read();
  if (std::exchange(read_finished_, true)) return;
  for (const Span& span : spans_) {
    source_->shadow.end_read(span);
    source_->shadow.add_reader(span, who.slot, who.knows.seen[who.slot], at_);
  }
}

void BulkStore::write() {
  if (std::exchange(written_, true)) return;
  const std::byte* from = data_.data();
  for (const Piece& piece : pieces_) {
    if (piece.global != nullptr) add_to(piece.global, from, piece.bytes, operation_);
    from += piece.bytes;
  }
}

}  // namespace tilewright::hw::sim
