// The coordinator's shell: sweeps that begin, end, are submitted and cancelled.
#include <algorithm>

#include "coordinator/net/catalogue.hpp"
#include "coordinator/net/shell.hpp"
#include "coordinator/sweep/catalogue_check.hpp"
#include "results/reader.hpp"
#include "shared/installation.hpp"

namespace kernsweep::coordination {
namespace {

constexpr std::size_t kPastMax = 1000;

// What the database keeps of the ways in which a sweep can end.
kernsweep::SweepState state_of(Ending ending, bool cancelled) {
  if (cancelled) return kernsweep::SweepState::cancelled;
  const bool whole = ending == Ending::complete || ending == Ending::incomplete;
  return whole ? kernsweep::SweepState::finished : kernsweep::SweepState::stopped;
}

}  // namespace

SweepOrder Shell::own_order() const {
  SweepOrder order;
  order.expansion = own_;
  order.replacements = config_.replacements;
  order.again = config_.again;
  return order;
}

// `hello`: of the agent that `run` has started; nothing: no agent is here yet.
Status Shell::open(const wire::Hello* hello) {
  SweepOrder order;
  if (own_) {
    order = own_order();
    order.reuse = ReuseRule(hello ? hello->host().fingerprint() : "", version_text());
    if (hello) order.catalogues.push_back(std::make_shared<Catalogue>(catalogue_of(hello->catalogue())));
    // Before there is a file: what is wrong with the sweep leaves none behind.
    if (hello) {
      const Status known = check_against(own_->sweep(), *own_, *order.catalogues.front());
      if (!known) return known;
    }
  }
  auto store = Store::open_for_writing(config_.database);
  if (!store) return tl::unexpected(store.error());
  const auto identity = store->identity();
  if (!identity) return tl::unexpected(identity.error());
  database_identity_ = identity->view();
  std::optional<SweepBegun> first;
  if (own_) {
    auto begun = begin_sweep(*store, order);
    if (!begun) return tl::unexpected(begun.error());
    first = std::move(*begun);
  }
  auto unfinished = store->to_be_continued();
  if (!unfinished) return tl::unexpected(unfinished.error());
  store_.emplace(std::move(*store), "kernsweep " + version_text());
  if (first) {
    own_sweep_ = first->id;
    store_->know(first->id, first->expansion);
    watcher_.begun(first->earlier, first->reused);
    begin(std::move(*first), true);
  }
  if (config_.local_agent) return Done{};
  return take_up(std::move(*unfinished));
}

// What an earlier coordinator of this database has left: sweeps that clients brought go on, and agents may
// forget what they still have of those that are over.
Status Shell::take_up(std::vector<StoredSweep> unfinished) {
  auto reader = Reader::open(config_.database);
  if (!reader) return tl::unexpected(reader.error());
  const auto over = reader->query("select id from sweep where state in ('finished', 'cancelled')");
  if (!over) return tl::unexpected(over.error());
  for (const auto& row : over->rows) {
    const SweepId id{static_cast<std::uint32_t>(*row[0].integer())};
    if (id != own_sweep_) apply(SweepOver{id});
  }
  for (StoredSweep& each : unfinished) {
    if (each.id == own_sweep_) continue;
    SweepOrder order;
    order.text = std::move(each.record.text);
    order.file = each.record.file;
    for (StoredFile& file : each.record.files)
      order.tables.push_back({std::move(file.path), std::move(file.content)});
    order.replacements = each.record.replacements;
    order.priority = each.record.priority;
    order.submitted = true;
    order.reuse = ReuseRule("", version_text());
    watcher_.note("going on with " + each.record.name + "@" + std::to_string(each.id.value) +
                  ", which was not finished");
    store_->post_begin(next_submission_++, std::move(order));
  }
  return Done{};
}

void Shell::begin(SweepBegun begun, bool own) {
  const auto sweep = std::make_shared<SweepInHand>(begun, hosts_, keys_, now_);
  sweep->own = own;
  sweep->held_against_catalogue = own && config_.local_agent;  // before it began
  std::erase_if(past_, [&](const SweepPast& past) { return past.id == begun.id; });
  sweeps_[begun.id] = sweep;
  if (begun.anew > 0)
    watcher_.note(std::to_string(begun.anew) + (begun.anew == 1 ? " job is" : " jobs are") +
                  " measured anew: another host or other software measured " +
                  (begun.anew == 1 ? "it" : "them") + " in an earlier sweep");
  SweepSubmitted event = std::move(begun.event);
  event.space = std::shared_ptr<const JobSpace>(sweep, &sweep->space);
  apply(event);
}

void Shell::submit(const std::string& peer, std::uint64_t request, const wire::Submit& submit) {
  SweepOrder order;
  order.text = submit.text();
  order.file = submit.file();
  for (const auto& table : submit.tables()) order.tables.push_back({table.path(), table.content()});
  order.replacements = submit.replacements();
  order.priority = submit.priority();
  order.again = submit.again();
  order.submitted = true;
  order.reuse = ReuseRule("", version_text());
  for (const auto& [worker, session] : sessions_) order.catalogues.push_back(session->catalogue);
  submissions_[next_submission_] = {peer, request};
  store_->post_begin(next_submission_++, std::move(order));
}

void Shell::on_begun(std::uint32_t tag, Result<SweepBegun> begun) {
  const auto waits = submissions_.find(tag);
  wire::Answer told;
  if (!begun) {
    told.set_error(begun.error().message);
    if (waits == submissions_.end()) watcher_.note("cannot go on: " + begun.error().message);
  } else {
    wire::Submitted& submitted = *told.mutable_submitted();
    submitted.set_sweep(begun->id.value);
    submitted.set_name(begun->expansion->sweep().name);
    submitted.set_jobs(begun->expansion->raw_jobs());
    submitted.set_earlier(begun->earlier);
    submitted.set_reused(begun->reused);
    submitted.set_ran_already(in_hand(begun->id) != nullptr);
    if (!submitted.ran_already()) {
      if (waits != submissions_.end()) {
        watcher_.note("submitted: " + submitted.name() + "@" + std::to_string(begun->id.value));
        note_event(EventKind::submitted, AttemptId{{begun->id, 0, 0}, 0}, nullptr, "");
      }
      begin(std::move(*begun), false);
    }
  }
  if (waits == submissions_.end()) return;
  told.set_number(waits->second.request);
  answer(waits->second.peer, told);
  submissions_.erase(waits);
}

void Shell::cancel(SweepId sweep) {
  cancelled_.push_back(sweep);
  note_event(EventKind::cancelled, AttemptId{{sweep, 0, 0}, 0}, nullptr, "");
  apply(SweepCancelled{sweep});
}

// The first worker that has a family decides whether the sweeps that ask for it make sense.
void Shell::hold_against(const Session& session) {
  std::vector<std::pair<SweepId, std::string>> wrong;
  for (const auto& [id, sweep] : sweeps_) {
    if (sweep->held_against_catalogue) continue;
    const auto& families = session.catalogue->families;
    const std::string& kernel = sweep->expansion->sweep().kernel;
    if (std::ranges::find(families, kernel, &CatalogueFamily::name) == families.end()) continue;
    sweep->held_against_catalogue = true;
    const Status known = check_against_first(*sweep->expansion, {session.catalogue});
    if (!known) wrong.emplace_back(id, known.error().message);
  }
  for (const auto& [id, why] : wrong) {
    if (id == own_sweep_ && !config_.stay && sweeps_.size() == 1) {
      refused_ = Error{why};
      wrong_from_the_start_ = true;
    } else {
      watcher_.note(in_hand(id)->name() + "@" + std::to_string(id.value) + " is cancelled: " + why);
      cancel(id);
    }
  }
}

void Shell::ended(SweepInHand& sweep, Ending ending) {
  const bool cancelled = std::erase(cancelled_, sweep.id) > 0;
  past_.push_back(
      {sweep.id, sweep.name(), sweep.priority, ending, cancelled, sweep.reused, now_ - sweep.since});
  if (past_.size() > kPastMax) past_.erase(past_.begin());
  store_->post_end(sweep.id, state_of(ending, cancelled));
  std::erase_if(sent_, [&](const auto& entry) { return entry.first.job.sweep == sweep.id; });
  sweeps_.erase(sweep.id);
}

SweepInHand* Shell::in_hand(SweepId id) {
  const auto found = sweeps_.find(id);
  return found == sweeps_.end() ? nullptr : found->second.get();
}

const SweepPast* Shell::past(SweepId id) const {
  const auto found = std::ranges::find(past_, id, &SweepPast::id);
  return found == past_.end() ? nullptr : &*found;
}

void Shell::note_event(EventKind what, std::optional<AttemptId> attempt, const Session* session,
                       const std::string& reason) {
  if (!store_) return;
  Occurrence event;
  event.record.unix_s = unix_now();
  event.record.what = what;
  if (attempt && attempt->number > 0) event.record.attempt = attempt;
  if (attempt) event.record.sweep = attempt->job.sweep;
  if (session) {
    event.record.session = session->id.value;
    event.record.host = session->host;
  }
  event.reason = reason;
  store_->post_event(std::move(event));
}

}  // namespace kernsweep::coordination
