// SPDX-License-Identifier: Apache-2.0
// tests/memory/tensorMap.cu - tests tweed/memory/tensorMap.cuh; arch/bulkCopy.cu copies by its maps
#include <tweed/memory/tensorMap.cuh>

#if !defined(TWEED_LOOM)
#include <cuda.h>
#endif

#include "support/device.cuh"

namespace {

using namespace tweedTest;
using tweed::TensorShape;

TensorShape good() { return {TensorShape::Element::Half, {100, 50, 1}, {256, 0}, {64, 128}}; }

// What is said of memory at `address`, whether there is a copy engine or not.
std::string complaint(TensorShape const& shape, std::uintptr_t address = 4096) {
  return refusal(
      [&] { tweed::makeTensorMap("operand X", reinterpret_cast<void const*>(address), shape); });
}

#if !defined(TWEED_LOOM)
using Codes = tweed::detail::TensorMapCodes;
static_assert(sizeof(tweed::arch::TensorMap) == sizeof(CUtensorMap));
static_assert(alignof(tweed::arch::TensorMap) == 64);
static_assert(Codes::element[0] == CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
static_assert(Codes::element[1] == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
static_assert(Codes::element[2] == CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
static_assert(Codes::element[3] == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32);
static_assert(Codes::element[4] == CU_TENSOR_MAP_DATA_TYPE_UINT8);
static_assert(Codes::element[5] == CU_TENSOR_MAP_DATA_TYPE_UINT16);
static_assert(Codes::element[6] == CU_TENSOR_MAP_DATA_TYPE_UINT32);
static_assert(Codes::swizzle[0] == CU_TENSOR_MAP_SWIZZLE_NONE);
static_assert(Codes::swizzle[1] == CU_TENSOR_MAP_SWIZZLE_32B);
static_assert(Codes::swizzle[2] == CU_TENSOR_MAP_SWIZZLE_64B);
static_assert(Codes::swizzle[3] == CU_TENSOR_MAP_SWIZZLE_128B);
static_assert(Codes::interleaveNone == CU_TENSOR_MAP_INTERLEAVE_NONE);
static_assert(Codes::promote256Bytes == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
static_assert(Codes::fillZeros == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
#endif

}  // namespace

TEST_SUITE("tensorMap") {
  TEST_CASE("what the copy engine cannot take is refused by name and number") {
    TensorShape shape = good();
    CHECK(complaint(shape, 0) ==
          "tweed::makeTensorMap: operand X is a null pointer [cudaErrorInvalidValue]");
    CHECK(contains(complaint(shape, 4096 + 2), "operand X begins 2 bytes behind a multiple of 16"));
    CHECK(contains(complaint(shape, 4096 + 8), "begins 8 bytes behind"));
    shape.extent[0] = 0;
    CHECK(contains(complaint(shape), "has 0 elements in dimension 0"));
    shape = good(), shape.extent[1] = (1ull << 32) + 1;
    CHECK(contains(complaint(shape), "has 4294967297 elements in dimension 1"));
    shape = good(), shape.strideBytes[0] = 200;
    CHECK(contains(complaint(shape), "a stride of 200 bytes in dimension 1; a multiple of 16"));
    shape = good(), shape.extent[2] = 2, shape.strideBytes[1] = 250;
    CHECK(contains(complaint(shape), "a stride of 250 bytes in dimension 2"));
    shape = good(), shape.extent[2] = 2, shape.strideBytes[1] = 1ull << 40;
    CHECK(contains(complaint(shape), "a stride of 1099511627776 bytes"));
    shape = good(), shape.strideBytes[0] = 192;
    CHECK(contains(complaint(shape), "rows of 200 bytes and a stride of 192"));
    shape = good(), shape.box[1] = 257;
    CHECK(contains(complaint(shape), "boxes of 257 elements in dimension 1; 1 to 256"));
    shape = good(), shape.box[0] = 0;
    CHECK(contains(complaint(shape), "boxes of 0 elements in dimension 0"));
    shape = good(), shape.box[0] = 20;
    CHECK(contains(complaint(shape), "boxes of rows of 40 bytes; a multiple of 16"));
    shape = good(), shape.box[0] = 72;
    CHECK(contains(complaint(shape), "boxes of rows of 144 bytes; its swizzle allows 128"));
  }
  TEST_CASE("strides of dimensions of one are not looked at") {
    TensorShape shape = good();
    shape.extent[1] = 1, shape.strideBytes[0] = 3, shape.strideBytes[1] = 5;
    std::string const text = complaint(shape);
    CHECK(!contains(text, "stride"));
  }
#if defined(TWEED_LOOM)
  TEST_CASE("the loom says that it has no copy engine") {
    CHECK(contains(complaint(good()), "the loom has no copy engine"));
  }
#else
  TEST_CASE("the driver takes what is allowed") {
    DeviceArray<unsigned char> const memory(1 << 16);
    using Element = TensorShape::Element;
    using Swizzle = TensorShape::Swizzle;
    for (Element const element : {Element::Half, Element::Bfloat16, Element::Float, Element::Tf32,
                                  Element::Bytes1, Element::Bytes2, Element::Bytes4})
      for (Swizzle const swizzle :
           {Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128})
        for (unsigned const height : {1u, 7u, 256u}) {
          TensorShape shape{element, {8, height, 1}, {64, 0}, {8, height}, swizzle};
          if (element == Element::Bytes1) shape.extent[0] = shape.box[0] = 16;
          CHECK(refusal([&] { tweed::makeTensorMap("it", memory.data(), shape); }) == "");
          shape.extent[2] = 3, shape.strideBytes[1] = 64 * height;
          CHECK(refusal([&] { tweed::makeTensorMap("it", memory.data(), shape); }) == "");
        }
  }
#endif
}
