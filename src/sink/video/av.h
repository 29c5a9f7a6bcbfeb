#pragma once
// Owners of libav objects, and libav's messages. Only .cpp files that use libav include this.

#include <clocale>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/buffer.h>
#include <libavutil/dict.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace simreel {

struct AvFree {
  void operator()(AVCodecContext* p) const;  // without a word: x264 tells what it did
  void operator()(AVFrame* p) const { av_frame_free(&p); }
  void operator()(AVPacket* p) const { av_packet_free(&p); }
  void operator()(AVCodecParameters* p) const { avcodec_parameters_free(&p); }
};
template <class T>
using AvPtr = std::unique_ptr<T, AvFree>;

// Takes the result of a libav allocation. Throws RuntimeError if it is null.
template <class T>
AvPtr<T> owned(T* p);

std::string av_words(int error);  // "No space left on device"

// A dictionary of options for libav, which removes those it knows.
class AvOptions {
 public:
  AvOptions() = default;
  AvOptions& operator=(AvOptions&&) = delete;
  ~AvOptions() { av_dict_free(&dictionary_); }

  void set(std::string_view key, std::string_view value);  // replaces an earlier value
  bool add_list(const std::string& text) {                 // "key=value:key=value"; false if it is none
    return av_dict_parse_string(&dictionary_, text.c_str(), "=", ":", 0) >= 0;
  }
  AVDictionary** address() { return &dictionary_; }
  std::vector<std::string> keys() const;
  std::vector<std::pair<std::string, std::string>> entries() const;

 private:
  AVDictionary* dictionary_ = nullptr;
};

// During its lifetime collects what libav logs on this thread, for the text of errors, instead of printing it. If
// nested, the innermost collects. libav has one callback for the whole process, which the first AvLog sets; messages of
// other code in the process go where libav sends them by default. Those of contexts with `log_level_offset = ours`,
// from threads of libav too, are never printed: no callback prints levels beyond AV_LOG_TRACE.
// The thread has the locale "C" meanwhile: libav reads and writes decimals by that of the process, which may have
// commas.
class AvLog {
 public:
  static constexpr int ours = 128;

  AvLog();
  ~AvLog();
  AvLog& operator=(AvLog&&) = delete;

  // "call: text of the error (logged messages)", for error messages.
  std::string words(std::string_view call, int error) const;
  // The logged warnings and errors, in one line.
  std::string warnings() const;

 private:
  static void on_message(void*, int level, const char* format, va_list);

  std::string text_, warnings_;
  AvLog* outer_;
  locale_t locale_;  // of the thread before
};

}  // namespace simreel
