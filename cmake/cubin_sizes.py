"""Bytes of machine code of each kernel, read from the device images inside a host object.

nvcc puts its fat binary into the section .nv_fatbin: containers of entries, an entry an ELF image
for one target. Images for which code is wanted are stored plain (only PTX is compressed unless
nvcc is told otherwise); a compressed one yields nothing, and its kernels are reported without a
size.
"""

import struct

_FATBIN_MAGIC = 0xBA55ED50
_ELF_ENTRY = 2


def code_bytes(path):
    """{(sm number, mangled name): bytes} for the object at `path`."""
    with open(path, "rb") as file:
        data = file.read()
    sizes = {}
    for name, section in _sections(data):
        if name == ".nv_fatbin":
            for sm, image in _images(section):
                for inner, code in _sections(image):
                    if inner.startswith(".text."):
                        sizes[sm, inner[len(".text."):]] = len(code)
    return sizes


def _sections(elf):
    """(name, bytes) of each section of a 64-bit little-endian ELF image."""
    table, = struct.unpack_from("<Q", elf, 40)
    entry_size, count, names_index = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * entry_size) for i in range(count)]
    names = headers[names_index][4]
    for name, kind, _, _, offset, size in headers:
        start = names + name
        text = elf[start:elf.index(b"\0", start)].decode()
        yield text, b"" if kind == 8 else elf[offset:offset + size]  # 8: no bits in the file


def _images(fatbin):
    """(sm number, ELF image) of each plainly stored entry."""
    position = 0
    while position + 16 <= len(fatbin):
        magic, _, header_bytes, body_bytes = struct.unpack_from("<IHHQ", fatbin, position)
        if magic != _FATBIN_MAGIC:
            position += 8  # padding between containers
            continue
        entry, end = position + header_bytes, position + header_bytes + body_bytes
        while entry < end:
            kind, _, entry_header, size = struct.unpack_from("<HHIQ", fatbin, entry)
            sm, = struct.unpack_from("<I", fatbin, entry + 28)
            image = fatbin[entry + entry_header:entry + entry_header + size]
            if kind == _ELF_ENTRY and image.startswith(b"\x7fELF"):
                yield sm, image
            entry += entry_header + size
        position = (end + 7) // 8 * 8
