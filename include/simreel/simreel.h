/* Videos and pictures from the arrays of a running program, in C: for C, C++, Fortran (iso_c_binding), Julia (ccall),
 * Rust and Python (ctypes).
 *
 *   const char* outputs[] = {"x.mp4"};
 *   simreel_error* error = NULL;
 *   simreel_video* video = simreel_video_open(outputs, 1, "[view]\nrange = [0, 1]\n", NULL, &error);
 *   for (...) simreel_video_write(video, &field, time, &error);
 *   simreel_video_close(video, &error);
 *
 * Functions return 0 or a pointer on success; otherwise a code of simreel_code or NULL, and, if `error` is not NULL, an
 * error that the caller frees. No exception and no signal crosses this interface, and nothing is printed. A video is
 * used by one thread at a time; several videos may be written at once, by several threads. */
#ifndef SIMREEL_H
#define SIMREEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked, "0.1.0"; valid for ever. */
const char* simreel_version(void);

enum simreel_code {
  SIMREEL_DONE = 0,
  SIMREEL_FAILED = 1, /* a file, the device or an encoder */
  SIMREEL_USAGE = 2   /* an argument, the text of the view, or the name of an output */
};

typedef struct simreel_error simreel_error;
const char* simreel_error_message(const simreel_error*); /* valid until the error is freed */
int simreel_error_code(const simreel_error*);
void simreel_error_free(simreel_error*); /* NULL does nothing */

enum simreel_type {
  SIMREEL_FLOAT16,
  SIMREEL_FLOAT32,
  SIMREEL_FLOAT64,
  SIMREEL_INT8,
  SIMREEL_INT16,
  SIMREEL_INT32,
  SIMREEL_INT64,
  SIMREEL_UINT8,
  SIMREEL_UINT16,
  SIMREEL_UINT32,
  SIMREEL_UINT64,
  SIMREEL_BOOL /* a byte */
};

/* An array of the caller in host memory, as DLPack describes one. It is read during the call only. */
typedef struct simreel_array {
  size_t struct_size; /* sizeof(simreel_array) */
  const void* data;
  int32_t type;           /* of simreel_type, in the byte order of this machine */
  int32_t axes;           /* 1 or 2 */
  const int64_t* shape;   /* [rows, columns] of a field, row 0 below; [bodies, columns] or [bodies] */
  const int64_t* strides; /* in elements, negative ones too; NULL: rows one behind the other */
} simreel_array;

enum simreel_backend { SIMREEL_AUTOMATIC, SIMREEL_CPU, SIMREEL_CUDA };

typedef struct simreel_device {
  size_t struct_size; /* sizeof(simreel_device) */
  int32_t backend;    /* of simreel_backend; automatic: a GPU where there is one */
  int32_t index;      /* of the GPU */
  int32_t threads;    /* of the CPU; 0: one per core */
  int32_t overwrite;  /* not 0: outputs that exist are replaced */
} simreel_device;

typedef struct simreel_video simreel_video;

/* Prepares a video. `outputs`: as for `simreel render -o`: "x.mp4", "x/%06d.png", "x.h5", ... `view`: the tables
 * [view], [camera], [animation] and [output] of a scene file (docs/scene.md), TOML, with "range" of [view] as [low,
 * high] or "first" for fields; NULL: none. `device` may be NULL. Mistakes in names and keys are found here; outputs are
 * opened by the first frame, whose shape they need. */
simreel_video* simreel_video_open(const char* const* outputs, size_t count, const char* view,
                                  const simreel_device* device, simreel_error** error);

/* Appends a frame that shows a field of `shape` [rows, columns]. Returns when the array may be overwritten; blocks
 * while encoders are behind. Every frame has the shape of the first. Types that float holds exactly are drawn as float,
 * others as double. `time`: simulated, for files of the state. */
int simreel_video_write(simreel_video*, const simreel_array* field, double time, simreel_error**);

/* Appends a frame that shows bodies: `position` [n, 3]; `velocity` [n, 3], or NULL for none; `mass` [n], or NULL for 1
 * each. */
int simreel_video_write_bodies(simreel_video*, const simreel_array* position, const simreel_array* velocity,
                               const simreel_array* mass, double time, simreel_error**);

/* The number of frames that were written by the caller. */
int64_t simreel_video_frames(const simreel_video*);

/* Completes the outputs and frees the video, also after an error. A video without frames leaves no file. NULL does
 * nothing. */
int simreel_video_close(simreel_video*, simreel_error**);

/* Frees the video without completing: what the outputs have so far stays as NAME.part. */
void simreel_video_abandon(simreel_video*);

/* Renders a scene file, with `set` as for --set ("view.colormap=magma"), to `outputs`, or where the scene says for
 * none. Blocks until it is done. Writes the number of frames to `frames`, which may be NULL. */
int simreel_render(const char* scene, const char* const* set, size_t sets, const char* const* outputs, size_t count,
                   const simreel_device* device, int64_t* frames, simreel_error** error);

/* What simreel_render would refuse before its first step; touches no file. */
int simreel_check(const char* scene, const char* const* set, size_t sets, const char* const* outputs, size_t count,
                  const simreel_device* device, simreel_error** error);

#ifdef __cplusplus
}
#endif

#endif
