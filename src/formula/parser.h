#pragma once
// Text -> Expressions. One grammar for all formulas of a scene, and one form of its messages.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "formula/compile.h"
#include "formula/names.h"
#include "scene/table.h"

namespace simreel {

// Throws UsageError: the place of a byte of a text whose first one is at `where`, the message, and that line of the
// text with a caret.
[[noreturn]] void fail_at(std::string_view text, const Position& where, std::size_t offset, const std::string& message);
// The place of that byte.
Position place_in(std::string_view text, Position where, std::size_t offset);

struct FormulaFunction {
  std::string_view name;
  FormulaOp op;
  int operands;
};

class FormulaParser {
 public:
  // `allowed`: Formula::Variable. All must outlive it; `names` may be null.
  FormulaParser(std::string_view text, const Position& where, unsigned allowed, Expressions& expressions,
                const FormulaNames* names = nullptr)
      : text_(text),
        where_(where),
        allowed_(allowed),
        depth_(names != nullptr ? names->depth : own_depth_),
        expressions_(expressions),
        names_(names) {}
  FormulaParser& operator=(FormulaParser&&) = delete;

  // Of the whole text. Throws UsageError.
  FormulaValue parse();
  unsigned used() const { return used_; }
  // Of a formula that has a value and hardly means it, with its place; no text: none.
  const PlacedText& remark() const { return remark_; }

 private:
  using Variable = Expressions::Variable;
  using Difference = Expressions::Difference;
  using Values = std::vector<FormulaValue>;

  [[noreturn]] void fail(std::size_t offset, const std::string& message) const {
    fail_at(text_, where_, offset, message);
  }
  [[noreturn]] void fail_unexpected();
  [[noreturn]] void fail_unknown(std::string_view word, std::size_t place) const;

  void skip_blanks();
  // Takes a sign if it comes next; a word must end there.
  bool accept(std::string_view sign);
  void close(std::size_t opened);

  int apply(FormulaOp op, int a, int b = -1, int c = -1);
  void check_size() const;
  // A value where only a real one has a meaning.
  int real(FormulaValue, std::size_t place, std::string_view what) const;

  // Counts what the parser calls itself for, also by names that are formulas, which bounds its stack.
  struct Level {
    explicit Level(FormulaParser&);
    ~Level() { --owner.depth_; }
    Level& operator=(Level&&) = delete;
    FormulaParser& owner;
  };

  FormulaValue either();
  FormulaValue both();
  FormulaValue inverted();
  FormulaValue comparison();
  FormulaValue sum();
  FormulaValue product();
  FormulaValue signed_power();
  FormulaValue power(FormulaValue base, std::size_t place);
  FormulaValue primary();
  FormulaValue number();
  FormulaValue name();

  Values arguments(std::string_view function, std::size_t place, int operands, bool or_more);
  FormulaValue call(const FormulaFunction&, std::size_t place, bool or_more);
  bool has_operator(std::string_view word) const;
  FormulaValue call_operator(std::string_view word, std::size_t place);
  FormulaValue differences(std::string_view word, const Values&, std::size_t place);
  FormulaValue each(Difference, FormulaValue, double factor);
  int beside(int of, int ox, int oy);
  int difference(Difference, int of, double factor);
  FormulaValue variable(std::string_view word, std::size_t place);

  std::string_view text_;
  Position where_;
  unsigned allowed_, used_ = 0;
  std::size_t at_ = 0;
  int own_depth_ = 0;
  int& depth_;
  PlacedText remark_;
  Expressions& expressions_;
  const FormulaNames* names_;
};

// Arithmetic of real and complex values, as expressions.

inline bool is_complex(FormulaValue v) { return v.im >= 0; }
FormulaValue negated(Expressions&, FormulaValue);
FormulaValue sum_of(Expressions&, FormulaOp add_or_subtract, FormulaValue, FormulaValue);
FormulaValue product_of(Expressions&, FormulaValue, FormulaValue);
FormulaValue quotient_of(Expressions&, FormulaValue, FormulaValue);
// |v|^2.
int square_of(Expressions&, FormulaValue);

}  // namespace simreel
