// SPDX-License-Identifier: Apache-2.0
// tests/support/ops.cuh - operators and types that show a wrong order, a missing value or an extra
// one.
#pragma once

#include <tweed/core/config.cuh>

#include <atomic>
#include <cstdint>
#include <string>

namespace tweedTest {

/// x -> a * x + b modulo 2^32; composition depends on order. Not commutative, has an identity.
struct Affine {
  unsigned a, b;
  friend TWEED_HOST_DEVICE bool operator==(Affine const& x, Affine const& y) {
    return x.a == y.a && x.b == y.b;
  }
};
struct Compose {
  TWEED_HOST_DEVICE Affine operator()(Affine const& x, Affine const& y) const {
    return {x.a * y.a, x.b * y.a + y.b};
  }
  static TWEED_HOST_DEVICE Affine identity() { return {1, 0}; }
};

/// A stretch of neighbouring positions. Joining two that do not touch poisons the result, so any
/// lost, repeated or swapped item, and any item that is not data, is seen. No identity.
struct Stretch {
  std::uint32_t begin, end, valid;
  static TWEED_HOST_DEVICE Stretch at(std::uint32_t i) { return {i, i + 1, 0x600D600D}; }
  friend TWEED_HOST_DEVICE bool operator==(Stretch const& x, Stretch const& y) {
    return x.begin == y.begin && x.end == y.end && x.valid == y.valid;
  }
};
struct Join {
  TWEED_HOST_DEVICE Stretch operator()(Stretch const& x, Stretch const& y) const {
    bool const good = x.valid == 0x600D600D && y.valid == 0x600D600D && x.end == y.begin;
    return {x.begin, y.end, good ? 0x600D600D : 0xBAD0BAD0};
  }
};

/// Join that counts in `bad` each call on a value that is not data or not a neighbour, also where
/// nobody looks at what comes of it.
struct WatchedJoin {
  int* bad;
  TWEED_HOST_DEVICE Stretch operator()(Stretch const& x, Stretch const& y) const {
    Stretch const joined = Join{}(x, y);
#if defined(__CUDA_ARCH__) || defined(TWEED_LOOM)
    if (joined.valid != 0x600D600D) atomicAdd(bad, 1);
#endif
    return joined;
  }
};

/// A byte at position i of a text, as the operator of wordCount sees it: order matters, 16 to a
/// load.
struct TextHash {  // sum of byte[i] * 31^(n-1-i), and 31^n
  unsigned value, power;
  TextHash() = default;
  TWEED_HOST_DEVICE explicit TextHash(unsigned char byte) : value(byte), power(31) {}
  TWEED_HOST_DEVICE TextHash(unsigned v, unsigned p) : value(v), power(p) {}
};
struct HashText {
  TWEED_HOST_DEVICE TextHash operator()(TextHash const& a, TextHash const& b) const {
    return {a.value * b.power + b.value, a.power * b.power};
  }
};

/// A text of up to 32 letters of five bits, and one letter put behind another. Not commutative.
struct Letters {
  static constexpr int most = 32;
  static constexpr int perWord = 12;
  unsigned long long word[3];
  int count;  // -1: not a text

  static TWEED_HOST_DEVICE Letters of(int letter) {
    return {{(unsigned long long)(letter & 31), 0, 0}, 1};
  }
  friend bool operator==(Letters const& x, Letters const& y) {
    for (int i = 0; i < 3; ++i)
      if (x.word[i] != y.word[i]) return false;
    return x.count == y.count;
  }
  TWEED_HOST_DEVICE unsigned at(int i) const {
    return unsigned(word[i / perWord] >> (i % perWord * 5)) & 31u;
  }
  TWEED_HOST_DEVICE void append(unsigned letter) {
    word[count / perWord] |= (unsigned long long)(letter) << (count % perWord * 5);
    ++count;
  }
};
struct Concatenate {
  TWEED_HOST_DEVICE Letters operator()(Letters const& x, Letters const& y) const {
    bool const good = x.count >= 0 && y.count >= 0 && x.count <= Letters::most &&
                      y.count <= Letters::most && x.count + y.count <= Letters::most;
    if (!good) return {{0, 0, 0}, -1};
    Letters text = x;
    for (int i = 0; i < y.count; ++i) text.append(y.at(i));
    return text;
  }
  static TWEED_HOST_DEVICE Letters identity() { return {{0, 0, 0}, 0}; }
};
inline std::string spell(Letters const& text) {
  if (text.count < 0 || text.count > Letters::most) return "(not a text)";
  std::string all;
  for (int i = 0; i < text.count; ++i) all += "abcdefghijklmnopqrstuvwxyz012345"[text.at(i)];
  return all;
}

/// N bytes, aligned to one.
template <int N>
struct Bytes {
  unsigned char byte[N];
  static TWEED_HOST_DEVICE Bytes of(unsigned seed) {
    Bytes b{};
    for (int i = 0; i < N; ++i) b.byte[i] = (unsigned char)((seed * 2654435761u >> 11) + i * 37);
    return b;
  }
  friend TWEED_HOST_DEVICE bool operator==(Bytes const& x, Bytes const& y) {
    for (int i = 0; i < N; ++i)
      if (x.byte[i] != y.byte[i]) return false;
    return true;
  }
};

/// A type of 40 bytes.
struct Wide {
  long long v[5];
  friend TWEED_HOST_DEVICE bool operator==(Wide const& x, Wide const& y) {
    for (int i = 0; i < 5; ++i)
      if (x.v[i] != y.v[i]) return false;
    return true;
  }
};
struct AddWide {
  TWEED_HOST_DEVICE Wide operator()(Wide const& x, Wide const& y) const {
    Wide r{};
    for (int i = 0; i < 5; ++i) r.v[i] = x.v[i] + y.v[i];
    return r;
  }
};

/// Copyable, but not trivially; no default constructor. A copy of one that was destroyed is wrong.
class Counted {
 public:
  TWEED_HOST_DEVICE explicit Counted(int value) : value_(value), check_(~value) { count(1); }
  TWEED_HOST_DEVICE Counted(Counted const& o) : value_(o.value()), check_(~value_) { count(1); }
  TWEED_HOST_DEVICE Counted& operator=(Counted const& o) {
    value_ = o.value();
    check_ = ~value_;
    return *this;
  }
  TWEED_HOST_DEVICE ~Counted() {
    check_ = 0;
    count(-1);
  }
  TWEED_HOST_DEVICE int value() const { return check_ == ~value_ ? value_ : -1000000; }

  /// Whether each was destroyed once. On the loom; a GPU cannot say.
  static bool areGone() { return alive == 0; }

 private:
  static TWEED_HOST_DEVICE void count([[maybe_unused]] int more) {
#if defined(TWEED_LOOM)
    alive.fetch_add(more, std::memory_order_relaxed);
#endif
  }
  static inline std::atomic<int> alive{0};

  int value_, check_;
};
struct AddCounted {
  TWEED_HOST_DEVICE Counted operator()(Counted const& x, Counted const& y) const {
    return Counted(x.value() + y.value());
  }
};

/// A value that must be copied by its constructor: moved as bytes, it is lost. For operators whose
/// order matters.
template <class T>
class Held {
 public:
  TWEED_HOST_DEVICE explicit Held(T const& value) : value_(value), self_(this) {}
  TWEED_HOST_DEVICE Held(Held const& o) : value_(o.get()), self_(this) {}
  TWEED_HOST_DEVICE Held& operator=(Held const& o) {
    value_ = o.get();
    return *this;
  }
  TWEED_HOST_DEVICE ~Held() { self_ = nullptr; }
  TWEED_HOST_DEVICE T get() const { return self_ == this ? value_ : T{}; }

 private:
  T value_;
  Held const* self_;
};
template <class Op>
struct HeldOp {
  Op op;
  template <class T>
  TWEED_HOST_DEVICE Held<T> operator()(Held<T> const& x, Held<T> const& y) const {
    return Held<T>(op(x.get(), y.get()));
  }
};

/// A sum and what its additions lost, in order (A. Neumaier, 1974; D. Knuth's exact addition).
struct Compensated {
  float sum, lost;
};
struct SumExactly {
  static constexpr bool isCommutative = false;
  static TWEED_HOST_DEVICE Compensated lift(float x) { return {x, 0}; }
  TWEED_HOST_DEVICE Compensated operator()(Compensated const& x, Compensated const& y) const {
    float const sum = x.sum + y.sum;
    float const part = sum - x.sum;
    float const lost = (x.sum - (sum - part)) + (y.sum - part);
    return {sum, lost + (x.lost + y.lost)};
  }
};
inline double total(Compensated const& x) { return double(x.sum) + double(x.lost); }

}  // namespace tweedTest
