#include "cli/launch/ssh_hosts.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <sstream>

#include "cli/grammar/command_line.hpp"
#include "cli/grammar/replacement_words.hpp"
#include "shared/base/try.hpp"
#include "shared/text/number_text.hpp"

namespace kernsweep {
namespace {

bool is_name(const std::string& text) {
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("._-%:", c) != nullptr;
  };
  return !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), fits);
}

// Splits "host", "host:22" and "[v6]:22"; a text with two or more colons is an IPv6 address without a port.
Status split_port(const std::string& text, std::string& name, std::uint16_t& port) {
  std::size_t end = text.size();
  name = text;
  if (text.starts_with('[')) {
    end = text.find(']');
    if (end == std::string::npos) return failure("'[' is not closed; write [IPV6-ADDRESS]:port");
    name = text.substr(1, end - 1);
    ++end;
  } else if (std::count(text.begin(), text.end(), ':') == 1) {
    end = text.find(':');
    name = text.substr(0, end);
  }
  if (end == text.size()) return Done{};
  const auto number = number_of<std::uint16_t>(text.substr(end + 1));
  if (text[end] != ':' || !number || *number == 0)
    return failure("'" + text.substr(end) + "' is not a port; write :22, a number from 1 to 65535");
  port = *number;
  return Done{};
}

Result<SshHost> host_of(const std::vector<std::string>& words) {
  SshHost host;
  host.text = words[0];
  const auto at = words[0].rfind('@');
  const std::string user = at == std::string::npos ? "" : words[0].substr(0, at);
  std::string name;
  KS_RETURN_IF_ERROR(
      split_port(at == std::string::npos ? words[0] : words[0].substr(at + 1), name, host.port));
  if (!is_name(name))
    return failure("'" + name + "' is not a valid name of a host; write [user@]host[:port]");
  if (at != std::string::npos && !is_name(user))
    return failure("'" + user + "' is not a valid name of a user; write [user@]host[:port]");
  host.destination = user.empty() ? name : user + "@" + name;
  host.worker_options.assign(words.begin() + 1, words.end());
  for (const std::string& option : host.worker_options) {
    if (option.starts_with("--join") || option.starts_with("--connect"))
      return failure(option + " is not for a host: all join the one coordinator");
  }
  KS_RETURN_IF_ERROR(check_worker_options(host.worker_options));
  return host;
}

}  // namespace

Result<std::vector<SshHost>> parse_hosts(const std::string& text, const std::string& where) {
  std::vector<SshHost> hosts;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (const auto comment = line.find('#'); comment != std::string::npos) line.erase(comment);
    while (!line.empty() && line.back() == '\r') line.pop_back();
    const auto words = split_at_blanks(line);
    if (words.empty()) continue;
    auto host = host_of(words);
    if (!host) return failure(where + ", line " + std::to_string(number) + ": " + host.error().message);
    hosts.push_back(std::move(*host));
  }
  if (hosts.empty()) return failure(where + " names no host; write one per line: [user@]host[:port]");
  return hosts;
}

Result<std::vector<SshHost>> read_hosts(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  if (file) text << file.rdbuf();
  if (!file || file.bad())
    return failure("cannot read the file of hosts " + path + ": " + std::strerror(errno) +
                   "; give one with a host per line");
  return parse_hosts(text.str(), path);
}

}  // namespace kernsweep
