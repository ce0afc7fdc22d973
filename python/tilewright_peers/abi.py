"""include/tilewright/peer.h for ctypes: the same names, fields and numbers."""

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_float, c_int32, c_int64, c_uint32,
                    c_uint64, c_void_p)

VERSION = 1
OK, UNSUPPORTED, FAILED = 0, 1, 2
BACKENDS = {"cpu": 0, "cuda": 1}
TYPES = ("f32", "f16", "bf16")
ORDERS = ("row_major", "col_major")


class Operand(Structure):
    _fields_ = [("type", c_int32), ("order", c_int32), ("ld", c_int64), ("batch_stride", c_int64),
                ("alignment_bytes", c_int32), ("reserved", c_int32)]


class Problem(Structure):
    _fields_ = [("struct_bytes", c_uint32), ("reserved", c_uint32), ("op", c_char_p), ("m", c_int64),
                ("n", c_int64), ("k", c_int64), ("batch", c_int64), ("a", Operand), ("b", Operand),
                ("c", Operand), ("d", Operand), ("alpha", c_float), ("beta", c_float)]


class Device(Structure):
    _fields_ = [("struct_bytes", c_uint32), ("backend", c_int32), ("index", c_int32),
                ("compute_capability", c_int32), ("threads", c_int32), ("reserved", c_int32)]


class Set(Structure):
    _fields_ = [("a", c_void_p), ("b", c_void_p), ("c", c_void_p), ("d", c_void_p)]


class Facts(Structure):
    _fields_ = [("struct_bytes", c_uint32), ("reserved", c_uint32), ("kernel", c_char_p),
                ("policy", c_char_p), ("padding", c_char_p), ("workspace_bytes", c_int64),
                ("persisting_l2_bytes", c_int64)]


# A returned string is a c_void_p: ctypes cannot keep a Python string alive for the caller.
TextFunction = CFUNCTYPE(c_void_p, c_void_p)
PrepareFunction = CFUNCTYPE(c_int32, c_void_p, POINTER(Problem), POINTER(Device), POINTER(Set),
                            c_int64, c_void_p, POINTER(c_void_p), POINTER(Facts), c_void_p, c_uint64)
RunFunction = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_int64, POINTER(Set), c_float, c_float,
                        c_void_p, c_void_p, c_uint64)
DestroyFunction = CFUNCTYPE(None, c_void_p, c_void_p)


class Table(Structure):
    _fields_ = [("abi_version", c_uint32), ("struct_bytes", c_uint32), ("id", c_char_p),
                ("context", c_void_p), ("backend", c_int32), ("reserved", c_int32),
                ("version", TextFunction), ("path", TextFunction), ("missing", TextFunction),
                ("prepare", PrepareFunction), ("run", RunFunction), ("destroy", DestroyFunction)]
