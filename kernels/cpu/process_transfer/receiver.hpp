// The process that receives a tensor: a child of the slot, which waits for orders, and ends with it.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kernsweep::process_transfer {

// Memory that both processes see; zeros at first. A program gets it as a file. Throws std::bad_alloc.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes);
  SharedMemory(SharedMemory&&) = delete;
  ~SharedMemory();
  std::span<std::byte> bytes() const { return {data_, bytes_}; }
  int file() const { return file_; }

 private:
  int file_ = -1;
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

// Bytes from one process to the other, in order.
class Channel {
 public:
  enum class Kind { pipe, unix_socket };
  // Throws std::system_error: the system gives no more of them.
  explicit Channel(Kind kind);
  Channel(Channel&&) = delete;
  ~Channel();

  // All of them, or false: the other side is closed. Async-signal-safe, because the child of a process with
  // threads uses it.
  bool send(std::span<const std::byte> bytes) const noexcept;
  bool receive(std::span<std::byte> bytes) const noexcept;
  void close_sender() noexcept;
  void close_receiver() noexcept;
  int receiver() const { return receiver_; }
  int sender() const { return sender_; }

 private:
  Kind kind_;
  int receiver_ = -1, sender_ = -1;
};

// The child's function for an order. Runs in the child; may call async-signal-safe functions only. False:
// the child ends.
using Work = std::function<bool(char order)>;

class Receiver {
 public:
  // Starts the child. The caller closes the other end of channels from which only the child, or only this
  // process, receives. Throws std::system_error: no process or channel could be created.
  explicit Receiver(const Work& work);
  // Starts a program as the child: it gets orders on standard input, writes answers to standard output, and
  // its descriptor 3 is `file`; it gets no others. If it cannot be executed, it counts as ended.
  Receiver(const std::vector<std::string>& command, int file);
  Receiver(Receiver&&) = delete;
  ~Receiver();  // ends the child, and waits for it

  // Sends an order, and waits until it was carried out. False: the child has ended.
  bool order(char what) const noexcept;
  bool wait() const noexcept;

 private:
  Receiver();  // forks; returns in both

  Channel orders_{Channel::Kind::unix_socket}, answers_{Channel::Kind::unix_socket};
  int process_ = -1;
};

}  // namespace kernsweep::process_transfer
