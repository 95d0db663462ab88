"""Exports of chat programs become chat logs that load without a fault."""

import json
import re
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillmill.data.chatexport import FORMS, chatlog_text, convert_export
from skillmill.data.chatlog import load_chatlog
from skillmill.errors import InputError
from tests.conftest import REPOSITORY

HOUR = 3600
KEYS = (
    *("role", "content", "messages", "mapping", "current_node", "parent", "message"),
    *("author", "parts", "type", "ts", "text", "create_time"),
)
#: 2 March 2024, 09:15 UTC.
START = int(datetime(2024, 3, 2, 9, 15, tzinfo=UTC).timestamp())


@pytest.fixture
def convert(tmp_path):
    """Lines of a chat log for an export; the log must load whole."""

    def run(content, name="garden.json", **options):
        path = tmp_path / name
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
        lines, report = convert_export(path, **options)
        log = tmp_path / "log.jsonl"
        log.write_text(chatlog_text(lines), encoding="utf-8")
        _, _, loaded = load_chatlog(log)
        assert (loaded.found, loaded.failed) == (len(lines), 0)
        return lines, report

    return run


def brief(lines):
    """(session, date, speaker, text) of each line."""
    return [
        (line["session"], line.get("date"), line["speaker"], line["text"])
        for line in lines
    ]


def counts(report):
    return report.found, report.loaded, report.warned, report.failed


def message(role="user", content="words", **more):
    return {"role": role, "content": content, **more}


# --- chats with roles ----------------------------------------------------------------


def test_a_list_of_messages_is_one_session(convert):
    lines, report = convert(
        [message("system", "Be kind."), message(), message("assistant", "Sure.")]
    )
    assert lines == [
        {"conversation": "garden", "session": 1, "speaker": "user", "text": "words"},
        {
            "conversation": "garden",
            "session": 1,
            "speaker": "assistant",
            "text": "Sure.",
        },
    ]
    assert counts(report) == (2, 2, 0, 0)
    assert [(p.code, p.severity) for p in report.problems] == [("notices", "info")]


def test_each_conversation_of_a_list_is_a_session_in_the_order_given(convert):
    chats = [{"messages": [message(content="a")]}, {"messages": [message(content="b")]}]
    expected = [(1, None, "user", "a"), (2, None, "user", "b")]
    assert brief(convert(chats)[0]) == expected
    assert brief(convert({"conversations": chats})[0]) == expected
    jsonl = "\n".join(json.dumps(chat) for chat in chats)
    assert brief(convert(jsonl, name="train.jsonl")[0]) == expected


def test_dated_conversations_come_by_their_time(convert):
    chats = [
        {"create_time": START + 24 * HOUR, "messages": [message(content="later")]},
        {"create_time": START, "messages": [message(content="first"), message()]},
    ]
    assert brief(convert(chats)[0]) == [
        (1, "2024-03-02T09:15", "user", "first"),
        (1, None, "user", "words"),
        (2, "2024-03-03T09:15", "user", "later"),
    ]


def test_times_of_messages_may_be_text_with_or_without_a_zone(convert):
    lines, _ = convert(
        [
            {"messages": [message(content="b", timestamp="2024-03-02T11:15:00+02:00")]},
            {"messages": [message(content="a", created_at="2024-03-01 08:00")]},
        ]
    )
    assert brief(lines) == [
        (1, "2024-03-01T08:00", "user", "a"),
        (2, "2024-03-02T09:15", "user", "b"),
    ]


def test_a_tree_is_read_along_the_branch_last_shown(convert):
    """An edited question leaves two branches; the current node is on the second."""

    def node(parent, role=None, text=None, *children):
        told = role and {
            "author": {"role": role},
            "content": {"content_type": "text", "parts": [text]},
            "create_time": float(START),
        }
        return {"message": told, "parent": parent, "children": list(children)}

    tree = {
        "root": node(None, None, None, "sys"),
        "sys": node("root", "system", "", "old", "new"),
        "old": node("sys", "user", "How do I sow leeks?", "gone"),
        "gone": node("old", "assistant", "Deep."),
        "new": node("sys", "user", "How do I plant leeks?", "end"),
        "end": node("new", "assistant", "In a trench."),
    }
    chat = {"title": "Leeks", "mapping": tree, "current_node": "end"}
    expected = [
        (1, "2024-03-02T09:15", "user", "How do I plant leeks?"),
        (1, None, "assistant", "In a trench."),
    ]
    assert brief(convert([chat])[0]) == expected
    lost = {**chat, "current_node": "nowhere"}
    assert brief(convert([lost])[0]) == expected


def test_a_tree_with_a_cycle_ends(convert):
    told = {"author": {"role": "user"}, "content": {"parts": ["Hello."]}}
    tree = {
        "a": {"message": told, "parent": "b"},
        "b": {"message": told, "parent": "a"},
    }
    lines, _ = convert([{"mapping": tree, "current_node": "a"}])
    assert len(lines) == 2


def test_other_names_for_role_and_content_and_parts_are_read(convert):
    turns = [
        {"from": "human", "value": "Hello."},
        {
            "from": "gpt",
            "value": [{"type": "text", "text": "One"}, "two", {"image": 1}],
        },
    ]
    lines, _ = convert([{"id": "x", "conversations": turns}])
    assert brief(lines) == [
        (1, None, "human", "Hello."),
        (1, None, "gpt", "One\ntwo"),
    ]


def test_a_chat_taken_up_again_after_a_pause_is_another_session(convert):
    hours = (0, 1, 24 * 38)
    rows = [message(content=str(h), timestamp=START + h * HOUR) for h in hours]
    lines, _ = convert({"messages": rows})
    assert brief(lines) == [
        (1, "2024-03-02T09:15", "user", "0"),
        (1, None, "user", "1"),
        (2, "2024-04-09T09:15", "user", "912"),
    ]
    whole, _ = convert({"messages": [message(content=str(h)) for h in hours]})
    assert [line["session"] for line in whole] == [1, 1, 1]


def test_a_name_stands_before_the_role(convert):
    lines, _ = convert([message(name="Ines"), message("assistant")])
    assert [line["speaker"] for line in lines] == ["Ines", "assistant"]


def test_messages_without_words_are_failed_with_their_place(convert):
    _, report = convert([message(), message(content=None), {"role": 5}, "x"])
    assert counts(report) == (4, 1, 0, 3)
    places = [p.record for p in report.problems]
    assert places == ["chat 1, message 2", "chat 1, message 3", "chat 1, message 4"]


# --- text exports --------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        [
            "[13/04/2024, 09:15:20] Ines: Leeks are up.",
            "[13/04/2024, 09:16:01] Tom: Good.",
        ],
        ["13/04/2024, 09:15 - Ines: Leeks are up.", "13/04/2024, 09:16 - Tom: Good."],
        ["4/13/24, 9:15 AM - Ines: Leeks are up.", "4/13/24, 9:16 AM - Tom: Good."],
        [
            "[4/13/24, 9:15:20\u202fAM] Ines: Leeks are up.",
            "[4/13/24, 9:16\u202fAM] Tom: Good.",
        ],
        ["13.04.24, 09:15 - Ines: Leeks are up.", "13.04.24, 09:16 - Tom: Good."],
        ["2024-04-13, 09:15 - Ines: Leeks are up.", "2024-04-13, 09:16 - Tom: Good."],
        [
            "\u200e[13.04.2024, 09:15:20] Ines: Leeks are up.",
            "[13.04.2024, 09:16:00] Tom: Good.",
        ],
    ],
)
def test_every_known_layout_gives_the_same_log(convert, lines):
    found, report = convert("\n".join(lines), name="chat.txt")
    assert brief(found) == [
        (1, "2024-04-13T09:15", "Ines", "Leeks are up."),
        (1, None, "Tom", "Good."),
    ]
    assert counts(report) == (2, 2, 0, 0)


def test_noon_and_midnight_are_told_apart(convert):
    lines = ["4/13/24, 12:05 AM - Ines: a", "4/13/24, 12:05 PM - Ines: b"]
    found, _ = convert("\n".join(lines), name="chat.txt")
    assert [line.get("date") for line in found] == [
        "2024-04-13T00:05",
        "2024-04-13T12:05",
    ]


def test_lines_without_a_date_go_on_with_the_message_before(convert):
    text = (
        "Some title\r\n13.04.24, 09:15 - Ines: First\r\n\r\nsecond: line\r\n"
        "13.04.24, 09:16 - Tom: 12:30 works\r\n"
    )
    found, _ = convert(text, name="chat.txt")
    assert [line["text"] for line in found] == ["First\n\nsecond: line", "12:30 works"]


def test_notices_and_omitted_media_are_no_messages(convert):
    text = (
        "13.04.24, 09:14 - Messages are end-to-end encrypted.\n"
        "13.04.24, 09:15 - Ines: <Media omitted>\n"
        "13.04.24, 09:16 - Ines: \u200eimage omitted\n"
        "13.04.24, 09:17 - Ines: The image omitted the leeks\n"
    )
    found, report = convert(text, name="chat.txt")
    assert [line["text"] for line in found] == ["The image omitted the leeks"]
    assert counts(report) == (1, 1, 0, 0)
    assert report.problems[0].message.startswith("3 notices")


def test_a_long_silence_begins_a_session(convert):
    times = ["13.04.24, 09:00", "13.04.24, 15:00", "13.04.24, 21:01"]
    text = "\n".join(f"{time} - Ines: words" for time in times)
    assert [line["session"] for line in convert(text, name="c.txt")[0]] == [1, 1, 2]
    lines, _ = convert(text, name="c.txt", pause_hours=1)
    assert [line["session"] for line in lines] == [1, 2, 3]
    assert [line["date"] for line in lines] == [
        "2024-04-13T09:00",
        "2024-04-13T15:00",
        "2024-04-13T21:01",
    ]


def chat(*dates):
    return "\n".join(f"{date}, 09:15 - Ines: words" for date in dates)


def test_the_order_of_day_and_month_is_told_by_the_whole_file(convert):
    """1 May then 2 June only rise with the day first; 13 is no month."""
    by_rise, _ = convert(chat("01/05/24", "02/06/24", "01/07/24"), name="c.txt")
    assert [line["date"][:10] for line in by_rise] == [
        "2024-05-01",
        "2024-06-02",
        "2024-07-01",
    ]
    by_calendar, _ = convert(chat("05/06/24", "05/13/24"), name="c.txt")
    assert [line["date"][:10] for line in by_calendar] == ["2024-05-06", "2024-05-13"]


def test_dates_that_tell_nothing_need_a_word_from_the_user(convert):
    text = chat("05/06/24", "05/06/24")
    with pytest.raises(
        InputError, match=r"'05/06/24' and 0 others; say which .*--day-first"
    ):
        convert(text, name="c.txt")
    lines, _ = convert(text, name="c.txt", day_first=True)
    assert lines[0]["date"] == "2024-06-05T09:15"
    lines, _ = convert(text, name="c.txt", day_first=False)
    assert lines[0]["date"] == "2024-05-06T09:15"
    with pytest.raises(
        InputError, match="line 1: expected a date with the month first"
    ):
        convert(chat("13/06/24"), name="c.txt", day_first=False)
    with pytest.raises(
        InputError, match="expected dates that tell day and month apart"
    ):
        convert(chat("13/06/24", "06/13/24"), name="c.txt")


# --- workspaces ----------------------------------------------------------------------


def post(text="words", user="U1", at=START, **more):
    return {"type": "message", "user": user, "text": text, "ts": f"{at}.000200", **more}


@pytest.fixture
def workspace(tmp_path):
    """An unpacked export of two channels."""
    root = tmp_path / "workspace"
    files = {
        "users.json": [
            {"id": "U1", "name": "ines", "profile": {"display_name": "Ines"}},
            {"id": "U2", "name": "tom", "real_name": "Tom Berg", "profile": {}},
            {"id": "U3"},
        ],
        "channels.json": [{"id": "C1", "name": "garden"}],
        "garden/2024-03-02.json": [
            post("later", at=START + 60),
            post("Hi <@U2> &amp; <@U9|Pia>, see <#C1|garden> <!here>"),
            post("has joined", subtype="channel_join"),
        ],
        "garden/2024-03-03.json": [
            post("<https://example.org/a|the plan> <https://example.org>", "U2",
                 START + 24 * HOUR),
            post("", "U3", START + 25 * HOUR, files=[{"title": "a bed of leeks"}]),
        ],
        "kitchen/2024-03-02.json": [
            post("ping", None, username="Timer", subtype="bot_message"),
            post("", "U1"),
            post("no time", ts="soon"),
        ],
        "empty/notes.json": [1],
    }  # fmt: skip
    for name, rows in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(json.dumps(rows), encoding="utf-8")
    return root


def test_a_workspace_is_one_conversation_a_channel(workspace):
    lines, report = convert_export(workspace)
    found = [
        (line["conversation"], *row)
        for line, row in zip(lines, brief(lines), strict=True)
    ]
    assert found == [
        ("garden", 1, "2024-03-02T09:15", "Ines",
         "Hi @Tom Berg & @Pia, see #garden @here"),
        ("garden", 1, None, "Ines", "later"),
        ("garden", 2, "2024-03-03T09:15", "Tom Berg",
         "the plan (https://example.org/a) https://example.org"),
        ("garden", 2, None, "U3", ""),
        ("kitchen", 1, "2024-03-02T09:15", "Timer", "ping"),
    ]  # fmt: skip
    assert lines[3]["caption"] == "a bed of leeks"
    assert counts(report) == (7, 5, 0, 2)
    assert [p.code for p in report.problems if p.severity == "info"] == ["notices"]


def test_one_channel_and_one_file_find_the_names_beside_them(workspace):
    for path, n in (
        (workspace / "garden", 4),
        (workspace / "garden/2024-03-02.json", 2),
    ):
        lines, _ = convert_export(path)
        assert len(lines) == n
        assert lines[0]["speaker"] == "Ines"
        assert lines[0]["conversation"] == path.stem


def test_a_name_in_the_message_stands_in_for_a_missing_list(convert):
    rows = [post(user_profile={"real_name": "Ines Vogt"}), post(user="U7")]
    lines, _ = convert(rows, name="2024-03-02.json")
    assert [line["speaker"] for line in lines] == ["Ines Vogt", "U7"]


# --- the door ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("Just a letter.\nNo chat.", "a.txt"),
        ({"a": 1}, "a.json"),
        ([1, 2], "a.json"),
        ([[]], "a.json"),
        ([{"text": "no role"}], "a.json"),
        ({"mapping": {}}, "a.json"),
    ],
)
def test_an_unknown_export_is_refused_with_what_is_known(convert, content, name):
    with pytest.raises(InputError) as caught:
        convert(content, name=name)
    for form in FORMS:
        assert f"{form}: " in str(caught.value)
    assert "docs/chatlog.md" in str(caught.value)


def test_a_form_that_does_not_fit_is_refused(convert, tmp_path):
    with pytest.raises(
        InputError, match=r"expected a chat export \(slack: .*, got JSON"
    ):
        convert([message()], form="slack")
    with pytest.raises(InputError, match="got text without such lines"):
        convert([message()], form="whatsapp")
    with pytest.raises(InputError, match="expected one of messages, slack, whatsapp"):
        convert([message()], form="telegram")
    with pytest.raises(InputError, match="got a folder"):
        convert_export(tmp_path)
    with pytest.raises(InputError, match="readable file"):
        convert_export(tmp_path / "none.json")
    with pytest.raises(InputError, match="broken JSON"):
        convert('[{"role": "user",', name="a.json")


def test_an_export_without_a_usable_message_is_refused(convert):
    with pytest.raises(InputError, match="got none that can be used"):
        convert([message("system", "Be kind.")])
    with pytest.raises(InputError, match=r"\(chat 1, message 1: expected a role"):
        convert([message(content=" ")])


def test_text_is_unescaped_normal_and_without_surrogates_u37(convert):
    """NFC, UTF-8 unescaped, half a pair becomes U+FFFD (U37)."""
    lines, _ = convert([message(content="cafe\u0301 索引 \ud83d!")])
    assert lines[0]["text"] == "café 索引 \ufffd!"
    assert "café 索引" in chatlog_text(lines)


@pytest.mark.parametrize("odd", [None, [], {}, 5, "no"])
def test_odd_nodes_of_a_tree_end_the_branch(convert, odd):
    told = {"author": {"role": "user"}, "content": {"parts": ["Hello."]}}
    tree = {"a": {"message": told, "parent": odd}}
    lines, _ = convert([{"mapping": tree, "current_node": "a"}])
    assert len(lines) == 1
    assert convert([{"mapping": tree, "current_node": odd}])[0] == lines


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(KEYS),
                inner,
                max_size=4,
            )
        ),
        max_leaves=15,
    )
)
def test_no_json_breaks_the_converter(convert, content):
    try:
        convert(content)
    except InputError as error:
        str(error).encode()


def test_the_documented_example_writes_a_log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    document = (REPOSITORY / "docs" / "chatlog.md").read_text(encoding="utf-8")
    text = "13.04.24, 09:15 - Ines: Leeks are up.\n"
    (tmp_path / "chat.txt").write_text(text, encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", document, re.DOTALL)[1]
    exec(compile(code, "chatlog.md", "exec"), {})
    (talk,), _, _ = load_chatlog(tmp_path / "chat.jsonl")
    assert talk.id == "chat"
    assert talk.sessions[0].turns[0].text == "Leeks are up."
    for form in FORMS:
        assert f"| `{form}` |" in document
