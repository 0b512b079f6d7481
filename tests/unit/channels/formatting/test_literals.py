"""Addresses, paths and names survive formatting: what was written is what can be copied."""

from __future__ import annotations

import pytest

from channels.formatting import whatsapp_text
from channels.formatting.markdown import parse
from channels.formatting.telegram_html import is_link, plain, to_html

LITERALS = (
    "https://example.org/a/__init__.py",
    "http://example.org/?q=*y*&m=_x_",
    "https://en.wikipedia.org/wiki/Foo_(bar)_baz",
    "www.example.org/_a_/b__c__d",
    "ftp://host/~ada/__old__/",
    "/usr/lib/__main__.py",
    "/var/log/*/x",
    "~/.config/_private_/a~b~c",
    "path/to/_private_/__pycache__",
    "$HOME/**/__pycache__",
    "**/*.py",
    "__init__.py",
    r"C:\dir\_x_",
    r"D:\new_folder\*.txt",
    r"c:\Users\ada\__init__.py",
    r"\\server\share\_a_b_\(1)\x",
    "_x_.md",
    "_partials/_nav_.html",
    "__init__()",
    "__name__",
    "snake_case_name",
    "a_b_c@example.org",
    "_ada_.b_c@example.org",
    "2*3*4",
    "a*b*c",
    "F=m*a",
    "$2*x*y$",
    "$x_i^*$ to $y_i^*$",
    r"$\{a_1, b_1\}$",
    r"$$\frac{a}{b} * c * d$$",
    r"\(a_1 + b_1 < c\)",
    r"\[\sqrt{c} * _x_ \\[2pt] y\]",
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
    "my_file_name.tar.gz",
    "std::vector<int>",
)


@pytest.mark.parametrize("literal", LITERALS)
@pytest.mark.parametrize("sentence", ["{}", "Look at {} now.", "({})", "- {}\n- and {}", "see {}"])
def test_what_was_written_is_what_is_read(literal: str, sentence: str) -> None:
    html = to_html(parse(sentence.replace("{}", literal), is_link))
    assert plain(html).count(literal) == sentence.count("{}")
    assert "<b>" not in html
    assert "<i>" not in html


@pytest.mark.parametrize(
    ("written", "html"),
    [
        ("**see https://a.b/_c_/d_e** ok", "<b>see https://a.b/_c_/d_e</b> ok"),
        ("*/usr/bin*", "<i>/usr/bin</i>"),
        (r"*C:\a\* and **c:\b_c\_d_**", r"<i>C:\a\</i> and <b>c:\b_c\_d_</b>"),
        (r"\_not\_ and a\\b", r"_not_ and a\b"),
        ("**$5** and *$6*, or $5 and *$6*", "<b>$5</b> and <i>$6</i>, or $5 and <i>$6</i>"),
        (r"\$5 and *six*\$", "$5 and <i>six</i>$"),
        ("**$5** or **6$**", "<b>$5</b> or <b>6$</b>"),
        ("**$x$** and `$y` or `z$`", "<b>$x$</b> and <code>$y</code> or <code>z$</code>"),
        (r"\[a\](https://b.c) and \[ *d*", r"[a](https://b.c) and [ <i>d</i>"),
        ("中*文*字 and un**believ**able", "中<i>文</i>字 and un<b>believ</b>able"),
        ("_this/that_", "<i>this/that</i>"),
        ("_emphasis with/slash_ here", "<i>emphasis with/slash</i> here"),
        ("**and/or** *a/b*", "<b>and/or</b> <i>a/b</i>"),
        ("__bold__ and **bold**", "<b>bold</b> and <b>bold</b>"),
        ("**my_file.py**: _new_", "<b>my_file.py</b>: <i>new</i>"),
        ("[a_b_c](https://a.b/_c_)", '<a href="https://a.b/_c_">a_b_c</a>'),
    ],
)
def test_emphasis_around_one_is_emphasis(written: str, html: str) -> None:
    assert to_html(parse(written, is_link)) == html


@pytest.mark.parametrize("signs", [("$$", "$$"), ("\\[", "\\]")])
@pytest.mark.parametrize("rows", ["x = 1", "a \\\\ b\n+ 2\n- 3\n= 4", "x_i^*\n# y_i^*\n---\n> z"])
def test_a_formula_with_lines_of_its_own_is_read_as_it_is_written(
    signs: tuple[str, str], rows: str
) -> None:
    formula = f"{signs[0]}\n{rows}\n{signs[1]}"
    for around in ("{}", "See:\n{}\nand *so on*", "- one\n\n{}\n\ntwo"):
        html = to_html(parse(around.format(formula), is_link))
        assert formula in plain(html)
    assert parse(f"{signs[0]}\n\n- {rows}", is_link).text.startswith(signs[0].strip("\\"))


@pytest.mark.slow
def test_signs_of_formulas_that_end_nowhere_take_linear_time() -> None:
    for sign in ("$", "$a ", "\\(", "\\[", "\\begin{a}", "$$\n", "$$a\n", "\\[\n", "\\[a\n"):
        assert parse(sign * 2000, is_link).text


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("in /usr/lib/__main__.py now", "in `/usr/lib/__main__.py` now"),
        ("call __init__() and _x_.md", "call `__init__`() and `_x_.md`"),
        ("> see /a/_b_/c", "> see `/a/_b_/c`"),
        ("`/a/_b_` and snake_case", "`/a/_b_` and snake_case"),
        ("https://a.b/_c_", "https://a.b/%5Fc%5F"),
        ("$2*x*y$ and a*b*c", "`$2*x*y$` and a*b*c"),
    ],
)
def test_on_whatsapp_a_name_with_marks_is_code(written: str, shown: str) -> None:
    assert whatsapp_text.split(written, room=0) == [shown]
