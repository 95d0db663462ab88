import pytest

from skillmill.data.questions import QuestionKeys, QuestionReader, read_category
from skillmill.types import CATEGORIES, Question

KEYS = QuestionKeys(text="question", trap="adversarial_answer")
ROW = {"question": "When?", "answer": "in May", "category": 2, "evidence": ["D1:1"]}


def read(**fields):
    reader = QuestionReader("c", {"D1:1", "D1:2"}, KEYS)
    question, remarks = reader.read({**ROW, **fields}, 0)
    return question, [remark.code for remark in remarks]


def test_a_clean_question_has_no_remarks():
    question = Question(
        "c/q0", "c", "When?", 2, "in May", "string", None, ("D1:1",), "temporal"
    )
    assert read() == (question, [])


@pytest.mark.parametrize(
    ("answer", "text", "kind"),
    [
        (2022, "2022", "integer"),
        (0, "0", "integer"),
        (2.5, "2.5", "number"),
        (True, "true", "boolean"),
    ],
)
def test_an_answer_that_is_no_text_becomes_one_and_its_type_is_kept_u23(
    answer, text, kind
):
    question, codes = read(answer=answer)
    assert (question.answer, question.answer_type) == (text, kind)
    assert codes == [f"answer-{kind}"]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(None, "null"), (["a"], "array"), ({"a": 1}, "object"), (" ", "string")],
)
def test_an_answer_that_cannot_be_a_text_is_unknown(answer, kind):
    question, codes = read(answer=answer)
    assert (question.answer, question.answer_type) == (None, kind)
    assert "answer-missing" in codes


@pytest.mark.parametrize(("number", "name"), CATEGORIES.items())
def test_categories_have_the_numbers_of_the_files_u20(number, name):
    assert read_category(number) == read_category(name) == number
    assert read_category(f" {name.title()} ") == number
    assert read_category(f"{number} ") == read_category(float(number)) == number


def test_the_order_of_categories_is_that_of_the_data_not_of_the_paper_u20():
    names = ["multi-hop", "temporal", "open-domain", "single-hop", "adversarial"]
    assert [read_category(name) for name in names] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "category", [0, 6, -1, True, 1.5, "6", "²", "hard", None, [], {}]
)
def test_an_unknown_category_is_refused_and_the_known_ones_are_listed(category):
    question, remarks = QuestionReader("c", set(), KEYS).read(
        {**ROW, "category": category}, 0
    )
    assert question is None
    assert remarks[0].severity == "failed"
    assert "1 (multi-hop), 2 (temporal)" in remarks[0].message


@pytest.mark.parametrize("row", [None, 3, "When?", [], {}, {"question": " "}])
def test_what_is_no_question_is_refused(row):
    question, remarks = QuestionReader("c", set(), KEYS).read(row, 0)
    assert question is None
    assert [remark.code for remark in remarks] == ["question-unusable"]


def test_an_adversarial_question_has_a_trap_and_no_answer():
    reader = QuestionReader("c", {"D1:1"}, KEYS)
    row = {"question": "Who?", "adversarial_answer": "Tom", "category": 5}
    question, remarks = reader.read({**row, "evidence": ["D1:1"]}, 3)
    assert (question.answer, question.answer_type, question.trap) == (
        None,
        "null",
        "Tom",
    )
    assert (question.id, remarks) == ("c/q3", [])


def test_an_adversarial_question_may_have_answer_and_trap():
    question, codes = read(category=5, answer="No", adversarial_answer="Yes")
    assert (question.answer, question.trap) == ("No", "Yes")
    assert codes == ["answer-and-trap"]


def test_a_text_asked_twice_makes_two_questions():
    reader = QuestionReader("c", {"D1:1"}, KEYS)
    first, none = reader.read(ROW, 0)
    second, remarks = reader.read(ROW, 4)
    assert (first.id, second.id, none) == ("c/q0", "c/q4", [])
    assert [remark.code for remark in remarks] == ["question-repeated"]
    assert "c/q0" in remarks[0].message


def test_blanks_and_surrogates_are_mended_and_reported_u37():
    question, codes = read(question=" Wh\ud83den? ", answer="in May ")
    assert (question.text, question.answer) == ("Wh\ufffden?", "in May")
    assert codes == ["lone-surrogate", "outer-blanks"]
