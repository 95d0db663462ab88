"""Every command that README and docs name exists, with the options they give it."""

import re
import shlex

import click
import pytest

from skillmill.interfaces.cli import main
from tests.conftest import REPOSITORY

PAGES = sorted([REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md")])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(skillmill [^`]+)`")


def commands(page):
    """Lines of fenced blocks and inline code that call skillmill, as lists of words."""
    text = page.read_text(encoding="utf-8")
    lines = [
        line
        for language, block in FENCE.findall(text)
        if language in ("", "sh", "bash", "console")
        for line in block.replace("\\\n", " ").splitlines()
    ]
    lines += INLINE.findall(FENCE.sub("", text).replace("\n", " "))
    found = []
    for line in lines:
        match = re.match(r"(?:\$ )?(?:[A-Z_]+=\S+ )*(skillmill .*)", line)
        if match and "..." not in match[1]:
            said = re.sub(r"<[^>]*>", "x", match[1])
            words = shlex.split(re.sub(r"\s#\s.*|\s[>|]\s.*|\s&&\s.*", "", said))
            found.append(words[1:])
    return found


def check(words):
    """Go down the groups to the command that is meant, and parse its options."""
    command, context = main, click.Context(main, info_name="skillmill")
    while isinstance(command, click.Group):
        while words and words[0] in ("--version", "--help"):
            words = words[1:]
        if not words:
            return
        name, command, words = command.resolve_command(context, words)
        settings = command.context_settings
        context = click.Context(command, info_name=name, parent=context, **settings)
    command.make_parser(context).parse_args(list(words))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_exists_with_its_options(page):
    wrong = []
    for words in commands(page):
        try:
            check(words)
        except click.UsageError as error:
            wrong.append(f"skillmill {' '.join(words)}: {error.format_message()}")
    assert wrong == []


def test_the_readme_names_the_commands_that_a_newcomer_needs():
    named = {words[0] for words in commands(REPOSITORY / "README.md")}
    assert {"run", "show", "explain", "lint", "doctor"} <= named


def test_a_command_that_is_not_there_is_noticed():
    with pytest.raises(click.UsageError, match="No such command"):
        check(["shwo"])
    with pytest.raises(click.UsageError, match="No such option"):
        check(["show", "scores", "--studdy", "x"])


def test_every_module_that_the_map_of_the_papers_names_is_there():
    text = (REPOSITORY / "docs" / "papers.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z]+/[a-z_/]+(?:\.py)?)`", text)
    assert len(named) > 40
    roots = (REPOSITORY / "src" / "skillmill", REPOSITORY)
    assert [n for n in named if not any((r / n).exists() for r in roots)] == []
