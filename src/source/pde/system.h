#pragma once
// The equations of a scene on a grid, as expressions of arrays.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formula/compile.h"
#include "formula/formula.h"
#include "formula/names.h"
#include "source/grid_values.h"
#include "source/pde/options.h"

namespace simreel {

// Numbers of Expressions::array: part f of the state that a pass reads, value k of the stored algebraic fields,
// coefficient c, and part f of the state in slot s of a scheme.
constexpr int pde_stored = 1000, pde_coefficients = 2000, pde_slots = 3000;
inline int pde_slot_array(int slot, int part) { return pde_slots + 100 * slot + part; }

struct PdeApart;

// Gives the names of a scene a meaning in one set of expressions.
class PdeNames {
 public:
  // Without `system` fields have no value, and parameters of x and y are written out.
  PdeNames(const PdeOptions&, Expressions&, class PdeSystem* = nullptr);
  ~PdeNames();
  PdeNames& operator=(PdeNames&&) = delete;

  // Throws UsageError.
  FormulaValue parse(const PlacedText&, unsigned allowed);
  Expressions& expressions() { return expressions_; }
  // The same where only a real number has a meaning; `what` begins the message.
  int parse_real(const PlacedText&, unsigned allowed, std::string_view what);
  FormulaValue field(const PdeField&, std::string& mistake);
  // Throws UsageError for mistakes in a parameter, which no formula need use.
  void check(const PdeParameter&);
  unsigned used() const { return last_used_; }  // by the text that was parsed last, and by what it names
  // After an error that was noted: `name`, whose text has it, is 0 from now on.
  void give_up(std::string_view name);

 private:
  std::optional<FormulaValue> find(std::string_view name, std::string& mistake, unsigned allowed);
  FormulaValue parameter(std::size_t index, std::string& mistake, unsigned allowed);
  bool changes_in_space_only(std::size_t index, unsigned allowed);

  const PdeOptions& options_;
  Expressions& expressions_;
  PdeSystem* system_;
  unsigned allowed_ = 0;  // in what is being parsed
  unsigned used_ = 0, last_used_ = 0;
  FormulaNames names_;
  std::map<std::string_view, std::size_t> place_;  // of each field, and after them of each parameter
  std::vector<std::string_view> resolving_;        // names whose text is being parsed
  struct Known {
    FormulaValue value;
    unsigned used;
  };
  // Parameters, by their number and by what they may use.
  std::map<std::pair<std::size_t, unsigned>, Known> parameters_;
  std::map<std::string_view, FormulaValue> fields_;
  std::set<std::string_view> wrong_;
  std::unique_ptr<PdeApart> apart_;  // for what parameters depend on
};

// Throws UsageError, with the formula and a caret.
[[noreturn]] void fail_in(const PlacedText& formula, const std::string& message);

// Names in expressions of their own.
struct PdeApart {
  PdeApart(const PdeOptions& options, Expressions from) : expressions(std::move(from)), names(options, expressions) {}
  Expressions expressions;
  PdeNames names;
};

class PdeSystem {
 public:
  // nx, ny: of the grid, which may be smaller than that of the options: then its cells are spread over that, or are
  // those of its middle. With a scene the files are opened.
  PdeSystem(const PdeOptions&, int nx, int ny, const Scene*, bool middle);

  // A real array of the state.
  struct Part {
    const PdeField* field;
    bool imaginary;
    int rate;
    int noise;  // node of its amplitude; -1: none
    // Values that change in time, in cells where `open` is 0.
    struct Held {
      int open, value;
    };
    std::vector<Held> held;
  };
  // An algebraic field with sides of its own, in the order in which they are computed.
  struct Stored {
    const PdeField* field;
    std::vector<int> values;  // nodes
    int first;                // number of its first array, from 0
  };
  struct Shown {
    std::string name;
    int node;
    bool has_sign, angle;
  };

  const PdeOptions& options() const { return options_; }
  int nx() const { return nx_; }
  int ny() const { return ny_; }
  std::uint64_t seed() const { return seed_; }
  int stored_arrays() const;

  Expressions expressions;
  std::vector<Part> parts;
  std::vector<Stored> stored;
  std::vector<Shown> shown;
  std::vector<int> measures;  // nodes

  // A node that is 0 in cells where an expression has no value: in obstacles that do not hold all fields in it. -1: in
  // none.
  int open(int node);
  // How many cells away an expression reads fields.
  int reach(int node);
  // Negative in solid cells.
  std::int8_t cell(int x, int y) const;

  // Values at step 0 of row j of a part.
  void initial_row(std::size_t part, int j, std::span<double> out) const;
  std::size_t coefficients() const { return coefficients_.size(); }
  void coefficient_row(std::size_t coefficient, int j, std::span<double> out) const;
  // Throws UsageError, with the cell, for values that are not finite, as far as `effort` bears to look.
  void check_values(Effort& effort) const;
  std::vector<std::string> files() const;
  std::size_t host_bytes() const;

 private:
  friend class PdeNames;
  // Values over the grid: of a formula, or of a file, which may belong to a larger grid.
  struct Values {
    const PdeValue* from;
    Formula formula;
    GridValues given;
    std::vector<bool> blocks;  // the obstacles where it is 0, instead; elsewhere it is 1 then
  };
  // Of an obstacle, at time 0.
  struct Held {
    std::size_t part;
    std::int8_t cell;
    Values values;
  };
  Values values(const PdeValue&, bool imaginary, bool complex, unsigned allowed = Formula::x | Formula::y);
  int open_but(const std::vector<bool>& blocks);
  int in_fluid(int node, double elsewhere = 0);
  void hold(PdeNames&);
  void add_parts(const PdeField&, PdeNames&);
  template <class Use>
  void for_values(const Use& use) const;
  void row(const Values&, int j, std::span<double> out, int from = 0) const;
  int coefficient(const PdeParameter&);
  void add_shown(const PdeField&, FormulaValue);

  const PdeOptions& options_;
  int nx_, ny_;
  std::uint64_t seed_;
  const Scene* scene_;  // while it is made
  std::vector<Values> initial_, coefficients_;
  std::vector<Held> held_;
  std::vector<std::uint32_t> fields_of_;  // of each node: the fields in it
  std::vector<int> reaches_;              // of each node
  std::unique_ptr<PdeApart> apart_;       // for values, while it is made
};

}  // namespace simreel
