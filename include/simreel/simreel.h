/* Videos and pictures from the arrays of a running program, in C: for C, C++, Fortran (iso_c_binding), Julia (ccall),
 * Rust and Python (ctypes).
 *
 *   const char* outputs[] = {"x.mp4"};
 *   simreel_error* error = NULL;
 *   simreel_video* video = simreel_video_open(outputs, 1, "[view]\nrange = [0, 1]\n", NULL, &error);
 *   for (...) simreel_video_write(video, &field, time, &error);
 *   simreel_video_close(video, NULL, &error);
 *
 * Functions return 0 or a pointer on success; otherwise a code of simreel_code or NULL, and, if `error` is not NULL, an
 * error that the caller frees. No exception and no signal crosses this interface, and nothing is printed. A video is
 * used by one thread at a time; several videos may be written at once, by several threads. A struct begins with its
 * size in the caller's header, so that programs run with later versions of the library too.
 *
 * FFmpeg's libraries have one log callback a process, which is set when the first video is opened; a program with a
 * callback of its own (av_log_set_callback) sets it again after that. What this library's encoders say has levels
 * beyond AV_LOG_TRACE there. */
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
  SIMREEL_FAILED = 1,  /* a file, the device or an encoder */
  SIMREEL_USAGE = 2,   /* an argument, the text of the view, or the name of an output */
  SIMREEL_DIVERGED = 3 /* of simreel_render and simreel_figure only: the state ceased to be finite */
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

enum simreel_memory {
  SIMREEL_HOST,
  SIMREEL_GPU /* of CUDA: device or managed memory, or pinned host memory; aligned to the size of a number */
};

/* An array of the caller, as DLPack describes one. It is read during the call only. */
typedef struct simreel_array {
  size_t struct_size; /* sizeof(simreel_array) */
  const void* data;   /* element [0, 0] */
  int32_t type;       /* of simreel_type, in the byte order of this machine */
  int32_t axes;       /* 1 to 3: the length of shape */
  const int64_t* shape;
  const int64_t* strides; /* `axes` of them, in elements, 0 and negative ones too; NULL: rows one after the other */
  int32_t memory;         /* of simreel_memory */
  const char* name;       /* of bodies: what messages call it; NULL: "position", "velocity", "speed" or "mass" */
} simreel_array;

enum simreel_backend { SIMREEL_AUTOMATIC, SIMREEL_CPU, SIMREEL_CUDA };

typedef struct simreel_device {
  size_t struct_size; /* sizeof(simreel_device) */
  int32_t backend;    /* of simreel_backend; automatic: a GPU where there is one */
  int32_t index;      /* of the GPU; with SIMREEL_AUTOMATIC only where there is a GPU at all */
  int32_t threads;    /* of the CPU; 0: one per core */
  int32_t overwrite;  /* not 0: outputs that exist are replaced */
  /* The caller's words, for messages; they must live as long as the call or the video. */
  const char* overwrite_words; /* "overwrite=True" asks for that; NULL: "simreel_device.overwrite = 1" */
  const char* cpu_words;       /* "device=\"cpu\"" chooses the CPU; NULL: "SIMREEL_CPU" */
  /* Of the text of a video's view, a scene or a figure, before line and column; "": no places; NULL: "view", "scene" or
   * "figure". */
  const char* view_name;
  /* Of simreel_render, simreel_check and simreel_figure. Not NULL: they get no file, but the text of one, TOML, whose
   * paths start at this folder; "": the current one. */
  const char* text_folder;
} simreel_device;

typedef struct simreel_video simreel_video;

/* Prepares a video. `outputs`: as for `simreel render -o`: "x.mp4", "x/%06d.png", "x.h5", ... `view`: the tables
 * [view], [camera], [animation] and [output] of a scene file (simreel keys), TOML, with "range" of [view] as [low,
 * high] or "first" for fields; NULL: none. `device` may be NULL. Mistakes in names and keys are found here; outputs are
 * opened by the first frame, whose shape they need. */
simreel_video* simreel_video_open(const char* const* outputs, size_t count, const char* view,
                                  const simreel_device* device, simreel_error** error);

/* Appends a frame that shows a field of `shape` [rows, columns], row 0 below. Returns when the array may be
 * overwritten; blocks while the encoders lag. Every frame has the shape of the first: sides of 1 to 2^24 cells, at
 * most 2^31 values. Types that float holds exactly are drawn as float, others as double. `time`: simulated, for labels
 * and files of the state.
 *
 * A later call reports what goes wrong while a frame is drawn or encoded.
 *
 * An array on a GPU is gathered there and never copied to the host. It must lie on the GPU that draws the video; a
 * video that is drawn on the CPU refuses it. */
int simreel_video_write(simreel_video*, const simreel_array* field, double time, simreel_error**);

/* The same function takes pictures: `shape` [rows, columns, 3 or 4] of SIMREEL_UINT8, sides of 16 to 16384, row 0
 * above, red, green, blue and alpha, which shows the background of [view]. The video has their size; range and colormap
 * are not used, labels and files of the state are refused. */

/* Appends a frame that shows bodies, from 1 to less than 2^28: `position` [n, 3]; `velocity` [n, 3], or [n] for the
 * values that the colours of "speed" show, at least 0, or NULL for none; `mass` [n], at least 0, or NULL for 1 each.
 * All in the same memory. What is not finite or below its least value is refused, SIMREEL_USAGE; on a GPU that also
 * ends the video, whose outputs are complete up to there. */
int simreel_video_write_bodies(simreel_video*, const simreel_array* position, const simreel_array* velocity,
                               const simreel_array* mass, double time, simreel_error**);

/* Waits for at most `seconds`, up to an hour, until a write would not block; returns 0 if it still would. For callers
 * that must also handle something else, such as signals. */
int simreel_video_ready(simreel_video*, double seconds);

/* Arrays on a GPU are read after the work that `cuda_stream` (a cudaStream_t) holds when they are written. NULL, the
 * initial value: CUDA's default stream. The stream of simreel_video_stream: nothing is waited for. Returns
 * SIMREEL_USAGE for a NULL video. */
int simreel_video_set_stream(simreel_video*, void* cuda_stream);

/* The cudaStream_t that reads arrays on a GPU, for producers that let it wait themselves (DLPack); NULL on the CPU. It
 * lives as long as the video. */
void* simreel_video_stream(const simreel_video*);

/* The number of frames that the caller has written. */
int64_t simreel_video_frames(const simreel_video*);

/* The result of a run, which the caller frees. After an error *result is NULL, except for SIMREEL_DIVERGED. */
typedef struct simreel_result simreel_result;
int64_t simreel_result_frames(const simreel_result*); /* in each output */
double simreel_result_seconds(const simreel_result*); /* wall time */
int simreel_result_stopped(const simreel_result*);    /* not 0: by simreel_run.stop */
/* Writes the range of the colours; returns 0 if nothing was drawn. */
int simreel_result_range(const simreel_result*, double* low, double* high);

enum simreel_text {
  SIMREEL_OUTPUT,    /* the name of an output */
  SIMREEL_FINDING,   /* what the solver measured: "Strouhal number 0.1989 ..." */
  SIMREEL_REMARK,    /* what the user should know, warnings too */
  SIMREEL_DIVERGENCE /* why the state ceased to be finite */
};
/* The text of that kind with that number, from 0; NULL past the last one. Valid until the result is freed. */
const char* simreel_result_text(const simreel_result*, int kind, size_t number);
void simreel_result_free(simreel_result*); /* NULL does nothing */

/* Completes the outputs and frees the video, also after an error. A video without frames leaves no file. `result` may
 * be NULL. A NULL video does nothing. A fork of the process that opened the video can neither write nor close it. */
int simreel_video_close(simreel_video*, simreel_result** result, simreel_error**);

/* Frees the video without completing it: what the outputs hold so far stays as NAME.part. Videos play up to their last
 * whole segment. */
void simreel_video_abandon(simreel_video*);

typedef struct simreel_run {
  size_t struct_size;                                        /* sizeof(simreel_run) */
  void (*progress)(void* user, int64_t done, int64_t total); /* frames; on the calling thread; may be NULL */
  void* user;
  /* When it becomes non-zero, the outputs of a scene end there, complete. Several threads of the library read it,
   * atomically, and any thread or signal handler may write it meanwhile, by a plain store of 32 bits. May be NULL. */
  const volatile int32_t* stop;
} simreel_run;

/* Renders a scene file, with `set` as for --set ("view.colormap=magma"), to `outputs`, or without any to those of the
 * scene. Blocks until it is done. `device`, `run` and `result` may be NULL. If the state diverged, there is a result,
 * too, and the outputs are complete up to there. */
int simreel_render(const char* scene, const char* const* set, size_t sets, const char* const* outputs, size_t count,
                   const simreel_device* device, const simreel_run* run, simreel_result** result, simreel_error**);

/* What simreel_render would refuse before its first step; touches no file. `result`, with warnings and remarks, may be
 * NULL. */
int simreel_check(const char* scene, const char* const* set, size_t sets, const char* const* outputs, size_t count,
                  const simreel_device* device, simreel_result** result, simreel_error**);

/* Draws a figure of panels (docs/figures.md), a TOML file, and writes it as "x.pdf", "x.svg", "x.eps" or "x.png": all
 * outputs when they are complete. If it is stopped, if the state of a scene diverged, or after an error: none.
 * `device`, `run` and `result` may be NULL. The progress counts the frames of all scenes; the finding of the result is
 * "3 panels, 2 runs of scenes, 180.0 x 72.1 mm". */
int simreel_figure(const char* file, const char* const* outputs, size_t count, const simreel_device* device,
                   const simreel_run* run, simreel_result** result, simreel_error**);

/* How much pictures may differ; 0: no limit of that kind. Without any limit they must be equal. */
typedef struct simreel_tolerance {
  size_t struct_size; /* sizeof(simreel_tolerance) */
  double max_pixels;  /* the share of pixels that may differ by more than max_diff, 0 to 1 */
  double min_psnr;    /* dB */
  double min_ssim;    /* 1: equal */
  double max_flip;    /* 0: equal, 1: the largest */
  int32_t max_diff;   /* of a channel, of 255 levels */
} simreel_tolerance;

typedef struct simreel_comparison {
  size_t struct_size; /* sizeof(simreel_comparison), set by the caller */
  int64_t pairs, identical;
  int64_t different;                  /* beyond the tolerance */
  int64_t missing, extra;             /* pictures that only the expected side has, and only the actual one */
  double mean_diff, psnr, ssim, flip; /* of the worst pair; 0, infinity, 1, 0 where all are identical; hashes: NaN */
  int32_t max_diff;
  int32_t same;    /* 1: within the tolerance, and none is missing or extra */
  char first[256]; /* the first pair beyond the tolerance, and why: "frame 12: ..."; may be cut; empty: none */
} simreel_comparison;

/* Compares two pictures, folders of PNG files, videos, pages, or lists of frame hashes. `tolerance` may be NULL. */
int simreel_compare(const char* expected, const char* actual, const simreel_tolerance* tolerance,
                    simreel_comparison* comparison, simreel_error**);

#ifdef __cplusplus
}
#endif

#endif
