#pragma once
// Another program that is fed through its standard input. Signals that end this process do not reach it: it ends when
// its input does.

#include <string>
#include <vector>

namespace simreel {

// Of that name in PATH; empty if there is none.
std::string find_program(const std::string& name);

class Child {
 public:
  explicit Child(const std::vector<std::string>& command);  // throws RuntimeError
  ~Child();                                                 // kills it
  Child& operator=(Child&&) = delete;

  // False if it does not read any more.
  bool send(const void* bytes, std::size_t count);
  // Ends its input and waits for its end; whether it exited with 0.
  bool finish();
  // Open as long as this object: at the start of what it wrote to its standard output, which is in memory.
  int output() const { return output_; }
  // The last line that it wrote to its standard error.
  std::string last_words() const;

 private:
  int input_ = -1, output_ = -1, errors_ = -1;
  int process_ = -1;  // -1: has ended
};

}  // namespace simreel
