"""Names of the standard library and of POSIX, and the header that defines each. A source that leaves a header out may
compile with one release of a compiler but not with the next, whose headers include fewer of each other."""

import re

HEADERS = {
    "algorithm": r"ranges::(?!begin\b|end\b|size\b|data\b|views\b|range\b)\w+|(?:stable_|partial_)?sort|"
                 r"find(?:_if)?|count(?:_if)?|min|max|clamp|copy(?:_n|_if)?|fill(?:_n)?|transform|(?:any|all|none)_of|"
                 r"unique|reverse|set_(?:intersection|difference|union)|(?:lower|upper)_bound|equal(?:_range)?|"
                 r"(?:min|max|minmax)_element|adjacent_find|binary_search|nth_element|remove_if|rotate|replace|"
                 r"generate|mismatch|is_sorted|shuffle",
    "array": r"array",
    "atomic": r"atomic",
    "bit": r"bit_cast|endian|popcount|countl_zero",
    "charconv": r"from_chars|to_chars",
    "chrono": r"chrono",
    "cmath": r"sqrt|exp|log|log2|log10|pow|sin|cos|tan|tanh|erf|floor|ceil|trunc|l?round|isnan|isinf|isfinite|abs|"
             r"hypot|fmod|nextafter|fma|ldexp",
    "cstdint": r"u?int(?:8|16|32|64|ptr)_t",
    "cstdio": r"f?printf|snprintf|fopen|fclose|fflush|FILE",
    "cstdlib": r"getenv|abort|exit|strtol|strtod",
    "cstring": r"memcpy|memcmp|memset|memmove|strlen|strcmp|strerror",
    "filesystem": r"filesystem",
    "fstream": r"[io]?fstream",
    "functional": r"function|hash|reference_wrapper",
    "iomanip": r"setprecision|setw|setfill|quoted",
    "iostream": r"cout|cerr|cin",
    "iterator": r"back_inserter|inserter|istreambuf_iterator|distance|advance",
    "limits": r"numeric_limits",
    "map": r"map",
    "memory": r"unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared",
    "mutex": r"mutex|lock_guard|unique_lock|scoped_lock",
    "numbers": r"numbers",
    "numeric": r"iota|accumulate|inner_product|reduce",
    "optional": r"optional|nullopt",
    "set": r"set",
    "span": r"span",
    "sstream": r"[io]?stringstream",
    "thread": r"thread|jthread|this_thread",
    "tuple": r"tuple|tie|make_tuple",
    "unordered_map": r"unordered_map",
    "utility": r"exchange|as_const",
    "variant": r"variant|visit|get_if|holds_alternative",
}
POSIX = {
    "fcntl.h": r"open|openat|fcntl",
    "sys/stat.h": r"l?stat|fstat(?:at)?|mkdir(?:at)?|f?chmod|mkfifo",
    "sys/wait.h": r"wait|waitpid",
    "unistd.h": r"access|close|dup2?|fork|fsync|ftruncate|get[pu]id|isatty|linkat|lseek|pipe2?|p?read|readlink(?:at)?|"
                r"rmdir|symlink|unlink(?:at)?|p?write|_exit",
}
USES = {header: re.compile(rf"\bstd::(?:{names})\b") for header, names in HEADERS.items()} | {
    header: re.compile(rf"(?<![\w>:])::(?:{names})\(") for header, names in POSIX.items()}


def uses(line):
    """(header, name) for each header that a line of code needs."""
    for header, pattern in USES.items():
        match = pattern.search(line)
        if match:
            yield header, match.group(0)
