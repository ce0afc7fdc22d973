// Who is timed after whom, and what that does to the times.
#pragma once

#include <cstddef>
#include <vector>

namespace tilewright::measure {

enum class OrderKind { kRotated, kBalanced };

// Places of one round, a permutation of 0 .. count-1.
// Rotated: round r starts at r mod count, and every second round runs backwards.
// Balanced: the rows of a Williams design in turn: over count rounds (2 count where count is odd)
// each comes once (twice) directly after each other one. With fewer than 3 it is the rotated order.
std::vector<std::size_t> round_order(OrderKind kind, std::size_t count, std::size_t round);

struct CarryOver {
  std::size_t predecessor = 0;  // whose successors the figure is of
  double effect = 0;            // +0.01: times right after it are 1 % longer than after the others
  std::size_t turns = 0;        // how many turns it was estimated from
};

// `orders[r]` are the places of round r, `medians[i][r]` the time of implementation i in round r
// (NaN where it has none). First in a round counts as after the last of the round before; the very
// first turn has no predecessor. A least-squares fit of log time = implementation + round +
// predecessor. One item an implementation that precedes anyone; empty with fewer than 3
// implementations, where predecessor and implementation cannot be told apart.
std::vector<CarryOver> carry_over(const std::vector<std::vector<std::size_t>>& orders,
                                  const std::vector<std::vector<double>>& medians);

}  // namespace tilewright::measure
