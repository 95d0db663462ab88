"""Random edits of the sample's inputs and settings, as a user makes them."""

import json
import random
import shutil

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


#: Settings that edits change, and the values that they take.
SETTINGS = {
    "seed": [0, 1],
    "library.similarity.neighbours": [2, 8],
    "library.similarity.floor": [0.3, 0.5],
    "library.ranker.dense_weight": [0.4, 0.5],
    "library.ranker.k1": [1.2, 2.0],
    "library.edges.limit": [4, 24],
    "library.cutoffs": [[1, 5], [1, 5, 10]],
    "memory.neighbours": [3, 5],
    "memory.budget": [20, 25],
    "memory.granularity": ["turn", "turn_pair", "session"],
    "memory.shards": [1, 2, 3],
    "evaluation.level": [0.9, 0.95],
    "report.problems": [100, 200],
}


#: Edits of code that change results, there and back: file, one line, the other.
TELLING = [
    ("src/skillmill/skills/merging.py", "RANK_CONSTANT = 5", "RANK_CONSTANT = 9"),
    ("src/skillmill/library/budget.py", "LEAST = 24", "LEAST = 12"),
    ("src/skillmill/library/bundle.py", "A_TOKEN = 4", "A_TOKEN = 5"),
    ("src/skillmill/memory/datespans.py", "REACH = 40", "REACH = 20"),
]


class Editor:
    """Random edits of the sample's inputs, as a user makes them.

    Settings are edited in `config` and code in the copy `code`, where they are given.
    """

    def __init__(self, root, seed, config=None, code=None):
        self.root = root
        self.config = config
        self.code = code
        self.rng = random.Random(seed)
        self.library = root / "data" / "sample" / "library"
        self.chats = root / "data" / "sample" / "conversations.jsonl"
        self.done = []

    def skills(self):
        return sorted(self.library.rglob("SKILL.md"))

    def edit(self):
        """One edit of a random kind."""
        kinds = ["describe", "body", "add", "rename", "delete", "touch", "say", "ask"]
        if self.config is not None:
            kinds.append("set")
        if self.code is not None:
            kinds.append("program")
        kind = self.rng.choice(kinds)
        getattr(self, kind)()
        self.done.append(kind)

    def set(self):
        """Change a setting."""
        name = self.rng.choice(sorted(SETTINGS))
        section, value = self.config, self.rng.choice(SETTINGS[name])
        *parents, leaf = name.split(".")
        for parent in parents:
            section = section.setdefault(parent, {})
        section[leaf] = value

    def program(self):
        """Change what a module does, or add a comment to any script or module."""
        if self.rng.random() < 0.5:
            name, one, other = self.rng.choice(TELLING)
            text = (self.code / name).read_text(encoding="utf-8")
            if one not in text:
                one, other = other, one
            assert one in text, f"{name} has no line {one}"
            changed = text.replace(one, other)
        else:
            files = [*self.code.glob("scripts/*.py"),
                     *self.code.glob("src/skillmill/*/*.py")]  # fmt: skip
            name = self.rng.choice(sorted(files))
            changed = name.read_text(encoding="utf-8") + f"# {self.phrase()}\n"
        (self.code / name).write_text(changed, encoding="utf-8")

    def restore(self):
        """Take every input back to what it was in the folder `beginning`."""
        shutil.rmtree(self.root / "data")
        shutil.copytree(self.root / "beginning", self.root / "data")

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
