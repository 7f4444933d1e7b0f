// SPDX-License-Identifier: Apache-2.0
/// Streams, events and errors. Every call is synchronous, so streams hold nothing and events are
/// points in time.
#include <chrono>
#include <mutex>
#include <set>

#include "engine.hpp"
#include "runtime.hpp"

struct CUstream_st {};
struct CUevent_st {
  bool timed = true, recorded = false;
  std::chrono::steady_clock::time_point at;
};

namespace tweed::loom {
namespace {

thread_local cudaError_t lastError = cudaSuccess;

// Handles are looked up, never followed blindly: a destroyed one gives an error code.
std::mutex handleMutex;
std::set<void*>& handles() {
  static auto* const all = new std::set<void*>;  // outlives all statics
  return *all;
}
template <typename T>
T* track(T* handle) {
  std::lock_guard<std::mutex> lock(handleMutex);
  handles().insert(handle);
  return handle;
}
bool isTracked(void* handle) {
  std::lock_guard<std::mutex> lock(handleMutex);
  return handles().count(handle) != 0;
}
template <typename T>
cudaError_t destroy(T* handle) {
  {
    std::lock_guard<std::mutex> lock(handleMutex);
    if (handles().erase(handle) == 0) return fail(cudaErrorInvalidResourceHandle);
  }
  delete handle;
  return cudaSuccess;
}

cudaError_t onStream(cudaStream_t stream) {
  return isStream(stream) ? cudaSuccess : fail(cudaErrorInvalidResourceHandle);
}
cudaError_t onEvent(cudaEvent_t event) {
  return isTracked(event) ? cudaSuccess : fail(cudaErrorInvalidResourceHandle);
}

struct ErrorText {
  cudaError_t error;
  char const* name;
  char const* text;
};
#define TWEED_LOOM_ERROR(NAME, TEXT) \
  { NAME, #NAME, TEXT }
constexpr ErrorText errorTexts[] = {
    TWEED_LOOM_ERROR(cudaSuccess, "no error"),
    TWEED_LOOM_ERROR(cudaErrorInvalidValue, "invalid argument"),
    TWEED_LOOM_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    TWEED_LOOM_ERROR(cudaErrorInitializationError, "initialization error"),
    TWEED_LOOM_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    TWEED_LOOM_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    TWEED_LOOM_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    TWEED_LOOM_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    TWEED_LOOM_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    TWEED_LOOM_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    TWEED_LOOM_ERROR(cudaErrorNotReady, "device not ready"),
    TWEED_LOOM_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    TWEED_LOOM_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    TWEED_LOOM_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    TWEED_LOOM_ERROR(cudaErrorAssert, "device-side assert triggered"),
    TWEED_LOOM_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    TWEED_LOOM_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    TWEED_LOOM_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    TWEED_LOOM_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    TWEED_LOOM_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    TWEED_LOOM_ERROR(cudaErrorNotSupported, "operation not supported"),
    TWEED_LOOM_ERROR(cudaErrorStreamCaptureUnsupported,
                     "operation not permitted when stream is capturing"),
    TWEED_LOOM_ERROR(cudaErrorStreamCaptureInvalidated,
                     "operation failed due to a previous error during capture"),
    TWEED_LOOM_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef TWEED_LOOM_ERROR

}  // namespace

cudaError_t fail(cudaError_t error) {
  if (error != cudaSuccess) lastError = error;
  return error;
}

bool isStream(cudaStream_t stream) {
  return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
         isTracked(stream);
}

}  // namespace tweed::loom

using namespace tweed::loom;

extern "C" {
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  if (!stream || (flags & ~unsigned(cudaStreamNonBlocking))) return fail(cudaErrorInvalidValue);
  *stream = track(new CUstream_st);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return destroy(stream); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return onStream(stream); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { return onStream(stream); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  cudaError_t const error = onStream(stream);
  return error != cudaSuccess ? error : onEvent(event);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (!status) return fail(cudaErrorInvalidValue);
  *status = cudaStreamCaptureStatusNone;
  return onStream(stream);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (!event || (flags & ~unsigned(cudaEventBlockingSync | cudaEventDisableTiming)))
    return fail(cudaErrorInvalidValue);
  *event = track(new CUevent_st);
  (*event)->timed = !(flags & cudaEventDisableTiming);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { return destroy(event); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  cudaError_t error = onEvent(event);
  if (error == cudaSuccess) error = onStream(stream);
  if (error != cudaSuccess) return error;
  event->recorded = true;
  event->at = std::chrono::steady_clock::now();
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return onEvent(event); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return onEvent(event); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds) return fail(cudaErrorInvalidValue);
  for (cudaEvent_t event : {start, end})
    if (!isTracked(event) || !event->timed || !event->recorded)
      return fail(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - start->at).count();
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }
cudaError_t cudaGetLastError(void) {
  cudaError_t const error = lastError;
  lastError = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError(void) { return lastError; }
char const* cudaGetErrorName(cudaError_t error) {
  for (ErrorText const& e : errorTexts)
    if (e.error == error) return e.name;
  return "unrecognized error code";
}
char const* cudaGetErrorString(cudaError_t error) {
  for (ErrorText const& e : errorTexts)
    if (e.error == error) return e.text;
  return "unrecognized error code";
}
}
