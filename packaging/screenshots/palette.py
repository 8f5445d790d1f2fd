"""Makes a PNG of 256 colours of one that has more, so that it is a third as large. The colours of
most pixels stay as they are; what is left becomes the nearest of those."""
import collections
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLORS = 256
CHANNELS = {2: 3, 6: 4}  # by the kind of picture: without and with transparency


def chunks_of(data):
    """name -> its bytes, put together."""
    found, at = collections.defaultdict(bytes), len(SIGNATURE)
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        found[data[at + 4 : at + 8]] += data[at + 8 : at + 8 + size]
        at += 12 + size
    return found


def predicted(kind, left, above, corner):
    """What a byte is the difference to, by the filter of its line."""
    if kind < 3:
        return (0, left, above)[kind]
    if kind == 3:
        return (left + above) // 2
    guess = left + above - corner
    return min((left, above, corner), key=lambda each: abs(guess - each))


def pixels_of(data):
    """Width, and a list of lines of colours."""
    chunks = chunks_of(data)
    width, height, _, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    step = CHANNELS[kind]
    raw, size = zlib.decompress(chunks[b"IDAT"]), width * step
    above, lines = bytearray(size), []
    for start in range(0, height * (size + 1), size + 1):
        line = bytearray(raw[start + 1 : start + 1 + size])
        if raw[start]:
            for at in range(size):
                left, corner = (line[at - step], above[at - step]) if at >= step else (0, 0)
                line[at] = line[at] + predicted(raw[start], left, above[at], corner) & 255
        above = line
        lines.append([bytes(line[at : at + 3]) for at in range(0, size, step)])
    return width, lines


def numbers_of(lines):
    """The palette, and color -> its number there."""
    common = collections.Counter(color for line in lines for color in line).most_common()
    palette = [color for color, _ in common[:COLORS]]
    numbers = {color: number for number, color in enumerate(palette)}
    for color, _ in common[COLORS:]:
        numbers[color] = min(
            range(COLORS),
            key=lambda number: sum((a - b) ** 2 for a, b in zip(color, palette[number])),
        )
    return palette, numbers


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def with_palette(data):
    width, lines = pixels_of(data)
    palette, numbers = numbers_of(lines)
    raw = b"".join(b"\0" + bytes(numbers[color] for color in line) for line in lines)
    return (
        SIGNATURE
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(lines), 8, 3, 0, 0, 0))
        + chunk(b"PLTE", b"".join(palette))
        + chunk(b"IDAT", zlib.compress(raw, 9))
        + chunk(b"IEND", b"")
    )
