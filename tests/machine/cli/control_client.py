# SPDX-License-Identifier: Apache-2.0
"""A client of the control socket for tests, by hand, so that it can also say
what no proper client would: frames of proto/PROTOCOL.md, control.proto."""
import errno
import socket
import struct

MAGIC = 0x31444B42
HELLO, STATUS, CONFINEMENT = 2, 4, 6
SECONDS = 10


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """One protobuf field: an integer, text or a packed message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def decode(data):
    """{field number: [values]}; messages stay bytes."""
    at, found = 0, {}
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        else:
            assert key & 7 == 2, data
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
        found.setdefault(key >> 3, []).append(value)
    return found


def frame(op, number, payload=b"", magic=MAGIC, length=None):
    return struct.pack("<IIII", magic, len(payload) if length is None else length,
                       op, number) + payload


class Client:
    """One connection."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(SECONDS)
        self.number = 0
        try:
            self.socket.connect(path)
        except OSError:
            self.socket.close()
            raise

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def send(self, data):
        self.socket.send(data)

    def ask(self, op, payload=b""):
        """The parts of the Reply to one request."""
        self.number += 1
        self.send(frame(op, self.number, payload))
        answer = self.socket.recv(1 << 17)
        assert len(answer) >= 16, answer
        magic, length, got, number = struct.unpack("<IIII", answer[:16])
        assert (magic, got, number) == (MAGIC, op + 1, self.number), answer
        assert length == len(answer) - 16, answer
        return decode(answer[16:])

    def hello(self, version=1):
        return self.ask(HELLO, field(1, version) + field(2, "test"))

    def error(self, op, payload=b""):
        """The code of the error that this request gets."""
        reply = self.ask(op, payload)
        assert set(reply) == {1}, reply
        return decode(reply[1][0])[1][0].decode()

    def status(self):
        """{field: [values]} of StatusReply."""
        return decode(self.ask(STATUS)[3][0])

    def is_closed(self):
        """Waits until the other end closes, whatever it says before."""
        try:
            while self.socket.recv(1 << 17):
                pass
            return True
        except OSError as e:
            return e.errno == errno.ECONNRESET
