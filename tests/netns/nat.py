"""Makes the network namespace that it runs in translate IPv4 addresses: python3 nat.py TO FROM.

Whatever passes goes to the address TO, as if it came from FROM, and answers find their way back: the
gateway of a network of which one port is forwarded to one host. It speaks netlink to nftables, so no
program needs to be installed; status 1 if the kernel has no nftables.
"""
import socket
import struct
import sys

NETLINK_NETFILTER = 12
REQUEST, ACKNOWLEDGE, CREATE, APPEND = 0x1, 0x4, 0x400, 0x800
BATCH_BEGIN, BATCH_END = 0x10, 0x11
NFTABLES = 10
NEW_TABLE, NEW_CHAIN, NEW_RULE = (NFTABLES << 8) + 0, (NFTABLES << 8) + 3, (NFTABLES << 8) + 6
PRE_ROUTING, POST_ROUTING = 0, 4
SNAT, DNAT = 0, 1
NESTED = 0x8000


def attribute(kind, value):
    """`value`: text, a number, bytes, or a list of attributes."""
    if isinstance(value, list):
        kind, value = kind | NESTED, b"".join(value)
    elif isinstance(value, str):
        value = value.encode() + b"\0"
    elif isinstance(value, int):
        value = struct.pack(">I", value)
    size = 4 + len(value)
    return struct.pack("=HH", size, kind) + value + bytes(-size % 4)


def message(kind, flags, attributes=(), family=socket.AF_INET, about=0):
    body = struct.pack(">BBH", family, 0, about) + b"".join(attributes)
    return struct.pack("=IHHII", 16 + len(body), kind, flags | REQUEST, kind, 0) + body


def expression(name, attributes):
    return attribute(1, [attribute(1, name), attribute(2, attributes)])


def chain(name, hook, priority, kind, address):
    """All that passes the hook gets this address, as its source or as its destination."""
    yield message(NEW_CHAIN, CREATE, [attribute(1, "gate"), attribute(3, name),
                                      attribute(4, [attribute(1, hook),
                                                    attribute(2, priority & 0xffffffff)]),
                                      attribute(7, "nat")])
    value = [attribute(1, socket.inet_aton(address))]
    load = expression("immediate", [attribute(1, 1), attribute(2, value)])
    translate = expression("nat", [attribute(1, kind), attribute(2, int(socket.AF_INET)), attribute(3, 1)])
    yield message(NEW_RULE, CREATE | APPEND, [attribute(1, "gate"), attribute(2, name),
                                              attribute(4, [load, translate])])


def main(to, source):
    orders = [message(BATCH_BEGIN, 0, family=0, about=NFTABLES),
              message(NEW_TABLE, CREATE, [attribute(1, "gate")]),
              *chain("to", PRE_ROUTING, -100, DNAT, to),
              *chain("from", POST_ROUTING, 100, SNAT, source),
              message(BATCH_END, ACKNOWLEDGE, family=0, about=NFTABLES)]
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER) as netlink:
        netlink.settimeout(10)
        netlink.sendto(b"".join(orders), (0, 0))
        answer = netlink.recv(65536)
    wrong = -struct.unpack_from("=i", answer, 16)[0]
    if wrong:
        print(f"this kernel translates no addresses: error {wrong}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
