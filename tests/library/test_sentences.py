from skillmill.library.passages import skill_passages, task_passages
from skillmill.library.sentences import sentences
from skillmill.types import Task
from tests.library.skills import skill

TASK = """You have a scan of an old letter. Read its text!

1. Turn the picture into words.
2. Save them as a table:

```json
{"text": "the words that were found on the page"}
```
Note: keep it short.
"""


def test_a_task_is_cut_at_line_ends_and_sentence_ends_without_bullets_and_fences():
    assert sentences(TASK) == [
        "You have a scan of an old letter.",
        "Turn the picture into words.",
        "Save them as a table:",
        "Note: keep it short.",
    ]


def test_a_fence_that_is_never_closed_is_text():
    found = sentences("Do this first please.\n```\nwords after the open fence")
    assert found[-1] == "words after the open fence"


def test_one_sentence_is_the_whole_text_and_no_query_of_its_own():
    assert sentences("Fill in the form please.") == []
    assert sentences("") == []


def test_a_repeated_sentence_counts_once_and_the_number_is_bounded():
    assert sentences(
        "Read the old letter. Read the old letter. Write down a new one."
    ) == [
        "Read the old letter.",
        "Write down a new one.",
    ]


def test_of_a_long_text_the_first_and_the_last_sentences_are_kept():
    steps = [f"Step {i} is one like this" for i in range(100)]
    assert sentences("\n".join(steps)) == steps[:3] + steps[98:]
    assert sentences("\n".join(steps[:5])) == steps[:5]
    assert sentences("\n".join(steps), first=4, last=0) == steps[:4]


def test_chinese_sentences_are_parted_without_spaces_u37():
    assert sentences("请合并两个文件。然后发送邮件。") == [
        "请合并两个文件。",
        "然后发送邮件。",
    ]


def test_part_0_of_a_task_is_the_whole_text():
    rows = task_passages([Task("b", "Read it aloud now. Then write it down.", ("s",))])
    assert rows == [
        ("b", 0, "Read it aloud now. Then write it down."),
        ("b", 1, "Read it aloud now."),
        ("b", 2, "Then write it down."),
    ]


def test_bodies_become_passages_only_where_it_is_known_how_to_cut_them():
    class Twelve:
        room = 12

        def counts(self, texts):
            return [len(text) for text in texts]

        def starts(self, text):
            import numpy as np

            return np.arange(len(text))

    one = skill("a", body="first part\n\nsecond one")
    assert skill_passages([one]) == [("a", 0, "a: does a")]
    assert skill_passages([one], Twelve()) == [
        ("a", 0, "a: does a"),
        ("a", 1, "first part"),
        ("a", 2, "second one"),
    ]
    assert len(skill_passages([skill("a", body=" ")], Twelve())) == 1
