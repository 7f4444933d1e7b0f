# SPDX-License-Identifier: Apache-2.0
"""What is changed in a header, one change at a time: the rules, and where they apply.

The headers are formatted by clang-format, so ` < ` between spaces is a comparison and never a
template's bracket, ` * ` is a product and never a pointer.
"""
import bisect
import re
from dataclasses import dataclass

SYNC_KINDS = ('barrier', 'fence', 'acquire', 'release', 'atomic', 'mask')
KINDS = SYNC_KINDS + ('bounds', 'identity', 'order', 'condition', 'arithmetic', 'constant', 'assert')

LOOM = '::tweed::loom::device::'
FLIP = '[](auto x) { reinterpret_cast<unsigned char&>(x) ^= 1; return x; }(%s)'
ADD = '[](auto* p, auto x) { auto const old = *p; *p = old + x; return old; }({0}, {1})'

# (kind, what is called, what stands there instead). {0}, {1} are the arguments, {all} all of them,
# {f} what is called. An empty text: the call is a statement of its own, and goes.
CALLS = [
    ('barrier', r'(?:arch::)?sync(?:Block|Warp|Named<[^;]*?>)|__syncthreads|__syncwarp'
                r'|loom::device::namedBarrier'
                r'|(?:arch::)?(?:waitForCopies<[^;]*?>|waitForAllCopies|commitCopies)', ['']),
    ('barrier', r'__syncthreads_(?:or|and|count)', ['int({0})']),
    ('fence', r'(?:arch::)?fence\w+|__threadfence\w*', ['']),
    ('acquire', r'(?:arch::)?loadAcquire', [LOOM + 'atomicLoad({0}, __ATOMIC_RELAXED)']),
    ('release', r'(?:arch::)?storeRelease', [LOOM + 'atomicStore({0}, {1}, __ATOMIC_RELAXED)']),
    ('atomic', r'(?:arch::)?loadRelaxed', ['(*({0}))']),
    ('atomic', r'(?:arch::)?storeRelaxed', ['(*({0}) = {1})']),
    ('atomic', r'atomicAdd', [ADD]),
    ('mask', r'firstLanes', ['firstLanes(({0}) + 1)', 'firstLanes(({0}) - 1)']),
    ('mask', r'(?:detail::)?groupMask<\w+>|__activemask', ['0xffffffffu']),
    ('bounds', r'smaller(?:<\w+>)?', ['larger({all})']),
    ('bounds', r'larger(?:<\w+>)?', ['smaller({all})']),
    ('bounds', r'ceilDiv(?:<\w+>)?', ['(({0}) / ({1}))']),
    ('identity', r'identityOf<[^;()]*?>', [FLIP % '{f}({all})']),
    ('identity', r'(?:\w+\.)?op_?(?=\((?:\w+\.)?init, )', ['({1})']),
    ('identity', r'Limits<\w+>::greatest', ['Limits<T>::least()']),
    ('identity', r'Limits<\w+>::least', ['Limits<T>::greatest()']),
    ('identity', r'Limits<\w+>::nan', ['Limits<T>::greatest()']),
    ('order', r'(?:\w+\.)*op_?|(?:\w+\.)*ops?\.(?:template )?get<\w+>\(\)', ['{f}({1}, {0})']),
    ('condition', r'if(?: constexpr)?|while', ['{f} (!({all}))']),
    ('condition', r'(?:arch::)any', ['arch::all({all})']),
    ('condition', r'(?:arch::)all', ['arch::any({all})']),
    ('condition', r'__any_sync', ['__all_sync({all})']),
    ('condition', r'__all_sync', ['__any_sync({all})']),
    ('arithmetic', r'arch::shuffleUp', ['arch::shuffleDown({all})']),
    ('arithmetic', r'arch::shuffle(?:Down|Xor)', ['arch::shuffleUp({all})']),
    ('assert', r'TWEED_ASSERT', ['void()']),
    ('assert', r'Shape::check', ['']),
]

# (kind, what stands there, what stands there instead).
TOKENS = [
    ('acquire', r'__ATOMIC_ACQUIRE', '__ATOMIC_RELAXED'),
    ('release', r'__ATOMIC_RELEASE', '__ATOMIC_RELAXED'),
    ('release', r'__ATOMIC_ACQ_REL', '__ATOMIC_ACQUIRE'),
    ('acquire', r'__ATOMIC_ACQ_REL', '__ATOMIC_RELEASE'),
    ('mask', r'(?:(?<=\()|(?<=, ))mask(?=[,)])', '0xffffffffu'),
    ('mask', r'\b\w+\.bits(?=[,)])', '0xffffffffu'),
    ('mask', r'\bfullMask(?=[,)])', '(fullMask >> 1)'),
    ('mask', r'\b0xffffffffu\b', '0x7fffffffu'),
    ('bounds', r' < ', ' <= '), ('bounds', r' <= ', ' < '),
    ('bounds', r' > ', ' >= '), ('bounds', r' >= ', ' > '),
    ('bounds', r'(?<=[( ])count(?=[,)])', '(count - 1)'),
    ('bounds', r'(?<=[( ])count(?=[,)])', '(count + 1)'),
    ('bounds', r'(?<= = )0(?=;)', '1'), ('bounds', r'(?<= = )1(?=;)', '2'),
    ('condition', r' && ', ' || '), ('condition', r' \|\| ', ' && '),
    ('condition', r' == ', ' != '), ('condition', r' != ', ' == '),
    ('condition', r'\btrue(?=;)', 'false'), ('condition', r'\bfalse(?=;)', 'true'),
    ('arithmetic', r' [+-] 1\b(?!\.)', ''),
    ('arithmetic', r' \+ (?!1\b)', ' - '), ('arithmetic', r' - (?!1\b)', ' + '),
    ('arithmetic', r' \* ', ' + '), ('arithmetic', r' / ', ' * '), ('arithmetic', r' % ', ' / '),
    ('arithmetic', r' & ', ' | '), ('arithmetic', r' \| ', ' & '), ('arithmetic', r' \^ ', ' | '),
    ('arithmetic', r' << ', ' >> '), ('arithmetic', r' >> ', ' << '),
    ('arithmetic', r' \+= ', ' -= '), ('arithmetic', r' -= ', ' += '),
    ('arithmetic', r'(?<=[( ])~(?=\()', ''),
    ('constant', r'(?<=, )0(?=\))', '1'), ('constant', r'(?<=\[)0(?=\])', '1'),
    ('constant', r'\(0(?=, )', '(1'),
    ('identity', r'\bT\(0\)', 'T(1)'), ('identity', r'\bT\(1\)', 'T(0)'),
    ('constant', r'\b0x[0-9a-f]+u(?:ll)?\b', None),  # one less; of an infinity: a finite value
]


@dataclass
class Mutant:
    header: str     # block/blockReduce.cuh
    function: str   # with its type: Block::rank; empty at the level of a namespace
    kind: str
    start: int      # of the text that goes
    end: int
    text: str       # what comes
    old: str        # the lines before and after, on one line each
    new: str
    line: int
    nth: int = 1    # of those that are the same otherwise, in the order of the file
    body: tuple = None  # the function's, where all variants of it may stand side by side
    is_constexpr: bool = False

    @property
    def key(self):
        return (self.header, self.function, self.old, self.new, self.nth)


@dataclass
class Scope:
    sort: str  # namespace, type, function or inner
    name: str
    start: int
    end: int = -1
    is_device: bool = False
    is_constexpr: bool = False


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group(0))


COMMENT = r'//[^\n]*|/\*.*?\*/'
LITERAL = r'"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])\''


def without_comments(text):
    return re.sub(COMMENT + '|(' + LITERAL + ')', lambda m: m.group(1) or blank(m), text, flags=re.S)


def closing(text, at):
    """The place of the bracket that closes the one at `at`; None if there is none."""
    pairs = {'(': ')', '[': ']', '{': '}'}
    stack = []
    for i in range(at, len(text)):
        if text[i] in pairs:
            stack.append(pairs[text[i]])
        elif text[i] in ')]}':
            if not stack or stack.pop() != text[i]:
                return None
            if not stack:
                return i
    return None


def split_arguments(text, start, end):
    """The arguments between two brackets; commas inside of brackets and of `f<A, B>` do not count."""
    parts, depth, first = [], 0, start
    for i in range(start, end):
        c = text[i]
        spaced = ' ' in (text[i - 1], text[i - 2] if text[i - 1] == c else '')  # < or <<
        if c in '([{' or (c == '<' and not spaced):
            depth += 1
        elif c in ')]}' or (c == '>' and not spaced and text[i - 1] != '-'):
            depth -= 1
        elif c == ',' and depth == 0:
            parts.append((first, i))
            first = i + 1
    return parts + [(first, end)]


def mask_code(text):
    """The text without what is never changed: comments, literals, directives, heads of templates,
    static_assert, the numbers that TWEED_ASSERT prints. Same length."""
    code = re.sub(COMMENT + '|' + LITERAL, blank, text, flags=re.S)
    code = re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', blank, code, flags=re.M)
    out = list(code)
    for match in re.finditer(r'\btemplate <|\bstatic_assert\(|\bTWEED_ASSERT\(', code):
        begin = match.start()
        if code[match.end() - 1] == '(':
            end = closing(code, match.end() - 1)
            if match.group(0).startswith('T'):
                begin = split_arguments(code, match.end(), end)[0][1] + 1
                end -= 1
        else:
            depth, end = 0, match.end() - 1
            while True:
                c, spaced = code[end], code[end - 1] == ' ' and code[end + 1] in ' ='
                if c == '<' and not spaced:
                    depth += 1
                elif c == '>' and not spaced and code[end - 1] != '-':
                    depth -= 1
                    if depth == 0:
                        break
                end += 1
        for i in range(begin, end + 1):
            if out[i] != '\n':
                out[i] = ' '
    return ''.join(out)


def find_scopes(code):
    """Each pair of braces, and the initialisers of constants outside of functions."""
    done, stack, constants = [], [], []
    head, parens = 0, [0]
    for i, c in enumerate(code):
        if c == '(':
            parens[-1] += 1
        elif c == ')':
            parens[-1] -= 1
        elif c == '{':
            scope = classify(code[head:i], i, stack, parens[-1])
            stack.append(scope)
            parens.append(0)
            head = i + 1
        elif c == '}':
            scope = stack.pop()
            scope.end = i
            done.append(scope)
            parens.pop()
            if parens[-1] == 0 and scope.name != '=':
                head = i + 1
        elif c == ';' and parens[-1] == 0:
            value = re.search(r' =\s', code[head:i])
            if value and 'constexpr' in code[head:i] and not any(s.sort == 'function' for s in stack):
                constants.append((head + value.start(), i))
            head = i + 1
    return done, constants


def classify(head, at, stack, parens):
    if parens > 0 or any(s.sort == 'function' for s in stack):
        return Scope('inner', '', at)
    if re.search(r'\bnamespace\b', head):
        return Scope('namespace', '', at)
    kind = re.search(r'^\s*(?:struct|class|union|enum(?: class)?)\s+'
                     r'(?:alignas\((?:[^()]|\([^()]*\))*\)\s*)?(\w+)', head)
    if kind:
        return Scope('type', kind.group(1), at)
    plain = re.sub(r'(?:__launch_bounds__|alignas|decltype|__attribute__)\s*\(', '<', head)
    name = re.search(r'(operator\s*(?:\(\)|\[\]|[^\s(]+)|~?\w+)\s*\(', plain)
    if name and not re.search(r' = ', head[:name.start()]):
        return Scope('function', name.group(1), at, is_device='TWEED_' in head,
                     is_constexpr='constexpr' in head)
    return Scope('inner', '=', at)


def condition_start(code, at):
    """Where the condition of the ` ? ` at `at` begins."""
    depth = 0
    i = at - 1
    while i > 0:
        c = code[i]
        if c in ')]}':
            depth += 1
        elif c in '([{':
            if depth == 0:
                return i + 1
            depth -= 1
        elif depth == 0:
            if c in ',;:?' and code[i - 1] != ':' and code[i + 1] != ':':
                return i + 1
            if c == '=' and code[i - 1] == ' ' and code[i + 1] in ' \n':
                return i + 1
            if code[:i + 1].endswith('return') and not code[i + 1].isalnum():
                return i + 1
        i -= 1
    return None


def edits(code):
    """All changes that the rules name: (kind, start, end, text)."""
    for kind, callee, texts in CALLS:
        for match in re.finditer(r'(?<![\w.:~>])(' + callee + r') ?\(', code):
            begin, opening = match.start(1), match.end() - 1
            end = closing(code, opening)
            if end is None:
                continue
            is_definition = re.match(r'\s*(?:const\s*)?(?:noexcept\s*)?[{]', code[end + 1:])
            if is_definition and not match.group(1).startswith(('if', 'while')):
                continue
            arguments = [code[a:b].strip() for a, b in split_arguments(code, opening + 1, end)]
            for text in texts:
                if text == '':
                    if re.search(r'[;{})]\s*$', code[:begin]) and code[end + 1] == ';':
                        yield kind, begin, end + 1, ''
                    continue
                if kind == 'condition' and text.endswith('(!({all}))') and is_equality(arguments):
                    continue  # the same as the other comparison
                needed = 2 if '{1}' in text else 1 if '{0}' in text else 0
                if len(arguments) < needed or (kind == 'order' and len(arguments) != 2):
                    continue
                yield kind, begin, end + 1, fill(text, match.group(1), arguments)
    for kind, pattern, text in TOKENS:
        for match in re.finditer(pattern, code):
            if text is None:
                digits, suffix = re.match(r'0x([0-9a-f]+)(u\w*)', match.group(0)).groups()
                if digits == 'ffffffff' or int(digits, 16) == 0:
                    continue
                yield kind, match.start(), match.end(), f'{int(digits, 16) - 1:#x}{suffix}'
            else:
                yield kind, match.start(), match.end(), text
    for match in re.finditer(r'(?<=\s)\?\s', code):
        begin = condition_start(code, match.start())
        if begin is not None:
            condition = code[begin:match.start()]
            if is_equality([condition]):
                continue
            lead = condition[:len(condition) - len(condition.lstrip())]
            yield 'condition', begin, match.start(), f'{lead}!({condition.strip()}) '


def is_equality(arguments):
    return len(arguments) == 1 and re.search(' [=!]= ', arguments[0]) and not re.search(
        r'&&|\|\|', arguments[0])


def fill(text, callee, arguments):
    text = text.replace('{f}', callee).replace('{all}', ', '.join(arguments))
    for i in (0, 1):
        if i < len(arguments):
            text = text.replace('{%d}' % i, arguments[i])
    return text


def find_mutants(header, text, is_live):
    """All mutants of a header; is_live tells of a line number whether the compiler sees it."""
    code = mask_code(text)
    shown = without_comments(text)
    scopes, constants = find_scopes(code)
    functions = [s for s in scopes if s.sort == 'function']
    types = [s for s in scopes if s.sort == 'type']
    line_starts = [0] + [m.end() for m in re.finditer('\n', text)]
    mutants, count = [], {}

    def squeeze(piece):
        return ' '.join(piece.split())

    for kind, start, end, replacement in sorted(set(edits(code)), key=lambda e: e[1:3] + (e[3],)):
        first = bisect.bisect_right(line_starts, start) - 1
        last = bisect.bisect_right(line_starts, max(start, end - 1)) - 1
        # Of a macro's call over several lines the compiler shows the first alone.
        statement = re.search(r'[^;{}]*\Z', code[:start]).start()
        statement += re.match(r'\s*', code[statement:]).end()
        whole = bisect.bisect_right(line_starts, statement)
        if not any(is_live(n) for n in [whole, *range(first + 1, last + 2)]):
            continue
        inside = [s for s in functions if s.start < start and end <= s.end]
        if inside:
            if not inside[0].is_device:
                continue
        elif not any(a <= start and end <= b for a, b in constants):
            continue
        around = [s for s in types if s.start < start < s.end]
        around.sort(key=lambda s: s.start)
        name = '::'.join([s.name for s in around] + [s.name for s in inside])
        begin = line_starts[first]
        stop = line_starts[last + 1] - 1 if last + 1 < len(line_starts) else len(text)
        old = squeeze(shown[begin:stop])
        new = squeeze(shown[begin:start] + replacement + shown[end:stop])
        body = None
        if inside and not is_compile_time(code, start):
            body = (inside[0].start, inside[0].end + 1)
        nth = count[name, old, new] = count.get((name, old, new), 0) + 1
        mutants.append(Mutant(header, name, kind, start, end, replacement, old, new, first + 1, nth,
                              body, bool(inside) and inside[0].is_constexpr))
    return mutants


def is_compile_time(code, at):
    """True for the condition of an `if constexpr` and for a constexpr variable: a change there may
    have no end of instances."""
    statement = re.split(r'[;{}]', code[:at])[-1]
    return 'constexpr' in statement or code[at:].startswith('if constexpr')


def apply(text, mutant):
    return text[:mutant.start] + mutant.text + text[mutant.end:]


CHOSEN = '''#pragma once
#include <stdlib.h>
inline int tweedMutantChosen() {
  char const* const text = getenv("TWEED_MUTANT");
  return text ? atoi(text) : 0;
}
inline int const tweedMutant = tweedMutantChosen();
'''


def combine(text, numbered):
    """The header with every variant of each function's body, of which the environment variable
    TWEED_MUTANT chooses one: {number: mutant}. Also tells the number for each line. What the
    compiler itself calls stays as it was."""
    bodies = {}
    for number, mutant in numbered.items():
        bodies.setdefault(mutant.body, []).append((number, mutant))
    out, lines, at = '', {}, 0
    for (start, end), group in sorted(bodies.items()):
        out += text[at:start] + '{\n'
        for number, mutant in group:
            body = text[start:mutant.start] + mutant.text + text[mutant.end:end]
            first = out.count('\n') + 1
            when = '!__builtin_is_constant_evaluated() && ' if mutant.is_constexpr else ''
            out += f'if ({when}tweedMutant == {number}) {body}\nelse '
            for line in range(first, out.count('\n') + 1):
                lines[line] = number
        out += text[start:end] + '\n}'
        at = end
    out += text[at:]
    added = CHOSEN.count('\n') - 1
    return out.replace('#pragma once\n', CHOSEN, 1), {n + added: m for n, m in lines.items()}
