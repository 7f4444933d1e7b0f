// SPDX-License-Identifier: Apache-2.0
// expect: tweed::deviceReduce: the type of *out must be trivially copyable
#include <tweed/device/deviceReduce.cuh>

struct Counted {
  TWEED_HOST_DEVICE explicit Counted(int v) : value(v) {}
  TWEED_HOST_DEVICE Counted(Counted const& other) : value(other.value) {}
  TWEED_HOST_DEVICE Counted& operator=(Counted const&) { return *this; }
  int value;
};
struct AddCounted {
  TWEED_HOST_DEVICE Counted operator()(Counted const& a, Counted const& b) const {
    return Counted(a.value + b.value);
  }
};
void start(int const* in, Counted* out) { tweed::deviceReduce(in, 256, out, AddCounted{}); }
