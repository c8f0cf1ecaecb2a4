#include "tests/fuzz/conversation/words.hpp"

#include <limits>

#include "shared/base/outcome.hpp"
#include "shared/wire/convert.hpp"

namespace kernsweep::fuzz {

const char* const kOwnSweep =
    "sweep: 1\nname: talk\nkernel: noop\naxes: {i: {range: [0, 5]}}\nexclude: [{i: 3}]\n"
    "measure: {processes: 1}\nretry: {max: 1, for: [signal, throttled]}\n";

namespace {

const char* const kSweeps[] = {
    "sweep: 1\nname: each\nkernel: noop\naxes: {i: [1, 2]}\nhosts: each\nmeasure: {processes: 1}\n",
    "sweep: 1\nname: many\nkernel: noop\naxes: {i: {range: [1, 40]}}\nrequires: [host.cores >= 2]\n",
    "sweep: 1\nname: unknown\nkernel: nothing_has_it\naxes: {i: [1]}\n",
    "sweep: 1\nname: tabled\nkernel: noop\naxes: {t: {table: t.csv}}\ntimeout: {sweep: 1s}\n",
    "no sweep at all",
};
const char* const kNames[] = {"talk", "talk@1", "1", "each", "many@2", "", "tabled", "4294967296"};
const char* const kJobs[] = {"0", "talk/1", "talk/99", "each/0", "many/18446744073709551615",
                             "/", "x",      "1/3"};
// A control sequence for terminals, a line break, a zero, two bytes for a letter. What is no UTF-8 is no
// message: altered repetitions hold that.
const std::string kUgly = std::string("\x1b[31m\n") + '\0' + "'\xc3\xa9";

template <std::size_t n>
std::string one_of(Script& script, const char* const (&choices)[n]) {
  return choices[script.below(n)];
}

double number_from(Script& script) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  constexpr double kChoices[] = {
      1e-3,      0,          -1,     1e300, 5e-324,
      kInfinite, -kInfinite, 2.5e-3, 1e-9,  std::numeric_limits<double>::quiet_NaN()};
  return kChoices[script.below(10)];
}

std::uint64_t count_from(Script& script) {
  constexpr std::uint64_t kChoices[] = {
      1, 0, 2, 1000, std::uint64_t{1} << 31, ~std::uint64_t{0}, std::uint64_t{1} << 63};
  return kChoices[script.below(7)];
}

std::string body_of_numbers(Script& script) {
  wire::OutcomeBody body;
  for (std::uint32_t n = script.below(12); n > 0; --n) body.add_samples_s(number_from(script));
  body.set_calls_per_sample(count_from(script));
  body.set_warmup_runs(count_from(script));
  body.set_order(count_from(script));
  body.set_noise(number_from(script));
  body.set_flops(number_from(script));
  body.set_bytes(number_from(script));
  body.set_setup_s(number_from(script));
  body.set_run_s(number_from(script));
  body.set_started_unix_ns(static_cast<std::int64_t>(count_from(script)));
  body.set_verified(script.one_in(2));
  body.set_error(number_from(script));
  body.set_output_hash(script.one_in(2) ? std::string(16, 'h') : script.text());
  wire::Conditions& conditions = *body.mutable_conditions();
  conditions.set_measured(script.one_in(2));
  conditions.set_clock_ghz(number_from(script));
  conditions.set_steal_s(number_from(script));
  conditions.set_page_faults(count_from(script));
  conditions.set_nan_count(count_from(script));
  conditions.set_samples_taken(count_from(script));
  conditions.set_peak_memory_bytes(count_from(script));
  conditions.set_alone_median_s(number_from(script));
  conditions.set_metric(script.byte());
  return body.SerializeAsString();
}

std::string body_of_texts(Script& script) {
  wire::OutcomeBody body;
  body.add_samples_s(1e-3);
  const std::string ugly = script.one_in(2) ? kUgly : script.text();
  body.set_reason(ugly);
  body.set_stderr_tail(ugly);
  body.set_runtime(ugly);
  body.set_affinity(ugly);
  body.set_stopped_by(ugly);
  body.set_pack_name(ugly);
  body.set_pack_version(ugly);
  body.set_doubt_cause(script.byte());
  body.add_grades(ugly);
  body.add_doubts(ugly);
  body.add_notes(ugly);
  body.set_software(script.one_in(2) ? "s" : ugly);
  wire::Input& input = *body.add_inputs();
  constexpr const char* kSummaries[] = {"f32[2,3] uniform(0, 1) seed 7", "[", "]x[", "f32[] seed ", ""};
  input.set_name(ugly);
  input.set_summary(one_of(script, kSummaries));
  input.set_content_hash(script.one_in(2) ? ugly : std::string(32, 'a'));
  input.set_identity(std::string(16, 'i'));
  input.set_generator(ugly);
  input.set_bytes(count_from(script));
  if (script.one_in(2)) {
    wire::TensorOrigin& origin = *input.mutable_origin();
    origin.set_dtype(ugly);
    origin.set_seed(count_from(script));
    for (std::uint32_t n = script.below(12); n > 0; --n)
      origin.add_shape(static_cast<std::int64_t>(count_from(script)));
    (script.one_in(2) ? origin.mutable_file() : origin.mutable_distribution())->assign(ugly);
    origin.set_file_member(ugly);
  }
  body.mutable_conditions()->set_disturbed_by(ugly);
  body.mutable_conditions()->set_cold_by(ugly);
  return body.SerializeAsString();
}

void fill_catalogue(Script& script, wire::Catalogue& catalogue) {
  if (script.one_in(8)) return;
  wire::Family& family = *catalogue.add_families();
  family.set_name(script.one_in(8) ? script.text() : "noop");
  family.set_any_params(!script.one_in(8));
  family.add_variants()->set_name("plain");
  if (!script.one_in(8)) return;
  wire::Param& param = *family.add_params();
  param.set_name("i");
  constexpr const char* kKinds[] = {"integer", "text", "", "choice", "float"};
  param.set_kind(one_of(script, kKinds));
  param.set_choices(script.text());
  param.set_required(script.one_in(2));
}

}  // namespace

AttemptId attempt_from(Script& script, const Known& known) {
  const std::uint32_t how = script.below(8);
  if (how < 5 && !known.held.empty()) return known.held[script.below(255) % known.held.size()];
  if (how < 7 && !known.others.empty()) return known.others[script.below(255) % known.others.size()];
  AttemptId forged;
  forged.job.sweep = SweepId{script.below(4)};
  forged.job.index = script.one_in(8) ? count_from(script) : script.below(8);
  forged.job.host = script.one_in(4) ? script.word() : script.below(3);
  forged.number = script.one_in(8) ? script.word() : script.below(4);
  return forged;
}

void fill_hello(Script& script, const Known& known, const std::string& instance, wire::Hello& hello) {
  hello.set_protocol_major(script.one_in(16) ? script.byte() : kProtocolMajor);
  hello.set_protocol_minor(script.one_in(4) ? script.byte() : kProtocolMinor);
  hello.set_version(script.one_in(16) ? kUgly : "0.0.1");
  hello.set_instance(instance);
  if (script.one_in(16)) hello.set_token(script.text());
  wire::HostFacts& host = *hello.mutable_host();
  constexpr const char* kHosts[] = {"node1", "node2", "node3", ""};
  host.set_name(script.one_in(16) ? kUgly : one_of(script, kHosts));
  host.set_fingerprint(script.one_in(8) ? script.text() : std::string(32, host.name().empty() ? '0' : 'e'));
  host.set_text(script.one_in(8) ? kUgly : "cpu.threads = 4\nsystem.machine = m\n");
  (*host.mutable_properties())["cpu.threads"] = script.one_in(8) ? kUgly : "4";
  (*host.mutable_properties())["system.machine"] = script.one_in(8) ? kUgly : "m";
  host.set_cores(script.one_in(8) ? script.word() : 1 + script.below(4));
  host.set_memory_bytes(count_from(script));
  encode(Value(4), (*host.mutable_facts())["cores"]);
  if (script.one_in(4)) encode(Value(number_from(script)), (*host.mutable_facts())[script.text()]);
  if (script.one_in(8)) host.add_allow(script.one_in(2) ? "packs" : script.text());
  fill_catalogue(script, *hello.mutable_catalogue());
  for (std::uint32_t n = script.below(6); n > 0; --n)
    encode(attempt_from(script, known), *hello.add_holding());
  if (!script.one_in(4)) hello.set_database(script.one_in(8) ? script.text() : known.database);
}

void fill_honest_hello(const std::string& instance, wire::Hello& hello) {
  hello.set_protocol_major(kProtocolMajor);
  hello.set_protocol_minor(kProtocolMinor);
  hello.set_instance(instance);
  hello.mutable_host()->set_name("honest");
  hello.mutable_host()->set_fingerprint(std::string(32, 'd'));
  hello.mutable_host()->set_cores(4);
  encode(Value(4), (*hello.mutable_host()->mutable_facts())["cores"]);
  wire::Family& family = *hello.mutable_catalogue()->add_families();
  family.set_name("noop");
  family.set_any_params(true);
  family.add_variants()->set_name("plain");
}

void add_ok(const AttemptId& attempt, wire::Outcomes& outcomes) {
  wire::Outcome& outcome = *outcomes.add_outcomes();
  encode(attempt, *outcome.mutable_attempt());
  outcome.set_outcome(static_cast<std::uint32_t>(Outcome::ok));
  outcome.set_busy_ns(1000);
  wire::OutcomeBody body;
  for (const double sample : {1e-6, 2e-6, 3e-6}) body.add_samples_s(sample);
  body.set_calls_per_sample(1);
  outcome.set_body(body.SerializeAsString());
}

void fill_outcomes(Script& script, const Known& known, wire::Outcomes& outcomes) {
  for (std::uint32_t n = 1 + script.below(4); n > 0; --n) {
    const AttemptId attempt = attempt_from(script, known);
    add_ok(attempt, outcomes);
    wire::Outcome& outcome = *outcomes.mutable_outcomes()->rbegin();
    const std::uint32_t how = script.below(8);
    if (how > 1) outcome.set_outcome(script.below(24));
    if (how == 3) outcome.set_body(body_of_numbers(script));
    if (how == 4) outcome.set_body(body_of_texts(script));
    if (how == 5) outcome.set_body(script.text());
    if (how == 6) outcome.set_busy_ns(static_cast<std::int64_t>(count_from(script)));
    if (how == 7) outcome.set_throttled(true);
  }
  if (!script.one_in(4)) return;
  wire::Software& software = *outcomes.add_software();
  software.set_identity(script.one_in(2) ? "s" : script.text());
  software.set_version(script.one_in(4) ? kUgly : "0.0.1");
  software.set_libraries(script.one_in(2) ? kUgly : script.text());
  software.set_thread_environment(script.text());
}

void fill_attempts(Script& script, const Known& known, wire::Attempts& attempts) {
  for (std::uint32_t n = script.below(5); n > 0; --n)
    encode(attempt_from(script, known), *attempts.add_attempts());
}

void fill_request(Script& script, wire::Request& request) {
  switch (script.below(8)) {
    case 0:
      request.mutable_status();
      break;
    case 1:
      request.mutable_workers();
      break;
    case 2:
      request.mutable_cancel()->set_sweep(one_of(script, kNames));
      break;
    case 3:
    case 4:
      request.mutable_why()->set_job(script.one_in(8) ? script.text() : one_of(script, kJobs));
      break;
    case 5:
      request.mutable_drain()->set_worker(script.below(8));
      break;
    case 6:
      request.mutable_drain()->set_host(script.one_in(4) ? kUgly : "node1");
      break;
    default:
      break;  // asks nothing that is known
  }
}

void fill_submit(Script& script, wire::Submit& submit) {
  submit.set_text(script.one_in(8) ? script.text() : one_of(script, kSweeps));
  submit.set_file(script.one_in(8) ? kUgly : "here/s.yaml");
  submit.set_priority(static_cast<std::int32_t>(script.below(5)) - 2);
  submit.set_again(script.one_in(4));
  wire::NamedFile& table = *submit.add_tables();
  table.set_path(script.one_in(8) ? "../t.csv" : "t.csv");
  table.set_content(script.one_in(4) ? script.text() : "a,b\n1,2\n3,4\n");
  if (!script.one_in(4)) return;
  constexpr const char* kReplacements[] = {"quick\n",       "set measure.processes=2\n",
                                           "axis i=[7]\n",  "point 1\n",
                                           "only i == 1\n", "set nothing\n"};
  submit.set_replacements(one_of(script, kReplacements));
}

}  // namespace kernsweep::fuzz
