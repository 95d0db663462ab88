"""After any sequence of edits the artifacts equal those of a clean build."""

import json
import random
import shutil

import pytest

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

WORDS = [
    "harbour",
    "ledger",
    "invoice",
    "contour",
    "manuscript",
    "glossary",
    "raster",
    "payroll",
]


class Editor:
    """Random edits of the sample's inputs, as a user makes them."""

    def __init__(self, root, seed):
        self.root = root
        self.rng = random.Random(seed)
        self.library = root / "data" / "sample" / "library"
        self.chats = root / "data" / "sample" / "conversations.jsonl"
        self.done = []

    def skills(self):
        return sorted(self.library.rglob("SKILL.md"))

    def edit(self):
        """One edit of a random kind."""
        kind = self.rng.choice(
            ["describe", "body", "add", "rename", "delete", "touch", "say", "ask"]
        )
        getattr(self, kind)()
        self.done.append(kind)

    def phrase(self):
        return " ".join(self.rng.choices(WORDS, k=5))

    def describe(self):
        path = self.rng.choice(self.skills())
        text = path.read_text(encoding="utf-8")
        new = text.replace("description: ", f"description: {self.phrase()} ", 1)
        path.write_text(new, encoding="utf-8")

    def body(self):
        path = self.rng.choice(self.skills())
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n{self.phrase()}\n")

    def add(self):
        folder = self.library / "added" / f"new-{self.rng.randrange(10**6)}"
        folder.mkdir(parents=True)
        folder.joinpath("SKILL.md").write_text(
            f"---\nname: {folder.name}\ndescription: {self.phrase()}\n---\nBody.\n"
        )

    def rename(self):
        folder = self.rng.choice(self.skills()).parent
        folder.rename(folder.with_name(f"renamed-{self.rng.randrange(10**6)}"))

    def delete(self):
        shutil.rmtree(self.rng.choice(self.skills()).parent)

    def touch(self):
        for path in self.skills():
            path.touch()

    def lines(self):
        return self.chats.read_text(encoding="utf-8").splitlines()

    def say(self):
        """Change what somebody said."""
        lines = self.lines()
        turns = [i for i, line in enumerate(lines) if "question" not in json.loads(line)
                 and json.loads(line).get("type", "turn") == "turn"]  # fmt: skip
        at = self.rng.choice(turns)
        row = json.loads(lines[at])
        row["text"] += f" And the {self.phrase()}."
        lines[at] = json.dumps(row, ensure_ascii=False)
        self.chats.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def ask(self):
        """Drop a question."""
        lines = self.lines()
        asked = [i for i, line in enumerate(lines)
                 if json.loads(line).get("type") == "question"]  # fmt: skip
        del lines[self.rng.choice(asked)]
        self.chats.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("seed", [1, 2])
def test_ten_random_edits_end_where_a_clean_build_ends(copied, tmp_path, seed):
    editor = Editor(copied.root, seed)
    for step in range(5):
        editor.edit()
        editor.edit()
        copied.run(run=f"edit-{seed}-{step}")
    clean = copied.clone(tmp_path / "clean")
    clean.run(run=f"clean-{seed}")
    mine, theirs = copied.dumps(), clean.dumps()
    assert mine.keys() == theirs.keys()
    differing = [name for name in mine if mine[name] != theirs[name]]
    assert differing == [], editor.done
    assert sum(job.computed for job in clean.jobs(f"clean-{seed}")) == 0


def test_fresh_records_give_the_same_bytes(copied, tmp_path):
    """A vector does not depend on the texts that it was encoded with."""
    editor = Editor(copied.root, 3)
    for _ in range(2):
        editor.describe()
        editor.say()
        copied.run(run="edit-3")
    fresh = copied.clone(tmp_path / "fresh")
    fresh.records = tmp_path / "records"
    fresh.run(run="fresh")
    assert sum(job.computed for job in fresh.jobs("fresh")) > 300
    mine, theirs = copied.dumps(), fresh.dumps()
    assert [name for name in mine if mine[name] != theirs[name]] == []


def test_a_deleted_skill_leaves_no_trace_u16(copied):
    """No ghost in the catalogue, vectors, edges or rankings: all is as it was."""
    before = copied.dumps()
    folder = copied.root / "data" / "sample" / "library" / "added" / "ghost-of-harbour"
    folder.mkdir(parents=True)
    folder.joinpath("SKILL.md").write_text(
        "---\nname: ghost\ndescription: Read invoices and contour lines.\n---\nBoo.\n"
    )
    copied.run(run="haunted")
    haunted = copied.dumps()
    assert {n for n in haunted if "ghost-of-harbour" in haunted[n]} >= {
        f"results/sample/library/{name}.sqlite"
        for name in ("catalogue", "vectors", "rankings")
    }
    shutil.rmtree(folder.parent)
    copied.run(run="exorcised")
    assert copied.dumps() == before
