"""Frontmatter: strict first, then mended line by line, each repair remarked on."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillmill.data.frontmatter import read_frontmatter


def header(*lines):
    return read_frontmatter("\n".join(["---", *lines, "---", "", "Body."]))


def texts(front):
    return {key: entry.text for key, entry in front.entries.items()}


def found(front):
    return [(remark.line, remark.code) for remark in front.remarks]


def doubts(front, key):
    return [(remark.line, remark.code) for remark in front.entries[key].doubts]


def test_a_plain_header_is_read_without_a_remark():
    front = header("name: sieve", "description: Sorts gravel.")
    assert texts(front) == {"name": "sieve", "description": "Sorts gravel."}
    assert front.body == "Body."
    assert front.remarks == ()


def test_an_empty_text_has_no_frontmatter():
    assert read_frontmatter("").entries is None


def test_an_empty_header_is_a_frontmatter_without_entries():
    front = read_frontmatter("---\n\n---\nBody.")
    assert (front.entries, front.body) == ({}, "Body.")


def test_blank_lines_may_stand_above_the_header_but_text_may_not():
    assert texts(read_frontmatter("\n\n---\nname: sieve\n---\n")) == {"name": "sieve"}
    front = read_frontmatter("Hello.\n---\nname: sieve\n---\n")
    assert front.entries is None
    assert front.body.startswith("Hello.\n---")


def test_fences_count_only_as_lines_of_their_own():
    front = header("name: a --- b", "description: |", "  one", "  ---", "  two")
    assert texts(front) == {"name": "a --- b", "description": "one\n---\ntwo"}
    assert read_frontmatter("--- x\nname: sieve\n---\n").entries is None


@pytest.mark.parametrize(
    ("opening", "closing"),
    [(" ---", "---"), ("--- # yaml", "---"), ("-----", "-----"), ("---", "  ---"),
     ("\ufeff---", "---"), ("\u200b---", "---"), ("```yaml", "```")],
)  # fmt: skip
def test_a_fence_of_another_form_is_read_with_a_remark(opening, closing):
    text = f"{opening}\nname: sieve\ndescription: Sorts.\n{closing}\nBody.\n-----\nEnd."
    front = read_frontmatter(text)
    assert texts(front) == {"name": "sieve", "description": "Sorts."}
    assert (front.body, found(front)) == ("Body.\n-----\nEnd.", [(1, "odd-fence")])


@pytest.mark.parametrize(
    ("above", "line"),
    [("<!-- Copyright, all rights -->", 2), ("<!--\nname: no\n-->\n", 5),
     ("# Sieve", 2), ("# SPDX-License-Identifier: MIT\n# Copyright", 3),
     ("%YAML 1.2", 2)],
)  # fmt: skip
def test_a_header_below_comments_or_headings_is_read_with_a_remark(above, line):
    front = read_frontmatter(
        f"{above}\n---\nname: sieve\ndescription: x: y\n---\nBody."
    )
    assert texts(front) == {"name": "sieve", "description": "x: y"}
    assert found(front) == [(line, "late-frontmatter"), (line + 2, "unquoted-colon")]
    assert front.body == above.strip() + "\nBody."


@pytest.mark.parametrize(
    "text",
    ["+++\nname = 'sieve'\ndescription = 'a: b'\nweight = 3\n+++\nBody.",
     '{"name": "sieve",\n "description": "a: b", "weight": 3}\n\nBody.'],
)  # fmt: skip
def test_a_header_of_toml_or_json_is_read_with_a_remark(text):
    front = read_frontmatter(text)
    assert texts(front) == {"name": "sieve", "description": "a: b", "weight": "3"}
    assert (front.body, found(front)) == ("Body.", [(1, "odd-fence")])


@pytest.mark.parametrize(
    "text",
    ["# Build\n\n```yaml\nname: CI\n```\n", "# A\n---\nprose\n---\nname: x",
     "# A\n---\n\nname: x\n---\n", "<!-- no end\n---\nname: x\n---\n",
     "+++\nname = \n+++\n", "{name: x}\n", "{" * 9999, "```yaml\nname: x\n",
     "----\nname: x\n\nprose\n\n----\n", "+++\nname = 'x'\n"],
)  # fmt: skip
def test_examples_rules_and_halves_are_no_header(text):
    front = read_frontmatter(text)
    assert (front.entries, front.body) == (None, text.strip("\n"))


def test_wide_colons_after_a_field_are_colons_u37():
    front = header("name\uff1a\u7b5b\u5b50", "description\uff1a a\uff1ab")
    assert texts(front) == {"name": "\u7b5b\u5b50", "description": "a\uff1ab"}
    assert found(front) == [(2, "wide-colon"), (3, "wide-colon")]


def test_the_marks_of_a_merge_conflict_are_no_text():
    front = header(
        "name: sieve", "<<<<<<< HEAD", "description: ours", "=======",
        "description: theirs", ">>>>>>> branch",
    )  # fmt: skip
    assert texts(front) == {"name": "sieve", "description": "theirs"}
    assert found(front) == [(3, "merge-conflict"), (6, "duplicate-key")]


def test_the_closing_fence_may_end_the_file_u41():
    assert texts(read_frontmatter("---\nname: sieve\n---")) == {"name": "sieve"}


def test_a_rule_at_the_top_of_a_page_is_no_frontmatter():
    front = read_frontmatter("---\n\n# Sieve\n\nSorts gravel.\n\n---\n\nMore.")
    assert front.entries is None
    assert "Sorts gravel." in front.body


def test_scalars_stay_the_text_written_u47():
    front = header(
        "name: on", "version: 1.0", "date: 2024-01-05", "flag: 0x1F", "at: 12:30:00"
    )
    assert list(texts(front).values()) == [
        "on",
        "1.0",
        "2024-01-05",
        "0x1F",
        "12:30:00",
    ]
    assert front.remarks == ()


@pytest.mark.parametrize("nothing", ["", " ", " ~", " null", ' ""'])
def test_null_and_the_empty_text_both_mean_not_given(nothing):
    assert texts(header(f"description:{nothing}")) == {"description": ""}


def test_a_quoted_null_is_a_word():
    assert texts(header('name: "null"')) == {"name": "null"}


def test_a_comment_that_cuts_a_value_stays_with_a_doubt_u47():
    front = header("name: x", "description: call C # fast", "tags: a")
    assert front.entries["description"].text == "call C # fast"
    assert front.entries["description"].value == "call C"
    assert doubts(front, "description") == [(3, "cut-comment")]
    assert doubts(front, "tags") == []


def test_comments_that_cut_nothing_are_comments():
    front = header("# who", "name: 'x' # the name", "description: >- # why", "  text")
    assert texts(front) == {"name": "x", "description": "text"}
    assert doubts(front, "name") == doubts(front, "description") == []


def test_of_a_repeated_key_the_last_wins_with_a_remark_u47():
    front = header("description: first", "name: x", "description: second")
    assert texts(front) == {"name": "x", "description": "second"}
    assert found(front) == [(4, "duplicate-key")]
    assert "line 2 is dropped" in front.remarks[0].message


def test_a_repeated_key_inside_a_map_is_remarked_on_u47():
    front = header("metadata:", "  owner: a", "  owner: b")
    assert front.entries["metadata"].value == {"owner": "b"}
    assert found(front) == [(4, "duplicate-key")]


def test_a_list_where_text_is_due_is_read_as_written_u47():
    front = header("description: [TODO: say what it does]")
    assert front.entries["description"].text == "[TODO: say what it does]"
    assert doubts(front, "description") == [(2, "not-text")]


def test_a_tag_is_text_and_builds_nothing_u53():
    front = header("name: x", "description: !important sorts gravel")
    assert front.entries["description"].text == "!important sorts gravel"
    assert header("name: !!python/name:os.system").entries["name"].value == ""


def test_an_alias_without_end_does_not_hang():
    front = header("a: &a [*a]", "name: sieve")
    assert front.entries["name"].text == "sieve"
    assert json.dumps({key: entry.value for key, entry in front.entries.items()})


def test_a_half_surrogate_from_an_escape_is_replaced_u37():
    front = header('name: "a\\ud83d"', 'description: "\\ud83d\\ude00"')
    assert texts(front) == {"name": "a\ufffd", "description": "\U0001f600"}
    assert found(front) == [(2, "lone-surrogate")]


def test_an_unquoted_colon_is_read_and_warned_u40():
    front = header(
        "name: charts",
        "description: Build charts. Use when: the user asks for plots",
        "tags: [plots]",
    )
    assert texts(front)["description"] == (
        "Build charts. Use when: the user asks for plots"
    )
    assert front.entries["tags"].value == ["plots"]
    assert found(front) == [(3, "unquoted-colon")]


def test_an_unquoted_colon_in_a_second_line_is_read_u40():
    front = header("description: Build charts.", "  Use when: asked", "name: charts")
    assert texts(front) == {
        "description": "Build charts. Use when: asked",
        "name": "charts",
    }
    assert found(front) == [(2, "unquoted-colon")]


def test_lines_are_counted_from_the_top_of_the_file_u40():
    front = read_frontmatter("\n\n---\nname: a\ndescription: b: c\n---\n")
    assert found(front) == [(5, "unquoted-colon")]


def test_tabs_are_blanks_each_line_remarked_on():
    front = header("name:\tsieve", "metadata:", "\towner: docs", "\tdeep:", "\t\tx: 1")
    assert texts(front)["name"] == "sieve"
    assert front.entries["metadata"].value == {"owner": "docs", "deep": {"x": "1"}}
    assert found(front) == [(2, "tab"), (4, "tab"), (5, "tab"), (6, "tab")]


def test_a_list_that_starts_on_the_key_line_is_read():
    front = header("allowed-tools: - Read", "- Write", "name: night")
    assert front.entries["allowed-tools"].value == ["Read", "Write"]
    assert texts(front)["name"] == "night"
    assert found(front) == [(2, "broken-list")]


def test_a_list_with_a_reserved_character_is_read():
    front = header("tags:", "  - @work", "  - plain", "name: x")
    assert front.entries["tags"].value == ["@work", "plain"]
    assert found(front) == [(2, "broken-list")]


def test_brackets_that_do_not_close_end_with_the_key():
    front = header('tags: [one, "two"', "name: x")
    assert front.entries["tags"].value == ["one", "two"]
    assert found(front) == [(2, "broken-list")]


def test_a_quote_that_does_not_close_is_taken_off():
    front = header('description: "Sorts gravel', "name: x")
    assert texts(front) == {"description": "Sorts gravel", "name": "x"}
    assert found(front) == [(2, "broken-quote")]


def test_text_after_a_closed_quote_is_kept():
    front = header('description: "Gravel" is sorted', "name: x")
    assert texts(front)["description"] == '"Gravel" is sorted'
    assert found(front) == [(2, "broken-quote")]


@pytest.mark.parametrize("start", ["@here", "`sieve`", "*all*", "%done", "{gravel"])
def test_a_value_that_starts_with_a_reserved_character_is_text(start):
    front = header(f"description: {start} sorts", "name: x")
    assert texts(front) == {"description": f"{start} sorts", "name": "x"}
    assert found(front) == [(2, "unquoted-special")]


def test_a_key_indented_by_mistake_is_a_key():
    front = header("name: sieve", "  description: Sorts gravel", "tags: [a]")
    assert texts(front)["description"] == "Sorts gravel"
    assert front.entries["tags"].value == ["a"]
    assert found(front) == [(3, "bad-indentation")]


def test_a_first_key_indented_by_mistake_is_a_key():
    front = header("  name: sieve", "description: Sorts gravel")
    assert texts(front) == {"name": "sieve", "description": "Sorts gravel"}
    assert found(front) == [(2, "bad-indentation")]


def test_block_text_at_the_margin_is_read():
    front = header("description: >", "Sorts gravel", "by size.", "", "Fast.", "name: x")
    assert texts(front) == {"description": "Sorts gravel by size. Fast.", "name": "x"}
    assert found(front) == [(2, "bad-indentation")]


def test_a_missing_blank_after_the_colon_is_read_for_known_keys():
    front = header("name:sieve", "description: Sorts gravel")
    assert texts(front) == {"name": "sieve", "description": "Sorts gravel"}
    assert found(front) == [(2, "missing-space")]


def test_a_colon_inside_a_map_is_mended_there():
    front = header("metadata:", "  note: a: b", "  owner: docs", "name: x")
    assert front.entries["metadata"].value == {"note": "a: b", "owner": "docs"}
    assert found(front) == [(3, "unquoted-colon")]


def test_a_line_that_is_no_key_at_all_is_dropped_with_a_remark():
    front = header("sorts gravel", "name: x: y")
    assert texts(front) == {"name": "x: y"}
    assert found(front) == [(2, "unreadable-line"), (3, "unquoted-colon")]


def test_an_unterminated_header_ends_at_the_first_blank_line():
    front = read_frontmatter("---\nname: a\ndescription: b\n\n# Title\n\n- item")
    assert texts(front) == {"name": "a", "description": "b"}
    assert front.body == "# Title\n\n- item"
    assert found(front) == [(1, "unterminated-frontmatter")]


def test_an_unterminated_header_does_not_swallow_the_body_up_to_a_rule():
    text = "---\nname: a\ndescription: b\n\n# Title\n\nText.\n\n---\n\nMore."
    front = read_frontmatter(text)
    assert texts(front) == {"name": "a", "description": "b"}
    assert front.body == "# Title\n\nText.\n\n---\n\nMore."
    assert found(front) == [(1, "unterminated-frontmatter")]


def test_a_code_fence_around_the_file_is_taken_off():
    text = "```markdown\n---\nname: a: b\n---\n\nText.\n```\n"
    front = read_frontmatter(text)
    assert (texts(front), front.body) == ({"name": "a: b"}, "Text.")
    assert found(front) == [(1, "code-fence"), (3, "unquoted-colon")]


def test_a_code_fence_around_the_header_alone_is_taken_off():
    front = read_frontmatter("```yaml\n---\nname: a\n---\n```\nText.\n```\ncode\n```\n")
    assert texts(front) == {"name": "a"}
    assert front.body == "Text.\n```\ncode\n```"


def test_a_code_fence_that_shows_something_else_stays():
    assert read_frontmatter("```sh\nls\n```\n").entries is None


def test_control_characters_do_not_move_the_lines_u53():
    front = header("name: a\x1b\x85b", "description: x: y")
    assert found(front) == [(3, "unquoted-colon")]


PIECES = st.sampled_from(
    [
        *("---\n", "--- ", "...\n", "\n", "\n\n", " ", "  ", "\t", "```md\n", "```\n"),
        *("name:", "description:", "tags:", "metadata:", "allowed-tools:", "x"),
        *(": ", "- ", "[", "]", "{", "}", '"', "'", "|", ">\n", "#", " # ", "é"),
        *("&a ", "*a ", "!x ", "<<", "? ", "%YAML 1.1\n", "=", "@", "`", ","),
        *("\\ud83d", '"\\U00110000"', "\x00", "\x85", "\u2028", "\ufeff", "\u200b"),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_whatever_the_header_is_the_entries_are_json(text):
    front = read_frontmatter("---\n" + text)
    values = {key: entry.value for key, entry in (front.entries or {}).items()}
    assert json.loads(json.dumps(values)) == values
    json.dumps(values, ensure_ascii=False).encode()
    assert all(remark.line >= 1 for remark in front.remarks)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        "- " * 50_000,
        "name: x\na: " + "[a, " * 5_000,
        "a: b: c\n  name: x\n" * 1_000,
        "".join(" " * depth + "k:\n" for depth in range(600)) + "x: y: z",
    ],
)
def test_hostile_nesting_is_read_without_a_crash_u53(text):
    front = read_frontmatter(f"---\n{text}\n---\nBody.")
    assert front.body
