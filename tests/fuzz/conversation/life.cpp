#include "tests/fuzz/conversation/life.hpp"

#include <cstdio>
#include <utility>

#include "tests/fuzz/stand_ins/stand_ins.hpp"

namespace kernsweep::fuzz {

Life::Life(std::string endpoint, std::string database, std::shared_ptr<const Expansion> own) {
  forget_stops();
  config_.endpoints = {std::move(endpoint)};
  config_.database = std::move(database);
  config_.stay = true;
  config_.listening = [this](const std::string&) {
    listening_.store(true);
    listening_.notify_one();
  };
  thread_ = std::thread([this, own] {
    summary_ = coordinate(config_, own, *this);
    const std::string& wrong = *summary_ ? (*summary_)->failure : summary_->error().message;
    if (!wrong.empty()) std::fprintf(stderr, "the coordinator ended: %s\n", wrong.c_str());
    ended_.store(true);
  });
  listening_.wait(false);
}

Life::~Life() {
  if (!ended_) {
    ask_to_stop();
    ask_to_stop();
  }
  thread_.join();
  // Whatever peers say, it can go on, and what they say can be stored.
  KS_ASSERT(summary_->has_value());
  KS_ASSERT((*summary_)->failure.empty());
}

}  // namespace kernsweep::fuzz
