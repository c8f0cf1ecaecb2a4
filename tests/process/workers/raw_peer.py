"""A peer of the coordinator that says what our own programs never would: ZMTP 3 in the clear, by hand."""
import pathlib
import re
import socket

MORE, LONG, COMMAND = 1, 2, 4
# Numbers of fields (shared/wire/protocol.proto).
WORKER, HELLO, HEARTBEAT, REQUEST = 1, 2, 3, 7
WELCOME, GOODBYE, REJOIN, ANSWER, DROP_NOTICE = 2, 8, 9, 11, 12
PIECE = bytes(1 << 20)
CODE = (pathlib.Path(__file__).resolve().parents[3] / "shared/wire/convert.hpp").read_text()
PROTOCOL_MINOR = int(re.search(r"kProtocolMinor = (\d+);", CODE)[1])


def varint(number):
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 0x7f) << shift
        at += 1
        if not data[at - 1] & 0x80:
            return number, at
        shift += 7


def fields(message):
    """Numbers and values of a message of Protocol Buffers, as far as we use them."""
    at = 0
    while at < len(message):
        key, at = read_varint(message, at)
        value, at = read_varint(message, at)
        if key & 7 == 2:
            at += value
            yield key >> 3, message[at - value:at]
        else:
            yield key >> 3, value


def message_of(worker, what, content=b""):
    return varint(WORKER << 3) + varint(worker) + told(what, content)


def told(number, content):
    """A field that holds text, bytes, or another message."""
    return varint(number << 3 | 2) + varint(len(content)) + content


class RawPeer:
    def __init__(self, address, limit_s):
        host, _, port = address.removeprefix("tcp://").rpartition(":")
        self.greet(socket.create_connection((host, int(port)), timeout=limit_s), b"DEALER")

    @classmethod
    def listening(cls, address, limit_s):
        """The first one that connects to this address, as a coordinator sees it."""
        host, _, port = address.removeprefix("tcp://").rpartition(":")
        with socket.create_server((host, int(port))) as server:
            server.settimeout(limit_s)
            link, _ = server.accept()
        link.settimeout(limit_s)
        peer = cls.__new__(cls)
        peer.greet(link, b"ROUTER")
        return peer

    def greet(self, link, kind):
        self.link = link
        self.link.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00NULL".ljust(55, b"\0"))
        self.frame(b"\x05READY\x0bSocket-Type\0\0\0\x06" + kind, COMMAND)
        self.take(64)
        self.read_frame()  # its READY

    def close(self):
        self.link.close()

    def take(self, size):
        """Exactly so many bytes; b"" when it has hung up."""
        data = b""
        while len(data) < size:
            piece = self.link.recv(size - len(data))
            if not piece:
                return b""
            data += piece
        return data

    def frame(self, content, flags=0):
        self.link.sendall(bytes([flags | LONG]) + len(content).to_bytes(8, "big") + content)

    def zeros(self, size):
        """A message of so many bytes 0."""
        self.link.sendall(bytes([LONG]) + size.to_bytes(8, "big"))
        for _ in range(size // len(PIECE)):
            self.link.sendall(PIECE)
        self.link.sendall(PIECE[:size % len(PIECE)])

    def read_frame(self):
        """Flags and content; nothing when it has hung up."""
        flags = self.take(1)
        if not flags:
            return None
        size = int.from_bytes(self.take(8 if flags[0] & LONG else 1), "big")
        return flags[0], self.take(size)

    def heard(self):
        """The next message, as a dictionary; nothing when it has hung up."""
        while True:
            try:
                frame = self.read_frame()
            except ConnectionError:
                return None
            if frame is None or not frame[0] & COMMAND:
                return frame and dict(fields(frame[1]))
            if frame[1].startswith(b"\x04PING"):
                self.frame(b"\x04PONG" + frame[1][7:], COMMAND)

    def heard_until(self, last):
        """All messages until one has the field, the peer says goodbye, or hangs up."""
        told = []
        while not told or not told[-1].keys() & {last, GOODBYE}:
            message = self.heard()
            if message is None:
                return told
            told.append(message)
        return told
