// include/simreel/simreel.h: arguments of C checked and passed on, exceptions turned into errors.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/version.h"
#include "exec/driver.h"
#include "formats/element.h"
#include "library/pushed.h"
#include "simreel/simreel.h"
#include "simreel/simreel.hpp"

struct simreel_error {
  int code;
  std::string message;
};

struct simreel_video {
  simreel::PushedVideo video;
};

namespace simreel {
namespace {

// Stores an error for the caller. Of what happens without memory only the code comes back.
int store(simreel_error** to, int code, const char* message) {
  if (to == nullptr) return code;
  *to = nullptr;
  try {
    *to = new simreel_error{code, message};
  } catch (const std::bad_alloc&) {
    return code;
  }
  return code;
}

// Calls `work`; returns the code of what it throws.
template <class Work>
int guarded(simreel_error** error, const Work& work) {
  if (error != nullptr) *error = nullptr;
  try {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
      throw RuntimeError("simreel needs a CPU with AVX2 and FMA (x86-64-v3: Intel Haswell, AMD Excavator or newer)");
#endif
    work();
    return SIMREEL_DONE;
  } catch (const UsageError& failure) {
    return store(error, SIMREEL_USAGE, failure.what());
  } catch (const api::UsageError& failure) {
    return store(error, SIMREEL_USAGE, failure.what());
  } catch (const std::bad_alloc&) {
    return store(error, SIMREEL_FAILED, "out of memory");
  } catch (const std::exception& failure) {
    return store(error, SIMREEL_FAILED, failure.what());
  } catch (...) {
    return store(error, SIMREEL_FAILED, "an unknown failure");
  }
}

std::vector<std::string> texts(const char* const* list, std::size_t count, const char* what) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) {
    if (list == nullptr || list[i] == nullptr) throw UsageError(fmt::format("{} {} is NULL", what, i));
    all.emplace_back(list[i]);
  }
  return all;
}

// The caller's struct may be that of an older or a newer header: what it lacks stays at its default.
template <class Struct>
Struct copy_of(const Struct& given, std::size_t least, const char* name) {
  if (given.struct_size < least)
    throw UsageError(fmt::format("{}.struct_size is {}; set it to sizeof({})", name, given.struct_size, name));
  Struct copy{};
  std::memcpy(&copy, &given, std::min(given.struct_size, sizeof copy));
  return copy;
}

simreel_device device_of(const simreel_device* given) {
  return given == nullptr ? simreel_device{} : copy_of(*given, sizeof(simreel_device), "simreel_device");
}

Executor executor_of(const simreel_device& device) {
  if (device.backend < SIMREEL_AUTOMATIC || device.backend > SIMREEL_CUDA)
    throw UsageError(fmt::format("simreel_device.backend is {}, which is none", device.backend));
  const Wanted wanted[] = {Wanted::automatic, Wanted::cpu, Wanted::cuda};
  return open_executor(wanted[device.backend], device.backend == SIMREEL_CUDA ? device.index : -1, device.threads, {});
}

Element element_of(std::int32_t type) {
  using enum Element::Kind;
  constexpr Element elements[] = {{real, 2},
                                  {real, 4},
                                  {real, 8},
                                  {signed_integer, 1},
                                  {signed_integer, 2},
                                  {signed_integer, 4},
                                  {signed_integer, 8},
                                  {unsigned_integer, 1},
                                  {unsigned_integer, 2},
                                  {unsigned_integer, 4},
                                  {unsigned_integer, 8},
                                  {boolean, 1}};
  if (type < 0 || static_cast<std::size_t>(type) >= std::size(elements))
    throw UsageError(fmt::format("simreel_array.type is {}, which is none", type));
  return elements[type];
}

// The values of an array, row after row.
struct Values {
  std::int64_t rows = 0, columns = 1;
  bool in_float = true;
  std::vector<double> list;
};

Values values_of(const simreel_array* given, const char* what) {
  if (given == nullptr) throw UsageError(fmt::format("{} is NULL", what));
  const simreel_array array = copy_of(*given, sizeof(simreel_array), "simreel_array");
  const Element element = element_of(array.type);
  if (array.axes < 1 || array.axes > 2)
    throw UsageError(fmt::format("{} has {} axes; it needs 1 or 2", what, array.axes));
  if (array.data == nullptr || array.shape == nullptr)
    throw UsageError(fmt::format("{} has no data or no shape", what));
  Values values;
  values.in_float = fits_float(element);
  values.rows = array.shape[0];
  if (array.axes == 2) values.columns = array.shape[1];
  constexpr std::int64_t most = std::int64_t{1} << 31;
  if (values.rows < 1 || values.columns < 1 || values.rows > most / values.columns)
    throw UsageError(fmt::format("{} is {} x {}; it needs 1 to 2^31 values", what, values.rows, values.columns));
  const std::int64_t row = array.strides != nullptr ? array.strides[0] : values.columns;
  const std::int64_t column = array.strides != nullptr && array.axes == 2 ? array.strides[1] : 1;
  const auto bytes = static_cast<std::int64_t>(element.bytes);
  const auto width = static_cast<std::size_t>(values.columns);
  values.list.resize(static_cast<std::size_t>(values.rows) * width);
  std::vector<std::byte> gathered(width * element.bytes);
  for (std::int64_t y = 0; y < values.rows; ++y) {
    const std::byte* from = static_cast<const std::byte*>(array.data) + y * row * bytes;
    if (column != 1) {
      for (std::int64_t x = 0; x < values.columns; ++x)
        std::memcpy(gathered.data() + x * bytes, from + x * column * bytes, element.bytes);
      from = gathered.data();
    }
    convert(element, from, width, values.list.data() + static_cast<std::size_t>(y) * width);
  }
  return values;
}

void expect_shape(const Values& values, std::int64_t rows, std::int64_t columns, const char* what) {
  if (values.rows != rows || values.columns != columns)
    throw UsageError(
        fmt::format("{} is {} x {}; it must be {} x {}", what, values.rows, values.columns, rows, columns));
}

PushedFrame field_frame(const simreel_array* field, double time) {
  Values values = values_of(field, "the field");
  constexpr std::int64_t most = 1 << 24;
  if (values.rows > most || values.columns > most)
    throw UsageError(
        fmt::format("the field is {} x {}; each side has 1 to {} cells", values.rows, values.columns, most));
  PushedFrame frame;
  frame.nx = static_cast<int>(values.columns);
  frame.ny = static_cast<int>(values.rows);
  frame.in_float = values.in_float;
  frame.field = std::move(values.list);
  frame.time = time;
  return frame;
}

PushedFrame body_frame(const simreel_array* position, const simreel_array* velocity, const simreel_array* mass,
                       double time) {
  const Values at = values_of(position, "position");
  expect_shape(at, at.rows, 3, "position");
  PushedFrame frame;
  frame.in_float = at.in_float;
  frame.time = time;
  const auto count = static_cast<std::size_t>(at.rows);
  frame.position.resize(count);
  frame.velocity.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double* const p = at.list.data() + 3 * i;
    if (!(std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2])))
      throw UsageError(fmt::format("the position of body {} is not finite", i));
    frame.position[i] = {p[0], p[1], p[2], 1};
  }
  if (velocity != nullptr) {
    const Values v = values_of(velocity, "velocity");
    expect_shape(v, at.rows, 3, "velocity");
    frame.in_float &= v.in_float;
    for (std::size_t i = 0; i < count; ++i)
      frame.velocity[i] = {v.list[3 * i], v.list[3 * i + 1], v.list[3 * i + 2], 0};
  }
  if (mass != nullptr) {
    const Values m = values_of(mass, "mass");
    expect_shape(m, at.rows, 1, "mass");
    frame.in_float &= m.in_float;
    for (std::size_t i = 0; i < count; ++i) {
      if (!(m.list[i] >= 0 && std::isfinite(m.list[i])))
        throw UsageError(fmt::format("the mass of body {} is {}", i, m.list[i]));
      frame.position[i].w = m.list[i];
    }
  }
  return frame;
}

api::RenderOptions options_of(const char* const* set, std::size_t sets, const char* const* outputs, std::size_t count,
                              const simreel_device* given) {
  const simreel_device device = device_of(given);
  if (device.backend < SIMREEL_AUTOMATIC || device.backend > SIMREEL_CUDA)
    throw UsageError(fmt::format("simreel_device.backend is {}, which is none", device.backend));
  api::RenderOptions options;
  options.outputs = texts(outputs, count, "output");
  options.overrides = texts(set, sets, "override");
  const api::Device devices[] = {api::Device::automatic, api::Device::cpu, api::Device::cuda};
  options.device = devices[device.backend];
  options.cuda_device = device.index;
  options.threads = device.threads;
  options.overwrite = device.overwrite != 0;
  return options;
}

}  // namespace
}  // namespace simreel

using namespace simreel;

extern "C" {

const char* simreel_version(void) { return simreel::version; }

const char* simreel_error_message(const simreel_error* error) { return error == nullptr ? "" : error->message.c_str(); }
int simreel_error_code(const simreel_error* error) { return error == nullptr ? SIMREEL_DONE : error->code; }
void simreel_error_free(simreel_error* error) { delete error; }

simreel_video* simreel_video_open(const char* const* outputs, size_t count, const char* view,
                                  const simreel_device* device, simreel_error** error) {
  std::unique_ptr<simreel_video> opened;
  guarded(error, [&] {
    const simreel_device wanted = device_of(device);
    opened.reset(new simreel_video{
        {texts(outputs, count, "output"), view == nullptr ? "" : view, executor_of(wanted), wanted.overwrite != 0}});
  });
  return opened.release();
}

int simreel_video_write(simreel_video* video, const simreel_array* field, double time, simreel_error** error) {
  return guarded(error, [&] {
    if (video == nullptr) throw UsageError("video is NULL");
    video->video.write(field_frame(field, time));
  });
}

int simreel_video_write_bodies(simreel_video* video, const simreel_array* position, const simreel_array* velocity,
                               const simreel_array* mass, double time, simreel_error** error) {
  return guarded(error, [&] {
    if (video == nullptr) throw UsageError("video is NULL");
    video->video.write(body_frame(position, velocity, mass, time));
  });
}

int64_t simreel_video_frames(const simreel_video* video) { return video == nullptr ? 0 : video->video.frames(); }

int simreel_video_close(simreel_video* video, simreel_error** error) {
  const std::unique_ptr<simreel_video> owned(video);
  return guarded(error, [&] {
    if (owned) owned->video.close();
  });
}

void simreel_video_abandon(simreel_video* video) { delete video; }

int simreel_render(const char* scene, const char* const* set, size_t sets, const char* const* outputs, size_t count,
                   const simreel_device* device, int64_t* frames, simreel_error** error) {
  return guarded(error, [&] {
    if (scene == nullptr) throw UsageError("scene is NULL");
    const api::RenderResult result = api::render(scene, options_of(set, sets, outputs, count, device));
    if (frames != nullptr) *frames = result.frames;
    if (!result.divergence.empty()) throw RuntimeError("the simulation diverged: " + result.divergence);
  });
}

int simreel_check(const char* scene, const char* const* set, size_t sets, const char* const* outputs, size_t count,
                  const simreel_device* device, simreel_error** error) {
  return guarded(error, [&] {
    if (scene == nullptr) throw UsageError("scene is NULL");
    api::check(scene, options_of(set, sets, outputs, count, device));
  });
}

}  // extern "C"
