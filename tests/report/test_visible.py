import json

import pytest

from skillmill.report.visible import script_json, visible_line, visible_text


def test_characters_that_reorder_or_hide_are_spelled_out_u53():
    assert visible_text("a\u202eb") == "a⟨U+202E⟩b"
    assert visible_text("\u200b\ufeff\U000e0041") == "⟨U+200B⟩⟨U+FEFF⟩⟨U+E0041⟩"
    assert visible_text("\x00\x1b[31m\x85") == "⟨U+0000⟩⟨U+001B⟩[31m⟨U+0085⟩"
    assert visible_text("a\u2028b") == "a⟨U+2028⟩b"


def test_ordinary_text_of_any_script_is_left_alone():
    text = "naïve café 技能 مرحبا\tनमस्ते\n👩\u200d🔧 <b>&"
    assert visible_text(text) == text
    assert visible_text("") == ""


def test_on_one_line_a_line_feed_is_spelled_out_as_well():
    assert visible_line("a\nb\x1bc\td") == "a⟨U+000A⟩b⟨U+001B⟩c\td"


def test_a_lone_surrogate_becomes_the_replacement_character_u37():
    shown = visible_text("a\ud83db")
    assert shown == "a\ufffdb"
    shown.encode("utf-8")


def test_json_in_a_script_can_neither_end_it_nor_open_a_comment():
    value = {"b": "</script><!--", "a": ["é", 0.5, None]}
    text = script_json(value)
    assert "<" not in text
    assert json.loads(text) == value
    assert text.index('"a"') < text.index('"b"')
    assert "é" in text


def test_a_number_that_json_cannot_say_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        script_json(float("nan"))
