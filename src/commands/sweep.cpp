// simreel sweep: runs of one scene with other values of some keys, each a process of its own. What was done is on disk
// only (sweep_record.h), so a sweep that was killed goes on, and several processes share one.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "base/text.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/console.h"
#include "commands/interrupt.h"
#include "commands/render.h"
#include "commands/run_process.h"
#include "commands/sweep_plan.h"
#include "commands/sweep_record.h"
#include "exec/machine.h"
#include "exec/processes.h"
#include "files/checksum.h"
#include "files/part_file.h"
#include "files/pattern.h"
#include "panels/compose.h"
#include "plot/read_csv.h"
#include "run/plan.h"
#include "run/prepared_run.h"
#include "scene/scene_text.h"
#include "sink/outputs.h"
#include "sink/page/page_file.h"

namespace simreel {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct SweepArguments {
  SceneArguments scene;
  ShapeArguments shape;
  std::vector<std::string> outputs, over;
  std::string rows, table, panels, checkpoint_every = "60s";
  std::optional<std::string> task;
  int jobs = 0, encoders = 0;
  bool zip = false, overwrite = false;
  std::vector<const CLI::Option*> of_runs;  // what each run is given, too
};

struct Run {
  std::vector<std::string> values = {};   // of the keys of the sweep
  std::vector<std::string> outputs = {};  // with a .csv, unless the scene has no diagnostics
  std::vector<std::string> panel = {};    // overrides of its panel
  fs::path record_file = {};
  std::string identity = {};
  bool pending = false;                    // SweepRecord::anew
  bool anew = false;                       // what is there of it is replaced, not resumed
  std::optional<SweepRecord> record = {};  // that of the disk, once it is final
};

class Sweep {
 public:
  explicit Sweep(const SweepArguments& given) : given_(given) {}

  int run() {
    plan();
    watch_interrupts(1);  // before there is a lock that a signal could leave behind
    check();
    if (interrupted()) return 128 + interrupted();
    watch_interrupts();  // the runs have a deadline of their own
    ::setenv("SIMREEL_MPI", "off", 1);
    std::list<Run*> todo;
    for (std::size_t i = task_; i < runs_.size(); i += tasks_)
      if (!runs_[i].record) todo.push_back(&runs_[i]);
    const auto done = std::ranges::count_if(runs_, [](const Run& run) { return run.record.has_value(); });
    for (Run* run : todo) {  // all at once: the sweep may be killed before it begins them
      if (!run->anew) continue;
      make_folders(folder_of(run->record_file));
      const Claim claim(run->record_file);
      if (!claim.file) continue;
      look(*run);  // another process may have done it
      if (run->anew) note(*run);
    }
    share_machine(static_cast<int>(todo.size()));
    total_ = todo.size();
    say_message(LogLevel::info, fmt::format("runs: {}, done before: {}, {}: {}, at a time: {}", runs_.size(), done,
                                            tasks_ > 1 ? "left to this task" : "left", total_, jobs_));
    work(std::move(todo));
    write_table();
    if (!interrupted() && figure_) draw_figure();
    if (!interrupted()) return tell_end();
    say_message(LogLevel::warning,
                fmt::format("ended by signal {}; the same command goes on where it stopped", interrupted()));
    return 128 + interrupted();
  }

 private:
  struct Job {
    Run* run;
    std::unique_ptr<Claim> claim;
    int slot;
    std::unique_ptr<RunProcess> child;
  };

  // From the command line to runs, and the names of their files.
  void plan() {
    if (processes().size > 1)
      throw UsageError(
          "simreel sweep: a launcher started {} processes as one run; set SIMREEL_MPI=off, and give each its share: "
          "--task $SLURM_PROCID/$SLURM_NTASKS",
          processes().size);
    if (!stream_of(given_.scene.scene).empty())
      throw UsageError("simreel sweep: several runs cannot read the standard input; name a file");
    if (given_.over.empty() && given_.rows.empty())
      throw UsageError("simreel sweep: --over is missing, a key and its values: --over solver.viscosity=0.01,0.02");
    if (given_.outputs.empty())
      throw UsageError("simreel sweep: -o is missing, with what tells the runs apart: -o 'out/{solver.viscosity}.mp4'");
    read_task();
    for (const std::string& name : {given_.table, given_.panels})
      if (!name.empty()) refuse_unwritable(name);  // before any run, not after all
    std::vector<SweepTable> tables;
    for (const std::string& over : given_.over) tables.push_back(parse_over(over));
    if (!given_.rows.empty()) tables.push_back(read_rows(given_.rows));
    SweepTable all = combined(tables, given_.zip);
    keys_ = std::move(all.keys);
    if (!given_.shape.frames.empty() && std::ranges::find(keys_, "animation.frames") != keys_.end())
      throw UsageError("--frames {}: the sweep has values of animation.frames; leave one of them out",
                       given_.shape.frames);
    const bool grid = tables.size() > 1 && !given_.zip;
    columns_ = grid ? tables.back().rows.size()
                    : static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(all.rows.size()))));
    const std::string& name = given_.outputs.front();
    table_ = given_.table.empty() ? fs::path(name.substr(0, name.find_first_of("{%"))).replace_filename("sweep.csv")
                                  : fs::path(given_.table);
    if (extension_of(table_.string()) != ".csv")
      throw UsageError("--table {}: the name of a table must end in .csv", table_.string());
    for (std::vector<std::string>& row : all.rows) add(std::move(row));
    if (!given_.overwrite) refuse_other_table();
  }

  static std::vector<std::string> shown_values(const Run& run) {
    std::vector<std::string> values;
    std::ranges::transform(run.values, std::back_inserter(values), shown_value);
    return values;
  }

  // A table of other keys, or of runs that this sweep has not.
  void refuse_other_table() const {
    const std::string there = text_of_file(table_, limits::text_bytes), own = csv_line(header());
    if (there.empty()) return;
    if (!there.starts_with(own.substr(0, own.size() - 1)))
      throw UsageError("{}: exists, and is not a table of these keys; name another with --table, or pass --overwrite",
                       table_.string());
    std::set<std::string> known;
    for (const Run& run : runs_) {
      const std::string line = csv_line(shown_values(run));  // cells as they are read
      known.insert(csv_line(csv_cells(std::string_view(line).substr(0, line.size() - 1), ',')));
    }
    std::vector<std::string_view> lines = lines_of(there);
    if (there.size() == limits::text_bytes) lines.resize(1);  // a part of it
    for (const std::string_view line : std::span(lines).subspan(1)) {
      std::vector<std::string> cells = csv_cells(line, ',');
      cells.resize(keys_.size());
      if (!known.contains(csv_line(cells)))
        throw UsageError(
            "{}: has a run with {} = {}, which this sweep has not; give the values of both, name another table with "
            "--table, or pass --overwrite",
            table_.string(), fmt::join(keys_, ", "), fmt::join(cells, ", "));
    }
  }

  void read_task() {
    if (!given_.task) return;
    std::string_view rest = *given_.task;
    const std::optional<std::size_t> part = take_leading<std::size_t>(rest);
    tasks_ = rest.starts_with('/') ? parse_number<std::size_t>(rest.substr(1)).value_or(0) : 0;
    if (!part || *part > tasks_ || tasks_ == 0)
      throw UsageError("--task {}: write I/N, one of N tasks that count from 0 or from 1: 0/4 to 3/4, or 1/4 to 4/4",
                       *given_.task);
    task_ = *part % tasks_;
  }

  void add(std::vector<std::string> row) {
    Run run{.values = std::move(row)};
    for (const std::string& output : given_.outputs) {
      const std::string name = filled(output, keys_, run.values);
      run.outputs.push_back(is_among(name, "null: -") ? name : fs::path(name).lexically_normal().string());
    }
    const auto file = std::ranges::find_if(run.outputs, [](const std::string& one) { return one != "null:"; });
    if (file == run.outputs.end() || std::ranges::count(run.outputs, "-") > 0)
      throw UsageError("simreel sweep: every run writes files; name them, as in -o 'out/{{{}}}.csv'", keys_.front());
    const fs::path first = FilePattern(*file).name(0);
    run.record_file = first.string() + ".sweep";
    // For the table; whether the scene has such columns is not known yet.
    if (std::ranges::find(run.outputs, ".csv", extension_of) == run.outputs.end())
      run.outputs.push_back(fs::path(first).replace_extension(".csv").string());
    for (const std::string& output : run.outputs) {
      if (output == "null:") continue;
      const std::string place = fs::path(output).lexically_normal().string();
      if (place == table_.lexically_normal())
        throw UsageError("{} is the table of the sweep; give it another name with --table, as --table table.csv",
                         output);
      const auto [other, fresh] = names_.emplace(place, runs_.size());
      if (!fresh && other->second != runs_.size())
        throw UsageError(
            "{}: two runs would write it, with {} and with {}; let -o name what tells them apart, as {{{}}}", output,
            words_for(runs_[other->second]), words_for(run), fmt::join(keys_, "}, {"));
    }
    runs_.push_back(std::move(run));
  }

  std::vector<std::string> overrides_of(const Run& run) const {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < run.values.size(); ++i) list.push_back(keys_[i] + "=" + run.values[i]);
    return list;
  }

  // "solver.viscosity=0.01, view.colormap=magma"
  std::string words_for(const Run& run) const { return fmt::format("{}", fmt::join(overrides_of(run), ", ")); }

  SceneArguments scene_of(const Run& run) const {
    SceneArguments scene = given_.scene;
    std::ranges::move(overrides_of(run), std::back_inserter(scene.overrides));
    return given_.shape.applied_to(std::move(scene));
  }

  // All runs, before the first begins: mistakes of scenes and names, what is done, and what is not of this sweep.
  // Throws UsageError.
  void check() {
    const Executor executor = given_.scene.executor();
    on_gpu_ = executor.backend() == Backend::cuda;
    constexpr std::size_t most = 10,
                          tried = 100;  // of mistakes that are reported, and of failed runs after which checking ends
    if (runs_.size() > 500) say_message(LogLevel::info, fmt::format("checking {} runs", runs_.size()));
    std::vector<std::string> mistakes;
    std::set<std::string> known;
    std::size_t failed = 0;
    for (Run& run : runs_) {
      if (interrupted() || failed == tried || mistakes.size() == most) break;
      try {
        check(run, executor);
      } catch (const UsageError& error) {
        ++failed;
        const std::string text = error.what(), start = text.starts_with("--set ") ? "" : words_for(run) + ": ";
        if (known.insert(text).second) mistakes.push_back(start + text);
      }
    }
    if (interrupted()) return;
    if (!mistakes.empty()) throw UsageError(fmt::format("{}", fmt::join(mistakes, "\n")));
    if (!given_.panels.empty()) plan_figure();
  }

  void check(Run& run, const Executor& executor) {
    Scene scene = scene_of(run).load(run.outputs, Effort(2e9, 400 << 20));
    SolverPlan planned = plan_run(scene, given_.scene.wanted_ranks());
    if (planned.diagnostics.empty() && run.outputs.size() > given_.outputs.size()) run.outputs.pop_back();
    run.identity = fmt::format("{:016x}", fingerprint(run.outputs, stream_info(scene, planned, false)));
    if (!given_.panels.empty()) run.panel = scene_of(run).labelled(scene);
    refuse_long_name(run.record_file);
    look(run);
    if (run.record) return;
    std::optional<Claim> claim;
    std::error_code unknown;
    if (fs::is_directory(folder_of(run.record_file), unknown) &&
        ::access(folder_of(run.record_file).c_str(), W_OK) == 0)
      claim.emplace(run.record_file);
    if (claim && !claim->file) return;  // whoever works on it has checked it
    if (claim) settle(run);
    PreparedRun prepared(std::move(scene), std::move(planned), executor,
                         {.outputs = run.outputs,
                          .overwrite = run.anew,
                          .resume = run.anew ? Resume::no : Resume::automatic,
                          .checkpoints = {parse_interval(given_.checkpoint_every)},
                          .encoders = std::max(1, given_.encoders)});
    memory_ = std::max(memory_, prepared.memory.executor + prepared.memory.host);
    static_cast<void>(prepared.rasterizer());
    prepared.check_start();
  }

  // Whether a run is done. Throws UsageError where another run left its files, or they have been changed.
  void look(Run& run) const {
    const std::optional<SweepRecord> record = read_record(run.record_file);
    const bool own = record && record->identity == run.identity;
    bool whole = true;
    for (std::size_t i = 0; own && record->exit == 0 && i < run.outputs.size(); ++i) {
      const std::uintmax_t bytes = bytes_of(run.outputs[i]), before = i < record->bytes.size() ? record->bytes[i] : 0;
      whole = whole && bytes == before;
      if (bytes != before && bytes > 0 && !given_.overwrite)
        throw UsageError(
            "{}: has {} bytes, and {} when the run was done; move it away, and the run is made anew, or pass "
            "--overwrite",
            run.outputs[i], bytes, before);
    }
    if (own && record->final() && whole) run.record = record;
    // A process that was killed at the end of the run may have left it.
    if (run.record) OwnFile::take(lock_of(run.record_file)).remove();
    run.pending = own && record->anew;
    run.anew = !run.record && (given_.overwrite || !whole || run.pending);
    if (record && !own && !run.anew)
      throw UsageError(
          "{}: is of another scene, other settings or another version; give -o another name, or pass --overwrite, "
          "which repeats unfinished runs",
          run.record_file.string());
  }

  static void note(const Run& run) {
    write_record(run.record_file, {run.identity, SweepRecord::not_begun, 0, "", {}, {}, true});
  }

  // Of a run that this process has claimed: it goes on from a checkpoint of its own.
  void settle(Run& run) const {
    if (run.pending && !given_.overwrite) {
      const std::optional<std::uint64_t> newest = newest_fingerprint(run.outputs);
      run.anew = !newest || fmt::format("{:016x}", *newest) != run.identity;
    }
  }

  // How many runs there are at a time, on how many threads each.
  void share_machine(int count) {
    const ExecutorArguments& machine = given_.scene;
    const int cores = usable_cores();
    devices_ = !on_gpu_ ? 0 : machine.device >= 0 || !machine.devices.empty() ? 1 : std::ssize(cuda_devices());
    jobs_ = given_.jobs > 0 ? given_.jobs : on_gpu_ ? static_cast<int>(devices_) : cores / std::max(1, machine.threads);
    if (const std::size_t room = host_memory_available(); given_.jobs == 0 && !on_gpu_ && memory_ > 0)
      jobs_ = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(jobs_), room / memory_));
    jobs_ = std::clamp(jobs_, 1, std::max(1, count));
    threads_ = std::max(1, cores / jobs_);
  }

  std::vector<std::string> arguments_of(const Run& run, int slot) const {
    const bool is_figure = figure_ && &run == &*figure_;
    std::vector<std::string> words = {is_figure ? "figure" : "render", is_figure ? figure_file() : given_.scene.scene,
                                      "--progress=none"};
    const auto give = [&](const std::string& name, const std::string& value) {
      words.push_back(fmt::format("--{}={}", name, value));
    };
    for (const CLI::Option* option : given_.of_runs) {
      const std::string name = option->get_lnames().front();
      const bool own = is_among(name, "threads encoders"), also_figure = is_among(name, "backend checkpoint-every");
      for (const std::string& value : option->results())
        if (!own && (!is_figure || also_figure)) give(name, value);
    }
    const ExecutorArguments& machine = given_.scene;
    if (devices_ > 1) give("device", std::to_string(slot % devices_));
    if (is_figure && machine.device >= 0) give("device", std::to_string(machine.device));
    if (const auto folder = given_.scene.confine.folder_for(folder_of(given_.scene.scene)); folder && is_figure)
      give("confine", fs::absolute(*folder).string());
    if (!is_figure || machine.threads > 0)
      give("threads", std::to_string(machine.threads > 0 ? machine.threads : threads_));
    if (given_.encoders > 0 || (!is_figure && jobs_ > 1))
      give("encoders", std::to_string(given_.encoders > 0 ? given_.encoders : threads_));
    for (const std::string& one : overrides_of(run)) give("set", one);
    for (const std::string& output : run.outputs) give("output", output);
    const bool is_page = is_figure && is_page_extension(extension_of(run.outputs.front()));
    words.emplace_back(is_page || run.anew ? "--overwrite" : "--resume=auto");
    return words;
  }

  // Until these runs are done, also by other processes, or a signal has come.
  void work(std::list<Run*> waiting) {
    std::list<Job> jobs;
    auto next_try = Clock::now();
    for (bool told = false;; std::this_thread::sleep_for(20ms)) {
      while (!interrupted() && std::ssize(jobs) < jobs_ && !waiting.empty() && Clock::now() >= next_try)
        if (!begin(waiting, jobs)) next_try = Clock::now() + 1s;  // others work on the rest
      for (auto job = jobs.begin(); job != jobs.end();) {
        const std::optional<int> exit = job->child->ended();
        if (exit) end(*job, *exit);
        job = exit ? jobs.erase(job) : std::next(job);
      }
      if (interrupted() && !std::exchange(told, true))
        for (const Job& job : jobs) job.child->send(interrupted());
      if (jobs.empty() && (interrupted() || waiting.empty())) return;
    }
  }

  // Begins the first run that no process works on; false where there is none.
  bool begin(std::list<Run*>& waiting, std::list<Job>& jobs) {
    for (auto at = waiting.begin(); at != waiting.end();) {
      Run& run = **at;
      make_folders(folder_of(run.record_file));
      auto claim = std::make_unique<Claim>(run.record_file);
      if (!claim->file) {
        ++at;
        continue;
      }
      at = waiting.erase(at);
      try {
        look(run);
      } catch (const UsageError& error) {  // its files have been changed since
        say_message(LogLevel::error, fmt::format("{} of {}: {}", ++done_, total_, error.what()));
        continue;
      }
      if (run.record) {
        ++done_;  // by another process
        continue;
      }
      settle(run);
      const bool is_figure = figure_ && &run == &*figure_;
      if (run.anew && is_figure) fs::remove(run.record_file);  // from here on it is resumed
      if (run.anew && !is_figure) note(run);
      if (is_figure) write_below(folder_of(figure_file()), fs::path(figure_file()).filename(), text_);
      int slot = 0;
      while (std::ranges::find(jobs, slot, &Job::slot) != jobs.end()) ++slot;
      auto child = std::make_unique<RunProcess>(arguments_of(run, slot), claim->file);
      jobs.push_back({&run, std::move(claim), slot, std::move(child)});
      return true;
    }
    return false;
  }

  void end(Job& job, int exit) {
    Run& run = *job.run;
    const std::string said = job.child->said(), &name = run.outputs.front();
    if (interrupted() && exit != 0) return;  // the next call goes on
    for (const std::string_view line : lines_of(said))
      if (line.starts_with("warning: ") && warnings_.emplace(line).second)
        say_message(LogLevel::warning, fmt::format("{}: {}", name, line.substr(9)));
    SweepRecord record{run.identity, exit, job.child->seconds(), exit == 0 ? "" : reason_in(said, exit), {}, {}};
    record.anew = !record.final() && (run.anew || run.pending) && !(figure_ && &run == &*figure_);
    if (exit == 0) std::ranges::transform(run.outputs, std::back_inserter(record.bytes), bytes_of);
    const auto csv = std::ranges::find(run.outputs, ".csv", extension_of);
    if (exit == 0 && csv != run.outputs.end()) record.last = last_row(*csv);
    try {
      write_record(run.record_file, record);
    } catch (const std::exception& error) {
      if (record.message.empty()) record.message = error.what();
      record.exit = static_cast<int>(ExitCode::failed);
    }
    job.claim.reset();
    if (record.final()) run.record = record;
    ++done_;
    const std::string ending = record.exit == 0 ? fmt::format(" in {:.2f} s", record.seconds) : ": " + record.message;
    say_message(record.exit == 0 ? LogLevel::info : LogLevel::error,
                fmt::format("{} of {}: {}{}", done_, total_, name, ending));
    if (Clock::now() < next_table_) return;
    const auto start = Clock::now();
    try {
      write_table();
    } catch (const std::exception&) {  // the last one is told
    }
    next_table_ = Clock::now() + 2s + 20 * (Clock::now() - start);
  }

  std::vector<std::string> header() const {
    std::vector<std::string> names = keys_;
    names.insert(names.end(), {"output", "exit", "seconds"});
    return names;
  }

  // Of all runs as the disk has them, those of other processes, too.
  void write_table() {
    make_folders(folder_of(table_));
    while (true) {
      const Claim claim(table_);
      if (claim.file) return write_claimed_table();
      std::this_thread::sleep_for(20ms);
    }
  }

  void write_claimed_table() {
    std::vector<std::string> names = header(), columns;
    std::vector<std::optional<SweepRecord>> records;
    for (Run& run : runs_) {
      std::optional<SweepRecord> record = run.record ? run.record : read_record(run.record_file);
      if (record && (record->identity != run.identity || record->exit == SweepRecord::not_begun)) record.reset();
      if (record && record->final()) run.record = record;
      if (record)
        for (const auto& [name, value] : record->last)
          if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
      records.push_back(std::move(record));
    }
    std::ranges::copy(columns, std::back_inserter(names));
    names.emplace_back("message");
    std::string text = csv_line(names);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const std::optional<SweepRecord>& record = records[i];
      std::vector<std::string> cells = shown_values(runs_[i]);
      cells.push_back(runs_[i].outputs.front());
      cells.push_back(record ? std::to_string(record->exit) : "");
      cells.push_back(record ? fmt::format("{:.3f}", record->seconds) : "");
      std::map<std::string, std::string> last;
      if (record) last.insert(record->last.begin(), record->last.end());
      for (const std::string& column : columns) cells.push_back(last[column]);
      cells.push_back(record ? record->message : "");
      text += csv_line(cells);
    }
    write_below(folder_of(table_), table_.filename(), text);
  }

  std::string figure_file() const { return given_.panels + ".toml"; }

  // Titles have no signs that mean something in them.
  std::string figure_text(const std::string& scene) const {
    const bool looks = std::ranges::any_of(keys_, [](const std::string& key) { return key.starts_with("view."); });
    std::string text = fmt::format("[figure]\ncolumns = {}\n", columns_);
    // Panels that are alike are to be compared.
    if (!looks) text += fmt::format("share = [\"{}\"]\n", given_.scene.label ? "colorbar" : "range");
    for (const Run& run : runs_) {
      std::vector<std::string> set, words;
      for (const std::string& one : run.panel) set.push_back(quote(one));
      for (std::size_t i = 0; i < keys_.size(); ++i)
        words.push_back(fmt::format("{} = {}", keys_[i].substr(keys_[i].rfind('.') + 1), shown_value(run.values[i])));
      std::string title = fmt::format("{}", fmt::join(words, ", "));
      std::erase_if(title, [](char c) { return c == '$' || c == '{' || c == '}'; });
      text += fmt::format("\n[[panel]]\nscene = {}\nset = [{}]\ntitle = {}\n", quote(scene), fmt::join(set, ", "),
                          quote(title));
    }
    return text;
  }

  // The panels as a figure, which the user may change. Throws UsageError where its panels, or its names, are not right.
  void plan_figure() {
    constexpr std::size_t most = 100;
    const std::string& name = given_.panels;
    const SinkKind& kind = kind_of(name);
    if (extension_of(name).empty() || (!kind.shows_pictures() && kind.content != Content::page))
      throw UsageError("--panels {}: write a video or a page, x.mp4 or x.pdf", name);
    if (runs_.size() > most)
      throw UsageError("--panels {}: shows up to {} runs, and there are {}; leave it out", name, most, runs_.size());
    const fs::path folder = folder_of(name);
    const fs::path scene = fs::absolute(given_.scene.scene);
    text_ = figure_text(fs::relative(scene, fs::absolute(folder)).string());
    std::string identity = text_;
    for (const Run& run : runs_) identity += run.identity;
    RunningChecksum checksum;
    checksum.add(identity.data(), identity.size());
    figure_ = Run{.outputs = {name},
                  .record_file = FilePattern(name).name(0) + ".sweep",
                  .identity = fmt::format("{:016x}", checksum.take().hash)};
    look(*figure_);
    if (figure_->record) return;
    const std::string there = text_of_file(figure_file(), 1 << 17);
    if (!there.empty() && there != text_ && !given_.overwrite)
      throw UsageError(
          "{}: exists already, and is another figure; choose another name for --panels or pass --overwrite",
          figure_file());
    if (std::error_code unknown; there.empty() && !given_.overwrite && fs::exists(FilePattern(name).name(0), unknown))
      throw UsageError("{}: exists already; choose another name for --panels or pass --overwrite", name);
    const FigureFile file = parse_figure(figure_text(scene.string()), folder, figure_file());  // `folder` may not exist
    const PanelFigure figure(file);
  }

  void draw_figure() {
    const auto good = std::ranges::count_if(runs_, [](const Run& run) { return run.record && run.record->exit == 0; });
    if (good < std::ssize(runs_)) {
      say_message(LogLevel::warning, fmt::format("{}: is drawn when all runs are done; so far {} of {} are",
                                                 given_.panels, good, runs_.size()));
      return;
    }
    figure_due_ = true;
    if (!figure_->record) total_ = 1, done_ = 0, work({&*figure_});
  }

  int tell_end() const {
    std::size_t good = 0, diverged = 0, failed = 0;
    for (std::size_t i = task_; i < runs_.size(); i += tasks_) {
      const std::optional<SweepRecord>& record = runs_[i].record;
      ++(!record ? failed : record->exit == 0 ? good : diverged);
    }
    const bool bad = failed > 0 || (figure_due_ && !figure_->record);
    say_message(
        bad || diverged > 0 ? LogLevel::error : LogLevel::info,
        fmt::format("{}: of the runs {} are done, {} diverged, {} failed", table_.string(), good, diverged, failed));
    return static_cast<int>(bad ? ExitCode::failed : diverged > 0 ? ExitCode::diverged : ExitCode::done);
  }

  using Clock = std::chrono::steady_clock;

  const SweepArguments& given_;
  std::vector<std::string> keys_;
  std::vector<Run> runs_;
  std::map<std::string, std::size_t> names_;  // of outputs, and the run of each
  std::size_t task_ = 0, tasks_ = 1;
  fs::path table_;
  Clock::time_point next_table_ = Clock::now();
  std::size_t columns_ = 1;  // of panels
  std::string text_;         // of the figure
  std::optional<Run> figure_;
  bool figure_due_ = false;
  bool on_gpu_ = false;
  std::size_t memory_ = 0;      // of the largest run, bytes
  std::ptrdiff_t devices_ = 0;  // GPUs
  int jobs_ = 1, threads_ = 1;
  std::size_t total_ = 0, done_ = 0;  // runs of this process
  std::set<std::string> warnings_;    // told
};

}  // namespace

void add_sweep(CLI::App& program, Command& chosen) {
  CLI::App* const command =
      program.add_subcommand("sweep", "Run a scene with other values of some keys, each, and make a table of the runs");
  const auto arguments = std::make_shared<SweepArguments>();
  arguments->scene.add_to(*command);
  arguments->scene.add_label_to(*command);
  arguments->shape.add_to(*command);
  command->add_option("--encoders", arguments->encoders, "As for render, of each run")->check(within(0, 256));
  command->add_option("--checkpoint-every", arguments->checkpoint_every, "As for render")->capture_default_str();
  for (const CLI::Option* option : command->get_options())
    if (!option->get_positional() && option->get_lnames().front() != "help") arguments->of_runs.push_back(option);
  add_option(*command, "--over", arguments->over, "KEY=LIST",
             "A key and its values: solver.viscosity=0.01,0.02, solver.viscosity=0.01:0.04:7 (seven evenly), "
             "=log:0.001:1:4; several: every value with every other");
  add_option(*command, "--rows", arguments->rows, "x.csv",
             "A CSV file: keys in its first line, then a row of values for each run");
  command->add_flag("--zip", arguments->zip, "The first values of all lists together, then the second ones");
  add_option(*command, "-o,--output", arguments->outputs, "OUT",
             "An output of each run, as of render, with values in its name: out/{solver.viscosity}.mp4");
  add_option(*command, "--table", arguments->table, "x.csv",
             "The table of all runs; by default sweep.csv in the folder of the outputs");
  add_option(*command, "--panels", arguments->panels, "x.mp4",
             "Show all runs side by side in one video or on one page");
  add_option(*command, "--jobs", arguments->jobs, "N",
             "Runs at a time; by default one for each GPU, or as many as the CPU has cores and memory for")
      ->check(within(1, 4096));
  add_option(*command, "--task", arguments->task, "I/N",
             "Do one share of N, of a Slurm array: $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT");
  command->add_flag("--overwrite", arguments->overwrite,
                    "Replace outputs that exist; runs that this scene and these settings have done stay");
  command->callback([arguments, &chosen] { chosen = [arguments] { return Sweep(*arguments).run(); }; });
}

}  // namespace simreel
