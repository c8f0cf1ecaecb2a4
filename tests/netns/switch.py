"""A switch in a process, with a cable to each of the hosts that it makes: python3 switch.py.

A host is a network namespace of its own, with a host name of its own, that is entered nowhere: it is gone
when this process and those in it are. Its cables are TAP devices whose other end is a descriptor here. So
each frame between two hosts goes through this process, which does to it what networks do, separately for
each direction: cut, delay, loss, duplication, reordering, rate. `tc netem` could do most of that, but many
kernels are built without it (sch_netem), and a TAP device is all that is needed here.

It reads lines of JSON and answers each with one: first the hosts, then what shall be. It ends when its input
does, and when its parent does.

Speed is not its aim: about 30,000 frames a second on one core.
"""
import ctypes
import fcntl
import heapq
import json
import os
import random
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time

CLONE_NEWUTS, CLONE_NEWNET = 0x04000000, 0x40000000
PR_SET_PDEATHSIG = 1
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454ca, 0x0002, 0x1000
FRAME_BYTES_MAX = 1514
SYN, ACK = 0x02, 0x10
REORDERED_BY_S = 0.02  # as late is a frame that others overtake
libc = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class Port:
    """One end of a cable; the other is the host's device."""

    def __init__(self, host, device):
        self.host = host
        self.segment = device["segment"]
        self.mac = bytes(int(part, 16) for part in device["mac"].split(":"))
        self.file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        asked = struct.pack("16sH22x", device["name"].encode(), IFF_TAP | IFF_NO_PI)
        fcntl.ioctl(self.file, TUNSETIFF, asked)


class Link:
    """What frames of one host meet on their way to another; and what they met so far."""

    COUNTED = ("sent", "sent_bytes", "payload_bytes", "connects", "cut", "lost", "doubled", "reordered",
               "overflowed")

    def __init__(self):
        self.counts = dict.fromkeys(self.COUNTED, 0)
        self.free_at = 0.0
        self.queued = 0
        self.rule({})

    def rule(self, asked):
        self.cut = asked.get("cut", False)
        self.delay = asked.get("delay", 0.0)
        self.loss = asked.get("loss", 0.0)
        self.duplicate = asked.get("duplicate", 0.0)
        self.reorder = asked.get("reorder", 0.0)
        self.rate = asked.get("rate", 0.0)  # bytes per second; 0: no limit
        self.limit = asked.get("limit", 1000)  # frames on their way; more are dropped
        self.plain = not any((self.cut, self.delay, self.loss, self.duplicate, self.reorder, self.rate))


def count_segment(frame, counts):
    """What a frame with a TCP segment in IPv4 carries, and whether it begins a connection."""
    if len(frame) < 54 or frame[12:14] != b"\x08\x00" or frame[23] != socket.IPPROTO_TCP:
        return
    header = 4 * (frame[14] & 15)
    offset, flags = frame[14 + header + 12] >> 4, frame[14 + header + 13]
    counts["payload_bytes"] += int.from_bytes(frame[16:18], "big") - header - 4 * offset
    counts["connects"] += flags & (SYN | ACK) == SYN


class Switch:
    def __init__(self, description):
        self.dice = random.Random(description["seed"])
        self.ports = []
        self.links = {}
        self.late = []  # (when, number, to, frame): a heap
        self.number = 0
        self.ready = selectors.DefaultSelector()
        self.namespaces = {}
        self.described = {host["name"]: host for host in description["hosts"]}
        names = list(self.described)
        self.links = {(one, other): Link() for one in names for other in names if one != other}
        for name in names:
            self.boot(name)

    # Hosts.

    def boot(self, name):
        """A host with nothing but its network: new, also when there was one of this name."""
        host = self.described[name]
        for port in [port for port in self.ports if port.host == name]:
            self.ready.unregister(port.file)
            os.close(port.file)
            self.ports.remove(port)
        for file in self.namespaces.pop(name, ()):
            os.close(file)
        home = [os.open(f"/proc/self/ns/{kind}", os.O_RDONLY) for kind in ("net", "uts")]
        checked(libc.unshare(CLONE_NEWNET | CLONE_NEWUTS))
        try:
            socket.sethostname(name)
            self.namespaces[name] = [os.open(f"/proc/self/ns/{kind}", os.O_RDONLY)
                                     for kind in ("net", "uts")]
            self.furnish(host)
        finally:
            for file in home:
                checked(libc.setns(file, 0))
                os.close(file)

    def furnish(self, host):
        ip("link", "set", "lo", "up")
        for device in host["devices"]:
            port = Port(host["name"], device)
            ip("link", "set", device["name"], "address", device["mac"])
            ip("link", "set", device["name"], "addrgenmode", "none", "up")
            for address in device["addresses"]:
                ip("addr", "add", address, "dev", device["name"], *(["nodad"] if ":" in address else []))
            self.ports.append(port)
            self.ready.register(port.file, selectors.EVENT_READ, port)
        for route in host["routes"]:
            ip("route", "add", *route)
        for name, value in host["settings"].items():
            with open(f"/proc/sys/net/{name}", "w", encoding="ascii") as file:
                file.write(value)

    # Frames.

    def read(self, port):
        for _ in range(64):
            try:
                frame = os.read(port.file, FRAME_BYTES_MAX + 4)
            except BlockingIOError:
                return
            to_all = frame[0] & 1
            for other in self.ports:
                if other is port or other.segment != port.segment:
                    continue
                if to_all or frame[:6] == other.mac:
                    self.carry(self.links[port.host, other.host], other, frame)

    def carry(self, link, to, frame):
        counts = link.counts
        if link.plain:
            self.write(link, to, frame)
            return
        if link.cut:
            counts["cut"] += 1
            return
        if self.dice.random() < link.loss:
            counts["lost"] += 1
            return
        copies = 1
        if self.dice.random() < link.duplicate:
            counts["doubled"] += 1
            copies = 2
        for _ in range(copies):
            at = time.monotonic()
            if link.rate:
                at = link.free_at = max(at, link.free_at) + len(frame) / link.rate
            at += link.delay
            if self.dice.random() < link.reorder:
                counts["reordered"] += 1
                at += REORDERED_BY_S
            if link.queued >= link.limit:
                counts["overflowed"] += 1
                continue
            link.queued += 1
            self.number += 1
            heapq.heappush(self.late, (at, self.number, link, to, frame))

    def write(self, link, to, frame):
        link.counts["sent"] += 1
        link.counts["sent_bytes"] += len(frame)
        count_segment(frame, link.counts)
        try:
            os.write(to.file, frame)
        except OSError:  # the host has just been booted again
            pass

    def deliver(self):
        """Writes what is due; the time until the next."""
        while self.late:
            at, _, link, to, frame = self.late[0]
            now = time.monotonic()
            if at > now:
                return at - now
            heapq.heappop(self.late)
            link.queued -= 1
            if link.cut:  # on the way when the cable was cut
                link.counts["cut"] += 1
            else:
                self.write(link, to, frame)
        return None

    # Orders.

    def obey(self, order):
        for one, other, rule in order.get("links", ()):
            self.links[one, other].rule(rule)
        if "boot" in order:
            self.boot(order["boot"])
        return {"namespaces": self.namespaces,
                "counts": [[*pair, link.counts] for pair, link in self.links.items()]}

    def serve(self):
        self.ready.register(sys.stdin, selectors.EVENT_READ, None)
        while True:
            for key, _ in self.ready.select(self.deliver()):
                if key.data:
                    if key.data in self.ports:
                        self.read(key.data)
                    continue
                line = sys.stdin.readline()
                if not line:
                    return
                print(json.dumps(self.obey(json.loads(line))), flush=True)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def main():
    checked(libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
    switch = Switch(json.loads(sys.stdin.readline()))
    print(json.dumps(switch.obey({})), flush=True)
    switch.serve()


if __name__ == "__main__":
    main()
