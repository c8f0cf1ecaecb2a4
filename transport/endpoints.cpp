#include "transport/endpoints.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "shared/base/log.hpp"

namespace kernsweep {
namespace {

struct HostPort {
  std::string host, port;
};

HostPort split(const std::string& endpoint) {
  const std::string rest = endpoint.substr(std::string_view("tcp://").size());
  const auto colon = rest.rfind(':');
  if (colon == std::string::npos) return {rest, ""};
  return {rest.substr(0, colon), rest.substr(colon + 1)};
}

// The address as in an endpoint; empty if other machines cannot use it.
std::string address_of(const ifaddrs& interface, bool version_6) {
  const sockaddr* const address = interface.ifa_addr;
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET) {
    const auto& in = reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
    const bool link_local = (ntohl(in.s_addr) >> 16) == 0xA9FE;
    if (link_local || !inet_ntop(AF_INET, &in, text, sizeof text)) return "";
    return text;
  }
  if (address->sa_family != AF_INET6 || !version_6) return "";
  const auto& in = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  if (IN6_IS_ADDR_LINKLOCAL(&in) || !inet_ntop(AF_INET6, &in, text, sizeof text)) return "";
  return "[" + std::string(text) + "]";
}

// The address as in an endpoint: with brackets around version 6.
std::string numeric(const sockaddr& address, unsigned size) {
  char text[NI_MAXHOST] = "";
  if (getnameinfo(&address, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) return "";
  return address.sa_family == AF_INET6 ? "[" + std::string(text) + "]" : text;
}

// The first version 6 address of an interface without a version 4 address, which libzmq would find itself.
// Empty if there is none.
std::string address_of_interface(const std::string& name) {
  std::string found;
  bool has_4 = false;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return found;
  for (const ifaddrs* at = list; at; at = at->ifa_next) {
    if (!at->ifa_addr || name != at->ifa_name) continue;
    has_4 = has_4 || at->ifa_addr->sa_family == AF_INET;
    if (found.empty() && at->ifa_addr->sa_family == AF_INET6) found = address_of(*at, true);
  }
  freeifaddrs(list);
  return has_4 ? "" : found;
}

// The address of a name; version 4 first. Empty if the name has no address.
std::string address_of_name(const std::string& name) {
  struct {
    int family, flags;
  } constexpr kTries[] = {{AF_INET, AI_ADDRCONFIG}, {AF_INET6, AI_ADDRCONFIG}, {AF_UNSPEC, 0}};
  for (const auto& [family, flags] : kTries) {
    addrinfo wanted{}, *found = nullptr;
    wanted.ai_family = family;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = flags;
    if (getaddrinfo(name.c_str(), nullptr, &wanted, &found) != 0) continue;
    const std::string address = numeric(*found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    if (!address.empty()) return address;
  }
  return "";
}

std::vector<std::string> addresses_of_this_machine(bool version_6) {
  std::vector<std::string> found;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return found;
  for (const ifaddrs* at = list; at; at = at->ifa_next) {
    constexpr unsigned kUsable = IFF_UP | IFF_RUNNING;
    if (!at->ifa_addr || (at->ifa_flags & kUsable) != kUsable || (at->ifa_flags & IFF_LOOPBACK) != 0)
      continue;
    const std::string address = address_of(*at, version_6);
    if (!address.empty() && std::find(found.begin(), found.end(), address) == found.end())
      found.push_back(address);
  }
  freeifaddrs(list);
  return found;
}

}  // namespace

bool is_tcp(const std::string& endpoint) {
  return endpoint.starts_with("tcp://");
}

Status check_port(const std::string& endpoint) {
  if (!is_tcp(endpoint)) return Done{};
  const std::string port = endpoint.substr(endpoint.rfind(':') + 1);
  if (port.empty() || port.find_first_not_of("0123456789") != std::string::npos)
    return Done{};  // libzmq reports it
  // libzmq takes a port modulo 65536: tcp://*:70000 would listen on 4464, without an error.
  if (port.size() <= 5 && std::stoul(port) <= 65535) return Done{};
  return failure("cannot use the address '" + endpoint + "': there is no port " + port +
                 "; choose one from 1024 to 65535");
}

bool needs_version_6(const std::string& endpoint) {
  if (!is_tcp(endpoint)) return false;
  const std::string host = split(endpoint).host;
  if (host == "*" || host.starts_with('[')) return true;
  static std::mutex mutex;
  static std::map<std::string, bool> known;  // a name is looked up once: that may take seconds
  const std::lock_guard lock(mutex);
  const auto [at, added] = known.try_emplace(host);
  if (!added) return at->second;
  const auto has = [&](int family) {
    addrinfo wanted{}, *found = nullptr;
    wanted.ai_family = family;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_ADDRCONFIG;  // only address versions that this machine has itself
    if (getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) return false;
    freeaddrinfo(found);
    return true;
  };
  return at->second = !has(AF_INET) && has(AF_INET6);
}

std::string endpoint_to_bind(const std::string& endpoint) {
  if (!is_tcp(endpoint)) return endpoint;
  const auto [host, port] = split(endpoint);
  if (host.empty() || host == "*" || host.starts_with('[')) return endpoint;
  const std::string address =
      if_nametoindex(host.c_str()) != 0 ? address_of_interface(host) : address_of_name(host);
  if (address.empty()) return endpoint;
  const bool is_loopback = address.starts_with("127.") || address == "[::1]";
  if (is_loopback && address != host && host != "localhost")
    log_line(LogLevel::warning, host + " has the address " + address +
                                    ", which other machines cannot reach; listen on tcp://*:" + port +
                                    ", which is all addresses of this machine");
  return "tcp://" + address + ":" + port;
}

std::vector<std::string> reachable_endpoints(const std::string& bound) {
  if (!is_tcp(bound)) return {bound};
  const HostPort parts = split(bound);
  const bool all_6 = parts.host == "[::]";
  if (!all_6 && parts.host != "*" && parts.host != "0.0.0.0") return {bound};
  // Tries addresses first, because the lookup of a name that cannot be resolved may take seconds.
  std::vector<std::string> out;
  for (const std::string& address : addresses_of_this_machine(all_6))
    out.push_back("tcp://" + address + ":" + parts.port);
  if (out.empty())
    log_line(
        LogLevel::warning,
        "no interface of this machine has an address that others can use: workers are offered its name "
        "alone; --advertise tcp://ADDRESS:" +
            parts.port + " offers another");
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) == 0 && *name != '\0' && std::string_view(name) != "localhost")
    out.push_back("tcp://" + std::string(name) + ":" + parts.port);
  if (out.empty()) out.push_back("tcp://127.0.0.1:" + parts.port);
  return out;
}

}  // namespace kernsweep
