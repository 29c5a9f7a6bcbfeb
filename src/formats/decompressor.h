#pragma once
// libdeflate's decompressor, owned.

#include <libdeflate.h>

#include <memory>
#include <new>

namespace simreel {

class Decompressor {
 public:
  Decompressor() : tool_(libdeflate_alloc_decompressor(), libdeflate_free_decompressor) {
    if (!tool_) throw std::bad_alloc();
  }
  libdeflate_decompressor* get() const { return tool_.get(); }

 private:
  std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> tool_;
};

}  // namespace simreel
