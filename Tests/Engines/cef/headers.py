"""Makes CEF's C headers again from the ctypes declarations of the package `cef-capi-py`.

headers.py DECLARATIONS DIRECTORY

An embedder has CEF's own headers. Here only the package is at hand: it has every structure and function, in the order
of CEF's headers, but says neither `const` nor which pointer a getter returns. Both stand in the tables below.
"""

import ast
import re
import sys
from pathlib import Path

SIMPLE = {
    "c_int32": "int", "c_uint32": "uint32_t", "c_int64": "int64_t", "c_uint64": "uint64_t", "c_uint16": "char16_t",
    "c_int16": "int16_t", "c_char": "char", "c_ubyte": "unsigned char", "c_double": "double", "c_float": "float",
    "c_int8": "int8_t", "c_uint8": "uint8_t", "c_char_p": "const char*", "size_t": "size_t", "None": "void",
}  # fmt: skip

# What is an argument to write to; every other text is one to read.
WRITTEN = {("_cef_resource_request_handler_t", "on_resource_redirect")}
READ = {
    "_cef_string_utf16_t", "_cef_key_event_t", "_cef_popup_features_t", "_cef_draggable_region_t", "_cef_point_t",
    "_cef_composition_underline_t", "_cef_range_t", "_cef_settings_t", "_cef_size_t",
}  # fmt: skip
LISTS = ("_cef_string_list_t", "_cef_string_map_t", "_cef_string_multimap_t")
READ_BY_FUNCTIONS = {
    "_cef_main_args_t", "_cef_window_info_t", "_cef_browser_settings_t", "_cef_request_context_settings_t",
}  # fmt: skip

# What getters return whose name does not say it.
POINTERS = {
    "get_main_frame": "frame", "get_focused_frame": "frame", "get_frame_by_identifier": "frame", "get_parent": "frame",
    "get_frame_by_name": "frame", "get_host": "browser_host", "get_browser": "browser", "get_client": "client",
    "get_default_client": "client", "get_request_context": "request_context", "get_post_data": "post_data",
    "get_resource_response_filter": "response_filter", "get_cookie_access_filter": "cookie_access_filter",
    "get_default_request_context_handler": "request_context_handler", "get_handler": "request_context_handler",
    "cef_request_context_get_global_context": "request_context", "cef_value_create": "value",
    "cef_request_context_create_context": "request_context", "cef_command_line_get_global": "command_line",
    "cef_browser_host_create_browser_sync": "browser", "cef_v8context_get_current_context": "v8context",
    "get_v8context": "v8context", "get_global": "v8value", "cef_process_message_create": "process_message",
    "get_argument_list": "list_value", "get_frame": "frame",
}  # fmt: skip
TEXTS = re.compile(
    r"get_(?:.*_)?(?:url|uri|name|method|by_name|cookies|path|disposition|type|text|title|query|message|string|value)$"
    r"|get_switch_value|get_code|get_label"
)
# Functions of which the package does not say enough.
WHOLE = {
    ("_cef_v8handler_t", "execute"): "int (*execute)(struct _cef_v8handler_t*, const struct _cef_string_utf16_t*,"
    " struct _cef_v8value_t*, size_t, struct _cef_v8value_t* const*, struct _cef_v8value_t**,"
    " struct _cef_string_utf16_t*);"
}
# Of the same names, those that are numbers.
NUMBERS = re.compile(r"get_(?:resource|transition|media|source|window|.*element|edit)_?type$|get_type$")


class Header:
    """The declarations, read as Python's own parser reads them, and written in their order."""

    def __init__(self, source: str) -> None:
        self.tree = ast.parse(source)
        self.values: dict[str, dict[str, int]] = {}
        self.enums: set[str] = set()
        self.aliases: dict[str, str] = {}
        self.results: dict[str, str] = {}
        self.lines: list[str] = []

    def text(self) -> str:
        structures = [node.name for node in self.tree.body if isinstance(node, ast.ClassDef)]
        named = [structure(name) for name in structures if name.startswith("struct_")]
        # CEF's lists are pointers by name.
        named = [name for name in named if name not in LISTS]
        self.lines += [f"struct {name};" for name in LISTS]
        self.lines += [f"struct {name};\ntypedef struct {name} {name.lstrip('_')};" for name in named]
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                self.assign(node.targets[0], node.value)
        return "\n".join(self.lines)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.name(target.id, value)
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            owner = target.value.id
            if target.attr == "_fields_" and owner.startswith("struct_") and isinstance(value, ast.List):
                self.fields(structure(owner), value)
            elif target.attr == "restype":
                self.results[owner] = self.type(value, owner)
            elif target.attr == "argtypes" and owner in self.results and isinstance(value, ast.List):
                arguments = ", ".join(self.argument(one, owner, is_function=True) for one in value.elts) or "void"
                self.lines.append(f"CEF_EXPORT {self.results[owner]} {owner}({arguments});")

    def name(self, name: str, value: ast.expr) -> None:
        if name.endswith("__enumvalues") and isinstance(value, ast.Dict):
            words, numbers = map(ast.literal_eval, value.values), (ast.literal_eval(key) for key in value.keys if key)
            self.values[name.removesuffix("__enumvalues")] = dict(zip(words, numbers, strict=True))
        elif name in self.values and name not in self.enums:
            members = ", ".join(f"{word} = {number}" for word, number in self.values[name].items())
            self.enums.add(name)
            self.lines.append(f"typedef enum {{ {members} }} {name};")
        elif re.fullmatch(r"cef_\w+_t|cef_event_handle_t", name):
            made = self.type(value, name)
            if made and made not in (name, f"struct _{name}"):
                self.lines.append(f"typedef {made} {name};")
            self.aliases[name] = name

    def fields(self, name: str, value: ast.List) -> None:
        members = []
        for pair in value.elts:
            assert isinstance(pair, ast.Tuple)
            member = ast.literal_eval(pair.elts[0])
            if not member.startswith("PADDING"):
                members.append("  " + self.member(name, member, pair.elts[1]))
        if members:
            self.lines.append(f"struct {name} {{\n" + "\n".join(members) + "\n};")

    def member(self, owner: str, name: str, value: ast.expr) -> str:
        if isinstance(value, ast.Call) and called(value) == "CFUNCTYPE":
            if (owner, name) in WHOLE:
                return WHOLE[owner, name]
            result, *arguments = value.args
            listed = ", ".join(self.argument(one, owner, name) for one in arguments)
            return f"{self.result(owner, name, result)} (*{name})({listed});"
        if isinstance(value, ast.BinOp):
            return f"{self.type(value.left, name)} {name}[{ast.literal_eval(value.right)}];"
        return f"{self.type(value, name)} {name};"

    def result(self, owner: str, name: str, value: ast.expr) -> str:
        """The package writes every pointer that a function returns as a number."""
        made = self.type(value, name)
        return pointer(owner, name) or made if made == "uint64_t" else made

    def argument(self, value: ast.expr, owner: str, name: str = "", *, is_function: bool = False) -> str:
        made = self.type(value, owner)
        read = READ | READ_BY_FUNCTIONS if is_function else READ
        is_output = is_function and owner.startswith("cef_string_")
        if is_output and made in ("char*", "char16_t*", "int*"):
            return "const " + made
        if made.startswith("struct ") and made.endswith("*") and made.count("*") == 1:
            if made[7:-1] in read and (owner, name) not in WRITTEN and not is_output:
                return "const " + made
        return "struct _cef_x509certificate_t* const*" if made == "struct _cef_x509certificate_t**" else made

    def type(self, value: ast.expr, owner: str) -> str:
        if isinstance(value, ast.Constant) and value.value is None:
            return "void"
        if isinstance(value, ast.Attribute):
            made = SIMPLE[value.attr]
            return pointer("", owner) or made if made == "uint64_t" else made
        if isinstance(value, ast.Name):
            return "struct " + structure(value.id) if value.id.startswith("struct_") else SIMPLE.get(value.id, value.id)
        if isinstance(value, ast.Call) and called(value) == "POINTER":
            inner = value.args[0]
            if isinstance(inner, ast.Name) and inner.id.startswith("union_"):
                return "union _XEvent*"
            return self.type(inner, owner) + "*"
        if isinstance(value, ast.Call) and called(value) == "CFUNCTYPE":
            return "void*"
        return ""


def pointer(owner: str, name: str) -> str:
    handler = re.fullmatch(r"get_(\w+_handler)", name)
    if owner == "_cef_frame_t" and name == "get_identifier":
        return "struct _cef_string_utf16_t*"
    if name in POINTERS or handler:
        return f"struct _cef_{POINTERS.get(name) or handler[1]}_t*"  # type: ignore[index]
    if TEXTS.match(name) and not NUMBERS.match(name):
        return "struct _cef_string_utf16_t*"
    return ""


def structure(name: str) -> str:
    return name.removeprefix("struct_")


def called(value: ast.Call) -> str:
    return value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")


def write(declarations: Path, directory: Path) -> None:
    """One file with everything, and one of each name that CEF has, which includes it."""
    source = declarations.read_text()
    head = source.partition("\nimport ")[0]
    whole = "#pragma once\n#include <stddef.h>\n#include <stdint.h>\n#include <time.h>\n#include <uchar.h>\n"
    whole += "#define CEF_EXPORT extern\ntypedef union _XEvent XEvent;\n#define cef_event_handle_t XEvent*\n"
    for name in set(re.findall(r"include/[\w/]+\.h", head)):
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('#include "include/capi/all.h"\n')
    (directory / "include/capi/all.h").write_text(whole + Header(source).text() + "\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]))
