#include "sink/video/av.h"

#include <fmt/format.h>

#include <array>
#include <cstdarg>
#include <mutex>
#include <new>

#include "base/error.h"

namespace simreel {
namespace {

thread_local AvLog* innermost = nullptr;

// One line, without the spaces and line ends of libav's continued messages.
std::string joined(const std::string& lines) {
  std::string text;
  bool gap = false;
  for (const char c : lines) {
    if (c == '\n') {
      while (!text.empty() && text.back() == '.') text.pop_back();
      if (!text.empty() && text.back() != ':') text += ';';
      gap = true;
    } else if (c == ' ') {
      gap = true;
    } else {
      if (gap && !text.empty()) text += ' ';
      gap = false;
      text += c;
    }
  }
  while (!text.empty() && (text.back() == ';' || text.back() == '.')) text.pop_back();
  return text;
}

}  // namespace

template <class T>
AvPtr<T> owned(T* p) {
  if (!p) throw RuntimeError("libav: no memory");
  return AvPtr<T>(p);
}
template AvPtr<AVCodecContext> owned(AVCodecContext*);
template AvPtr<AVFrame> owned(AVFrame*);
template AvPtr<AVPacket> owned(AVPacket*);
template AvPtr<AVCodecParameters> owned(AVCodecParameters*);

std::string av_words(int error) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(error, text.data(), text.size());
  return text.data();
}

void AvOptions::set(std::string_view key, std::string_view value) {
  if (av_dict_set(&dictionary_, std::string(key).c_str(), std::string(value).c_str(), 0) < 0)
    throw RuntimeError("libav: no memory");
}

std::vector<std::string> AvOptions::keys() const {
  std::vector<std::string> keys;
  for (auto& [key, value] : entries()) keys.push_back(std::move(key));
  return keys;
}

std::vector<std::pair<std::string, std::string>> AvOptions::entries() const {
  std::vector<std::pair<std::string, std::string>> all;
  const AVDictionaryEntry* entry = nullptr;
  while ((entry = av_dict_get(dictionary_, "", entry, AV_DICT_IGNORE_SUFFIX)))
    all.emplace_back(entry->key, entry->value);
  return all;
}

void AvFree::operator()(AVCodecContext* p) const {
  const AvLog silence;
  avcodec_free_context(&p);
}

AvLog::AvLog() : outer_(innermost) {
  static const locale_t plain = ::newlocale(LC_ALL_MASK, "C", nullptr);
  locale_ = ::uselocale(plain);
  static std::once_flag once;
  std::call_once(once, [] { av_log_set_callback(&AvLog::on_message); });
  innermost = this;
}

AvLog::~AvLog() {
  ::uselocale(locale_);
  innermost = outer_;
}

std::string AvLog::words(std::string_view call, int error) const {
  const std::string logged = joined(text_);
  if (logged.empty()) return fmt::format("{}: {}", call, av_words(error));
  return fmt::format("{}: {} ({})", call, av_words(error), logged);
}

std::string AvLog::warnings() const { return joined(warnings_); }

void silence_ffmpeg() { av_log_set_level(AV_LOG_QUIET); }

void AvLog::on_message(void* speaker, int level, const char* format, va_list arguments) {
  if (level >= ours)
    level -= ours;
  else if (!innermost)
    return av_log_default_callback(speaker, level, format, arguments);
  if (!innermost || level > AV_LOG_INFO) return;
  std::array<char, 1024> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  try {
    innermost->text_ += text.data();
    if (level <= AV_LOG_WARNING) innermost->warnings_ += text.data();
  } catch (const std::bad_alloc&) {  // must not cross libav's frames, which are C; the words are lost
  }
}

}  // namespace simreel
