// SPDX-License-Identifier: Apache-2.0
// tweed/memory/tensorMap.cuh - describe a matrix in global memory to the copy engine (TMA).
#pragma once

#include <tweed/arch/bulkCopy.cuh>
#include <tweed/core/error.cuh>

#if !defined(__CUDACC_RTC__)

#include <cstddef>
#include <cstdint>
#include <string>

namespace tweed {

/// The numbers of a tensor map. Dimension 0 is contiguous; a matrix of `rows` x `columns`,
/// row-major with `pitch` elements from row to row, has extent {columns, rows, 1} and strideBytes
/// {pitch * elementBytes, 0}.
struct TensorShape {
  enum class Element { Half, Bfloat16, Float, Tf32, Bytes1, Bytes2, Bytes4 };
  enum class Swizzle { None, Bytes32, Bytes64, Bytes128 };

  Element element;
  std::uint64_t extent[3];       ///< elements: x, y, and z, which is 1 for a matrix
  std::uint64_t strideBytes[2];  ///< from y to y + 1, and from z to z + 1
  std::uint32_t box[2];          ///< elements of x and y that one copy moves
  Swizzle swizzle = Swizzle::Bytes128;
};

namespace detail {

// The encoder's constants, so that no header of the driver is needed; tests/memory/tensorMap.cu
// compares them with the driver's.
struct TensorMapCodes {
  static constexpr int element[] = {6, 9, 7, 11, 0, 1, 2};
  static constexpr int elementBytes[] = {2, 2, 4, 4, 1, 2, 4};
  static constexpr int swizzle[] = {0, 1, 2, 3};
  static constexpr int swizzleBytes[] = {256 * 16, 32, 64, 128};
  static constexpr int interleaveNone = 0;
  static constexpr int promote256Bytes = 3;
  static constexpr int fillZeros = 0;
};
using TensorMapEncoder = int (*)(void* map, int element, unsigned dimensions, void* address,
                                 std::uint64_t const* extent, std::uint64_t const* strideBytes,
                                 std::uint32_t const* box, std::uint32_t const* steps,
                                 int interleave, int swizzle, int promotion, int fill);

// Found at run time: a program needs no link to the driver's library.
inline TensorMapEncoder tensorMapEncoder() {
#if defined(TWEED_LOOM)
  fail(cudaErrorNotSupported, "tweed::makeTensorMap: the loom has no copy engine");
#else
  static TensorMapEncoder const encoder = [] {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    TWEED_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                                 cudaEnableDefault, &found));
#else
    TWEED_CHECK(
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found));
#endif
    if (entry == nullptr || found != cudaDriverEntryPointSuccess)
      fail(cudaErrorNotSupported,
           "tweed::makeTensorMap: the driver has no cuTensorMapEncodeTiled; one of CUDA 12.0 or "
           "later is needed");
    return reinterpret_cast<TensorMapEncoder>(entry);
  }();
  return encoder;
#endif
}

// The first rule that a shape breaks, as a sentence; empty if it keeps all.
inline std::string tensorMapComplaint(void const* address, TensorShape const& shape) {
  auto const number = [](std::uint64_t n) { return std::to_string(n); };
  std::uint64_t const elementBytes = TensorMapCodes::elementBytes[int(shape.element)];
  if (address == nullptr) return "is a null pointer";
  std::uint64_t const offset = reinterpret_cast<std::uintptr_t>(address) % 16;
  if (offset != 0)
    return "begins " + number(offset) +
           " bytes behind a multiple of 16; the copy engine needs a multiple of 16";
  for (int i = 0; i < 3; ++i)
    if (shape.extent[i] < 1 || shape.extent[i] > std::uint64_t(1) << 32)
      return "has " + number(shape.extent[i]) + " elements in dimension " + number(unsigned(i)) +
             "; 1 to 4294967296 are allowed";
  for (int i = 0; i < 2; ++i) {
    if (shape.extent[i + 1] == 1) continue;  // not used
    std::uint64_t const stride = shape.strideBytes[i];
    if (stride % 16 != 0 || stride >= std::uint64_t(1) << 40)
      return "has a stride of " + number(stride) + " bytes in dimension " +
             number(unsigned(i + 1)) + "; a multiple of 16 below 2^40 is needed";
  }
  if (shape.strideBytes[0] < shape.extent[0] * elementBytes && shape.extent[1] > 1)
    return "has rows of " + number(shape.extent[0] * elementBytes) + " bytes and a stride of " +
           number(shape.strideBytes[0]) + "; at least the row is needed";
  for (int i = 0; i < 2; ++i)
    if (shape.box[i] < 1 || shape.box[i] > 256)
      return "is copied in boxes of " + number(shape.box[i]) + " elements in dimension " +
             number(unsigned(i)) + "; 1 to 256 are allowed";
  std::uint64_t const boxBytes = shape.box[0] * elementBytes;
  if (boxBytes % 16 != 0)
    return "is copied in boxes of rows of " + number(boxBytes) +
           " bytes; a multiple of 16 is needed";
  std::uint64_t const most = std::uint64_t(TensorMapCodes::swizzleBytes[int(shape.swizzle)]);
  if (boxBytes > most)
    return "is copied in boxes of rows of " + number(boxBytes) + " bytes; its swizzle allows " +
           number(most);
  return "";
}

}  // namespace detail

/// Makes the map by which kernels copy boxes of a tensor (arch::tensorLoad, arch::tensorStore).
///
///     tweed::makeTensorMap("A", a, {tweed::TensorShape::Element::Half, {k, m, 1},
///                                   {2 * pitch, 0}, {64, 128}});
///
/// Shape    `address` of element (0, 0, 0) in device memory; `operand` names it in errors.
/// Result   128 bytes to pass to kernels by value; valid as long as the memory is.
/// Sync     none; nothing is copied.
/// Cost     a fraction of a microsecond on the host.
/// Errors   throws tweed::Error naming the operand, the rule and the number: address not a multiple
///          of 16; strides not a multiple of 16; extents beyond 2^32; boxes beyond 256, not of
///          16 bytes, or wider than the swizzle; a driver before CUDA 12.0; the loom.
/// Source   CUDA driver API, cuTensorMapEncodeTiled.
inline arch::TensorMap makeTensorMap(char const* operand, void const* address,
                                     TensorShape const& shape) {
  std::string const complaint = detail::tensorMapComplaint(address, shape);
  if (!complaint.empty())
    detail::fail(cudaErrorInvalidValue,
                 std::string("tweed::makeTensorMap: ") + operand + " " + complaint);
  using Codes = detail::TensorMapCodes;
  arch::TensorMap map;
  // A stride that is not used must still be a valid one.
  std::uint64_t const rowBytes =
      (shape.extent[0] * std::uint64_t(Codes::elementBytes[int(shape.element)]) + 15) / 16 * 16;
  std::uint64_t const strides[2] = {shape.extent[1] == 1 ? rowBytes : shape.strideBytes[0],
                                    shape.extent[2] == 1 ? rowBytes : shape.strideBytes[1]};
  std::uint32_t const box[3] = {shape.box[0], shape.box[1], 1};
  std::uint32_t const steps[3] = {1, 1, 1};
  int const code = detail::tensorMapEncoder()(
      &map, Codes::element[int(shape.element)], 3, const_cast<void*>(address), shape.extent,
      strides, box, steps, Codes::interleaveNone, Codes::swizzle[int(shape.swizzle)],
      Codes::promote256Bytes, Codes::fillZeros);
  if (code != 0)
    detail::fail(cudaErrorInvalidValue, std::string("tweed::makeTensorMap: the driver refused ") +
                                            operand + " with code " + std::to_string(code));
  return map;
}

}  // namespace tweed

#endif  // !defined(__CUDACC_RTC__)
