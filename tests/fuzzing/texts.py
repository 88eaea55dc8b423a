"""Drawn text: words, numbers and lines that files are made of, and damage to them."""

from random import Random

__all__ = ["damaged", "number", "small_number", "word"]

_WORDS = [b"q1", b"q2", b"7", b"007", b"d1", b"d#2", b"#x", b"GX-1", b"\xc3\xbc", b"\xff\xfe", b"a:b", b"docid", b"="]
_NUMBERS = b"0 1 2 -1 +3 0.5 .5 5. 1e3 1E-3 1e+22 1e308 1e309 -1e309 1e-320 1e-400 4.9e-324 0.1".split()
_NUMBERS += b"0.30000000000000004 -0".split()
_ODD = b"nan NaN inf -Infinity NULL 0x1 1_0 1e . - + 1,5 \xd9\xa1 1e5e5 infinit 1.2.3 1d5 --1 00012".split()
_ODD += [b"9007199254740993"]
_PIECES = [
    *(b" ", b"\t", b"\n", b"\r", b"\r\n", b"#", b":", b"qid:", b"1:", b"0", b"9", b".", b"-", b"e", b"\x00", b"\xff"),
    *(b"\xef\xbb\xbf", b"NULL", b"docid = ", b"\x0b", b"\x0c", b"\x85", b"\xa0", b",", b'"', b"\x1f\x8b"),
    b"1" * 30,
    b"2147483647:",
    b"2147483648:",
    b"99999999999999999999",
    b"4294967297:1",
]


def word(rng: Random) -> bytes:
    """An id as it may stand in a file."""
    if rng.random() < 0.8:
        return rng.choice(_WORDS)
    return bytes(rng.choice(b"abcxyz0129_-.:#=\xc3\xa9\x01") for _ in range(rng.randint(1, 12)))


def number(rng: Random, odd: float = 0.02) -> bytes:
    """A number as it may be written, or now and then something that looks like one."""
    draw = rng.random()
    if draw < odd:
        return rng.choice(_ODD)
    if draw < 0.4:
        return rng.choice(_NUMBERS)
    if draw < 0.6:
        return b"%d" % rng.randint(0, 4)
    if draw < 0.75:
        return repr(rng.gauss(0, 1)).encode()
    if draw < 0.85:
        return b"%.*f" % (rng.randint(0, 20), rng.uniform(-1000, 1000))
    digits = b"".join(b"%d" % rng.randint(0, 9) for _ in range(rng.randint(1, 25)))
    point = rng.randint(0, len(digits))
    exponent = b"e%d" % rng.randint(-330, 320) if rng.random() < 0.4 else b""
    return rng.choice([b"", b"-", b"+"]) + digits[:point] + b"." + digits[point:] + exponent


def small_number(rng: Random) -> bytes:
    """A label."""
    return b"%d" % rng.randint(0, 4) if rng.random() < 0.9 else number(rng)


def damaged(content: bytes, rng: Random, share: float = 0.4) -> bytes:
    """The file, or with this probability one with bytes changed, cut out, doubled or put in."""
    while rng.random() < share:
        i = rng.randint(0, len(content))
        j = min(len(content), i + rng.choice([0, 1, 1, 2, 8]))
        kind = rng.randrange(4)
        if kind == 0:
            content = content[:i] + content[j:]
        elif kind == 1:
            content = content[:i] + rng.choice(_PIECES) + content[i:]
        elif kind == 2:
            content = content[:i] + rng.choice(_PIECES) + content[j:]
        else:
            content = content[:j] + content[i:]
    return content
