#include "run/ring.h"

#include <future>

#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

using namespace std::chrono_literals;

// A gate that a sink waits at.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

// What a fake sink saw. It outlives the sink.
struct Record {
  std::vector<std::int64_t> indices;
  std::vector<std::byte> first_bytes;
  std::vector<double> diagnostics;
  std::vector<std::thread::id> threads;
  std::atomic<int> started = 0, written = 0, finished = 0;
};

class Fake : public Sink {
 public:
  using Hook = std::function<void(std::int64_t)>;
  Fake(Record& record, std::optional<PixelLayout> layout, Hook on_write = {}, Hook on_finish = {})
      : Sink({.layout = layout}), record_(record), on_write_(std::move(on_write)), on_finish_(std::move(on_finish)) {}

  void take_packets() { traits_.packets = PacketStream{26, 20}; }
  void write(const Frame& frame) override {
    ++record_.started;
    if (on_write_) on_write_(frame.index);
    record_.threads.push_back(std::this_thread::get_id());
    record_.indices.push_back(frame.index);
    if (frame.pixels) record_.first_bytes.push_back(frame.pixels[0]);
    if (frame.packet) record_.first_bytes.push_back(std::byte(frame.packet->bytes[0]));
    for (const double value : frame.diagnostics) record_.diagnostics.push_back(value);
    EXPECT_EQ(frame.pixels != nullptr, traits_.layout.has_value());
    ++record_.written;
  }
  void finish() override {
    if (on_finish_) on_finish_(record_.written);
    record_.threads.push_back(std::this_thread::get_id());
    ++record_.finished;
  }

 private:
  Record& record_;
  Hook on_write_, on_finish_;
};

class RingTest : public testing::Test {
 protected:
  template <class... Arguments>
  void add(Record& record, Arguments&&... arguments) {
    sinks_.push_back(std::make_unique<Fake>(record, std::forward<Arguments>(arguments)...));
  }
  void publish(FrameRing& ring, int value) {
    FrameRing::Slot& slot = ring.acquire();
    for (const PixelLayout layout : ring.needs().layouts)
      std::memset(slot.target(layout), value + int(layout), frame_bytes(size_, layout));
    slot.diagnostics = {double(value)};
    ring.publish(slot);
  }

  Executor executor_ = Executor::cpu(1);
  std::vector<std::unique_ptr<Sink>> sinks_;
  Size size_ = {32, 20};
};

TEST_F(RingTest, EverySinkGetsEveryFrameInOrder) {
  Record slow, fast, text;
  add(slow, PixelLayout::rgb, [](std::int64_t) { std::this_thread::sleep_for(1ms); });
  add(fast, PixelLayout::yuv420p);
  add(text, std::nullopt);
  FrameRing ring(executor_, sinks_, size_);
  EXPECT_EQ(ring.needs().layouts, (std::vector<PixelLayout>{PixelLayout::rgb, PixelLayout::yuv420p}));
  for (int i = 0; i < 50; ++i) publish(ring, i);
  ring.finish();
  for (const Record* record : {&slow, &fast, &text}) {
    ASSERT_EQ(record->indices.size(), 50u);
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(record->indices[i], i);
      EXPECT_EQ(record->diagnostics[i], i);
    }
    EXPECT_EQ(record->finished, 1);
    for (const auto& thread : record->threads) EXPECT_EQ(thread, record->threads[0]);
    EXPECT_NE(record->threads[0], std::this_thread::get_id());
  }
  EXPECT_NE(slow.threads[0], fast.threads[0]);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(slow.first_bytes[i], std::byte(i + int(PixelLayout::rgb)));
    EXPECT_EQ(fast.first_bytes[i], std::byte(i + int(PixelLayout::yuv420p)));
  }
  EXPECT_TRUE(text.first_bytes.empty());
}

TEST_F(RingTest, KnowsWhetherEveryFrameWasTheSame) {
  struct Case {
    std::vector<int> frames;
    std::int64_t first;
    std::optional<PixelLayout> layout;
    bool still;
  };
  for (const Case& c : {Case{{7, 7, 7}, 0, PixelLayout::rgb, true}, Case{{7, 7, 8}, 0, PixelLayout::rgb, false},
                        Case{{7, 8, 7}, 0, PixelLayout::rgb, false}, Case{{7}, 0, PixelLayout::rgb, false},
                        Case{{7, 7}, 5, PixelLayout::rgb, false}, Case{{7, 7}, 0, std::nullopt, false}}) {
    sinks_.clear();
    Record text, pixels;
    add(text, std::nullopt);
    add(pixels, c.layout);
    FrameRing ring(executor_, sinks_, size_, c.first);
    for (const int value : c.frames) publish(ring, value);
    ring.finish();
    EXPECT_EQ(ring.stands_still(), c.still) << testing::PrintToString(c.frames) << " from " << c.first;
  }
}

TEST_F(RingTest, SameLayoutIsConvertedOnce) {
  Record a, b;
  add(a, PixelLayout::rgb);
  add(b, PixelLayout::rgb);
  FrameRing ring(executor_, sinks_, size_);
  EXPECT_EQ(ring.needs().layouts, std::vector<PixelLayout>{PixelLayout::rgb});
  publish(ring, 7);
  ring.finish();
  EXPECT_EQ(a.first_bytes, b.first_bytes);
}

TEST_F(RingTest, ProducerWaitsWhenAllSlotsAreInFlight) {
  for (const int slots : {2, 4}) {
    Record blocked, fast;
    Gate gate;
    sinks_.clear();
    add(blocked, PixelLayout::rgb, [&](std::int64_t) { gate.pass(); });
    add(fast, PixelLayout::rgb);
    std::atomic<int> published = 0;
    std::vector<const std::byte*> seen;
    FrameRing ring(executor_, sinks_, size_, 0, 0, slots);
    std::thread producer([&] {
      for (int i = 0; i < 10; ++i) {
        FrameRing::Slot& slot = ring.acquire();
        seen.push_back(slot.target(PixelLayout::rgb));
        ring.publish(slot);
        ++published;
      }
    });
    while (fast.written < slots || published < slots) std::this_thread::yield();
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(published, slots);
    EXPECT_EQ(fast.written, slots);
    EXPECT_EQ(blocked.written, 0);
    gate.open();
    producer.join();
    ring.finish();
    EXPECT_EQ(blocked.written, 10);
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()) - seen.begin(), slots);  // no memory beyond the slots
  }
}

// Packets of a later segment may be there before those of an earlier one, and long after the frame was drawn.
TEST_F(RingTest, PacketsAreWaitedForInOrderAndHoldNoSlots) {
  Record pixels, packets;
  add(pixels, PixelLayout::rgb);
  add(packets, std::nullopt);
  static_cast<Fake&>(*sinks_.back()).take_packets();
  constexpr int ahead = 20;
  FrameRing ring(executor_, sinks_, size_, 0, 0, 2, {}, ahead);
  std::vector<std::promise<EncodedPacket>> promises(ahead);
  for (auto& promise : promises) {  // none is kept, and nothing blocks
    FrameRing::Slot& slot = ring.acquire();
    slot.packet = promise.get_future().share();
    ring.publish(slot);
  }
  EXPECT_EQ(packets.started, 0);
  std::atomic<bool> acquired = false;
  std::thread later([&] {
    ring.acquire();
    acquired = true;
  });
  for (int i = ahead - 1; i > 0; --i) promises[i].set_value({{std::uint8_t(i)}, false});
  while (pixels.written < ahead) std::this_thread::yield();
  std::this_thread::sleep_for(50ms);
  EXPECT_FALSE(acquired) << "packets that wait are bounded";
  EXPECT_EQ(packets.started, 0);
  promises[0].set_value({{0}, true});
  later.join();
  ring.finish();
  EXPECT_EQ(pixels.written, ahead);
  ASSERT_EQ(packets.first_bytes.size(), std::size_t(ahead));
  for (int i = 0; i < ahead; ++i) EXPECT_EQ(packets.first_bytes[i], std::byte(i));
}

TEST_F(RingTest, AnErrorOfTheEncoderIsThatOfItsSink) {
  Record record;
  add(record, std::nullopt);
  static_cast<Fake&>(*sinks_.back()).take_packets();
  FrameRing ring(executor_, sinks_, size_, 0, 0, 2, {}, 20);
  std::vector<std::promise<EncodedPacket>> promises(5);
  for (auto& promise : promises) {
    FrameRing::Slot& slot = ring.acquire();
    slot.packet = promise.get_future().share();
    ring.publish(slot);
  }
  for (std::size_t i = 0; i < 3; ++i) promises[i].set_value({{0}, false});
  for (std::size_t i = 3; i < 5; ++i)
    promises[i].set_exception(std::make_exception_ptr(std::runtime_error("the device failed")));
  EXPECT_THROW(ring.finish(), std::runtime_error);
  EXPECT_EQ(record.written, 3);
  EXPECT_EQ(record.finished, 0);
}

TEST_F(RingTest, MemoryIsSlotsTimesLayouts) {
  const Size odd = {101, 51};
  EXPECT_EQ(FrameRing::memory_bytes({}, odd), 0u);
  EXPECT_EQ(FrameRing::memory_bytes({PixelLayout::rgb}, odd, 0, 3), 3u * 3 * 101 * 51);
  EXPECT_EQ(FrameRing::memory_bytes({PixelLayout::rgb, PixelLayout::yuv420p}, odd, 5, 4),
            4u * (5 + 3 * 101 * 51 + 102 * 52 * 3 / 2));
}

// A sink that fails stops the run: its error comes out, and the others are complete.
TEST_F(RingTest, ErrorOfASinkReachesTheProducerAndOthersAreFinished) {
  Record bad, good;
  add(bad, PixelLayout::rgb, [](std::int64_t index) {
    if (index == 3) throw RuntimeError("x.mp4: disk full");
  });
  add(good, PixelLayout::yuv420p, [](std::int64_t) { std::this_thread::sleep_for(1ms); });
  FrameRing ring(executor_, sinks_, size_);
  int published = 0;
  const std::string message = test::thrown<RuntimeError>([&] {
    for (; published < 1000; ++published) publish(ring, published);
  });
  EXPECT_EQ(message, "x.mp4: disk full");
  EXPECT_LT(published, 12);
  EXPECT_EQ(bad.written, 3);
  EXPECT_EQ(bad.finished, 0);
  EXPECT_EQ(good.written, published);
  EXPECT_EQ(good.finished, 1);
  EXPECT_THROW(ring.acquire(), RuntimeError);
  EXPECT_THROW(ring.finish(), RuntimeError);
  EXPECT_EQ(good.finished, 1);
}

TEST_F(RingTest, ErrorWhileTheProducerWaitsWakesIt) {
  Record bad, stuck;
  Gate gate;
  add(bad, PixelLayout::rgb, [&](std::int64_t) {
    gate.pass();
    throw RuntimeError("late");
  });
  add(stuck, PixelLayout::rgb);
  FrameRing ring(executor_, sinks_, size_, 0, 0, 2);
  publish(ring, 0);
  publish(ring, 1);
  std::thread opener([&] {
    std::this_thread::sleep_for(10ms);
    gate.open();
  });
  EXPECT_THROW(ring.acquire(), RuntimeError);
  opener.join();
  EXPECT_EQ(stuck.written, 2);
  EXPECT_EQ(stuck.finished, 1);
}

TEST_F(RingTest, ErrorsOfFinishAndOfTheLastFrameComeOutOfFinish) {
  {
    Record bad, good;
    add(bad, std::nullopt, Fake::Hook{}, [](std::int64_t) { throw RuntimeError("rename"); });
    add(good, std::nullopt);
    FrameRing ring(executor_, sinks_, size_);
    publish(ring, 0);
    EXPECT_THROW(ring.finish(), RuntimeError);
    EXPECT_EQ(good.finished, 1);
  }
  sinks_.clear();
  Record bad, good;
  add(bad, std::nullopt, [](std::int64_t) {
    std::this_thread::sleep_for(5ms);
    throw RuntimeError("write");
  });
  add(good, std::nullopt);
  FrameRing ring(executor_, sinks_, size_);
  publish(ring, 0);
  EXPECT_THROW(ring.finish(), RuntimeError);
  EXPECT_EQ(bad.finished, 0);
  EXPECT_EQ(good.finished, 1);
  EXPECT_EQ(good.written, 1);
}

TEST_F(RingTest, UnwindingProducerEndsWithoutFinishing) {
  // The witness's thread ends when the ring is taken down, and only then; the slow sink is in its first write till
  // then.
  Record slow, witness;
  Gate gate;
  struct AtTheEnd {
    Gate& gate;
    ~AtTheEnd() { gate.open(); }
  };
  add(slow, PixelLayout::rgb, [&](std::int64_t) { gate.pass(); });
  add(witness, PixelLayout::rgb, [&](std::int64_t) { thread_local const AtTheEnd at_the_end{gate}; });
  EXPECT_THROW(
      {
        FrameRing ring(executor_, sinks_, size_);
        for (int i = 0; i < 4; ++i) publish(ring, i);
        while (witness.written == 0 || slow.started == 0) std::this_thread::yield();
        throw std::runtime_error("the device failed");
      },
      std::runtime_error);
  EXPECT_EQ(slow.finished, 0);
  EXPECT_EQ(slow.written, 1);
  EXPECT_EQ(witness.finished, 0);
}

TEST_F(RingTest, FailedSinkAndUnwindingProducerTogether) {
  Record bad;
  add(bad, PixelLayout::rgb, [](std::int64_t) { throw RuntimeError("disk"); });
  {
    FrameRing ring(executor_, sinks_, size_);
    publish(ring, 0);
  }
  EXPECT_EQ(bad.finished, 0);
}

TEST_F(RingTest, FinishWithoutFrames) {
  Record record;
  add(record, PixelLayout::rgb);
  FrameRing ring(executor_, sinks_, size_);
  ring.finish();
  ring.finish();
  EXPECT_EQ(record.finished, 1);
  EXPECT_EQ(record.written, 0);
}

TEST_F(RingTest, BusyTimeIsCountedPerSink) {
  Record busy, idle;
  add(busy, std::nullopt, [](std::int64_t) { std::this_thread::sleep_for(10ms); });
  add(idle, std::nullopt);
  FrameRing ring(executor_, sinks_, size_);
  for (int i = 0; i < 3; ++i) publish(ring, i);
  ring.finish();
  const auto times = ring.times();
  ASSERT_EQ(times.sink_busy.size(), 2u);
  EXPECT_GE(times.sink_busy[0], 0.030);
  EXPECT_GE(times.sink_busy[1], 0);
}

}  // namespace
}  // namespace simreel
