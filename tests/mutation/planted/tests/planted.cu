// SPDX-License-Identifier: Apache-2.0
#include <tweed/block/planted.cuh>

static_assert(tweed::most == 7 && tweed::half(7) == 3, "");

int main() {
  bool const isRight = tweed::least(1, 2) == 1 && tweed::least(2, 1) == 1 && tweed::barriers == 2 &&
                       tweed::next(tweed::barriers) == 3;
  return isRight ? 0 : 1;
}
