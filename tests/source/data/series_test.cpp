// The files of a series that is still written: which are taken, which are waited for, which are too late.

#include "source/data/series.h"

#include <fmt/format.h>

#include "tests/support/places.h"

namespace simreel {
namespace {

class Series : public testing::Test {
 protected:
  void put(std::initializer_list<int> numbers) {
    for (const int number : numbers) std::ofstream(folder_ / fmt::format("{:03}.npy", number)) << number;
  }
  // The numbers of the files, "0 1 2".
  static std::string taken(const FileSeries& series) {
    std::string text;
    for (const std::string& file : series.files()) {
      const std::string digits = file.substr(file.size() - 7, 3);
      text += fmt::format("{}{}", text.empty() ? "" : " ", std::stoi(digits));
    }
    return text;
  }
  std::string name(const char* file) const { return folder_ / file; }

  test::Folder folder_;
};

TEST_F(Series, AFirstDistanceIsBelievedWhenAThirdFileHasIt) {
  put({0});
  FileSeries series(name("%03d.npy"));
  put({2});
  EXPECT_FALSE(series.look_again(false)) << "1 may still come";
  put({1, 3, 4, 5});
  EXPECT_TRUE(series.look_again(false));
  EXPECT_EQ(taken(series), "0 1 2 3 4 5");
  EXPECT_EQ(series.awaited() + series.late(), "");
}

TEST_F(Series, AGrowingSeriesBeginsWithWhatIsSure) {
  put({0, 2});
  FileSeries series(name("%03d.npy"), true);
  EXPECT_EQ(taken(series), "0");
  EXPECT_EQ(taken(FileSeries(name("%03d.npy"))), "0 2") << "all are there";
  put({1, 3});
  EXPECT_TRUE(series.look_again(false));
  EXPECT_EQ(taken(series), "0 1 2 3");
  EXPECT_EQ(series.late(), "");
}

TEST_F(Series, NumbersMayHaveAnyDistance) {
  put({0});
  FileSeries series(name("%03d.npy"));
  put({10});
  EXPECT_FALSE(series.look_again(false));
  EXPECT_TRUE(series.look_again(true)) << "no third will come";
  EXPECT_EQ(taken(series), "0 10");
  FileSeries longer(name("%03d.npy"));
  put({20, 30});
  EXPECT_TRUE(longer.look_again(false));
  EXPECT_EQ(taken(longer), "0 10 20 30");
}

TEST_F(Series, WhatIsNotTakenAtTheEndHasAName) {
  put({0, 2});
  FileSeries series(name("%03d.npy"));
  put({5});
  EXPECT_FALSE(series.look_again(true));
  EXPECT_EQ(series.awaited(), name("004.npy"));
  put({3});
  EXPECT_FALSE(series.look_again(true));
  EXPECT_EQ(series.awaited(), name("001.npy")) << "3 is one behind 2";
  EXPECT_EQ(series.late(), "");
}

TEST_F(Series, AFileThatComesAfterItsSuccessorHasAName) {
  for (const char* pattern : {"%03d.npy", "*.npy"}) {
    std::filesystem::remove(name("001.npy"));
    put({0, 2});
    FileSeries series(name(pattern));
    put({1});
    EXPECT_FALSE(series.look_again(false));
    EXPECT_EQ(series.late(), name("001.npy"));
  }
}

}  // namespace
}  // namespace simreel
