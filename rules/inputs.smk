"""Files that rules read and targets that they make, found from the configuration."""


def tracked(files):
    """The files that Snakemake can watch; the loader reports the others.

    Relative to the working directory where they lie below it, so that moving a project
    does not make it stale. They are files of this machine also where results go to
    object storage.
    """
    here = Path.cwd()
    readable = [f for f in files if f.is_file() and os.access(f, os.R_OK)]
    for file in readable:
        if "{" in str(file) or "}" in str(file):
            refuse(
                f"{file}: Snakemake takes braces in a path for a wildcard; rename it"
            )
    checked(check_times, readable)
    names = (f.relative_to(here) if f.is_relative_to(here) else f for f in readable)
    return [local(name) for name in sorted(map(str, names))]


def skill_files():
    """SKILL.md files of the library, or its one file of listings; none is an error."""
    root = source("library.path")
    if root is None:
        return []
    settings = CONFIG.library
    found = tracked(checked(library_files, Path(root), settings.skip, settings.depth))
    if not found:
        refuse(
            f"library.path: no SKILL.md that can be read lies under {root}; name the"
            " folder whose subfolders hold them"
        )
    for study in DISTRACTORS:
        catalogue = Path("results", study, "library", "catalogue.sqlite")
        checked(check_removals, catalogue, len(found), settings.removals)
    return found


def task_files():
    """The task file, where there is one."""
    place = source("library.tasks")
    return [] if place is None else tracked([Path(place)])


def registry_files():
    """The registry, where a study takes distractors from it."""
    if not any(DISTRACTORS.values()):
        return []
    found = source("library.distractors.path")
    if found is None:
        refuse(
            "library.distractors asks for distractors but its path is null; name a"
            " registry file"
        )
    return tracked([Path(found)])


def conversation_files():
    """The conversation file, or the files of a folder of them."""
    place = source("memory.path")
    if place is None:
        return []
    path = Path(place)
    return tracked(path.glob("*.json*") if path.is_dir() else [path])


def sized_splits():
    """Splits that the data is checked for as it is read; none without sizes."""
    splits = CONFIG.memory.splits
    return splits.declared() if splits.questions.given else {}


def are_split():
    """Whether each shard has its own conversations: the one thing written here."""
    if CONFIG.memory.path is None:
        return False
    place = Source(
        study=CONFIG.study,
        path=Path(source("memory.path")),
        files=tuple(CONVERSATION_FILES),
        format=CONFIG.memory.format,
        shards=CONFIG.memory.shards,
        failed_share=CONFIG.limits.failed_share,
        splits=sized_splits(),
    )
    folder = Path("results", CONFIG.study, "memory")
    # A first dry run leaves nothing behind.
    leads = workflow.is_main_process and (folder.exists() or not is_planning())
    return split_conversations(place, folder, leads=leads)


def is_planning():
    """Whether this is Snakemake's command and a dry run; it tells no workflow so early.

    Another program may have read the workflow, with an `-n` of its own.
    """
    command = Path(sys.argv[0])
    flags = {"-n", "--dry-run", "--dryrun"}
    return "snakemake" in (command.name, command.parent.name) and any(
        flag in flags for flag in sys.argv
    )


def retrieval_skill_files():
    """Markdown files of the configured retrieval skills, folders expanded."""
    places = [
        checked(find_path, name, "memory.skills", data_root=CONFIG.data_root, base=BASE)
        for name in CONFIG.memory.skills
    ]
    return tracked(
        file
        for place in places
        for file in (place.glob("*.md") if place.is_dir() else [place])
    )


# Looked up as the workflow is read: an error inside an input function of a job whose
# output is there would be taken for "nothing to do".
SKILL_FILES = skill_files()
TASK_FILES = task_files()
REGISTRY_FILES = registry_files()
CONVERSATION_FILES = conversation_files()
ARE_SPLIT = are_split()
RETRIEVAL_SKILL_FILES = retrieval_skill_files()
TRANSFER = source("memory.transfer")
# Token vectors take as long to make as all others: only where a skill asks for them.
LATE = any(
    '"late":true' in "".join(Path(file).read_text("utf-8", "replace").split())
    for file in RETRIEVAL_SKILL_FILES
)
# What memories are built without; a configured skill that searches it is refused.
LACKING = CONFIG.memory.lacking()
if LACKING:
    checked(require_parts, RETRIEVAL_SKILL_FILES, LACKING)
# Whether a skill asks a language model while it runs.
PROCESSING = any(
    '"llm_process"' in Path(file).read_text("utf-8", "replace")
    for file in RETRIEVAL_SKILL_FILES
)
# Whether a model writes the memories that published ideas need.
WRITTEN = CONFIG.models.is_asked("memory_writer")
JUDGE = JUDGE_ROLES[CONFIG.memory.format]


# What compares retrieval skills: a store in each shard, and folders with scores.
COMPARED_SHARDS = ["turns", "baselines", "answers"]
COMPARED_SCORES = ["turns", "comparisons", "answers"]


def passages_of(wildcards):
    """Stores whose passages a part of a study embeds."""
    names = ["catalogue"] if wildcards.part == "library" else ["atoms", "entities"]
    if wildcards.part == "library" and CONFIG.library.tasks:
        names.append("tasks")
    return [f"results/{wildcards.study}/{wildcards.part}/{n}.sqlite" for n in names]


def encoder_revision():
    """Hash of the weights of an encoder in a folder, which may change under its name.

    Bundled weights are pinned by hash, those of an endpoint cannot be seen.
    """
    if CONFIG.encoder.name.startswith(("bundled:", "endpoint:")):
        return None
    if CONFIG.library.path is None and not CONFIG.memory.vectors:
        return None
    from skillmill.interfaces.configured import encoder_settings
    from skillmill.models.encoder import identity_of

    return checked(identity_of, encoder_settings(CONFIG.encoder))["revision"]


def tagger_version():
    """Version of the tagger's package, which no import statement names."""
    if not CONFIG.memory.entities:
        return None
    from skillmill.models.tagger import tagger_identity

    return checked(tagger_identity, CONFIG.tagger.name)["version"]


def conversations_of(wildcards):
    """Conversations of a shard; all of them where the job that reads them must fail."""
    folder = f"results/{wildcards.study}/memory"
    own = f"{folder}/{wildcards.shard}/conversations.sqlite"
    return local(own) if ARE_SPLIT else f"{folder}/conversations.sqlite"


def tokens_of(wildcards):
    """Token vectors of a shard, where a retrieval skill searches by late interaction."""
    shard = f"results/{wildcards.study}/memory/{wildcards.shard}"
    return f"{shard}/tokens.sqlite" if LATE else []


def vectors_of(wildcards):
    """Vectors of a shard, where its memory is built with them."""
    shard = f"results/{wildcards.study}/memory/{wildcards.shard}"
    return f"{shard}/vectors.sqlite" if CONFIG.memory.vectors else []


def typed_relations_of(wildcards):
    """Typed relations of a shard, where a language model is asked for them."""
    shard = f"results/{wildcards.study}/memory/{wildcards.shard}"
    asked = CONFIG.models.is_asked("relation_extraction")
    return f"{shard}/typed_relations.sqlite" if asked else []


def written_memories_of(wildcards):
    """Rankings of memories that a language model wrote, where one is asked."""
    shards = SHARDS if WRITTEN else []
    folder = f"results/{wildcards.study}/memory"
    return [f"{folder}/{shard}/written_memories.sqlite" for shard in shards]


def library_stores(study):
    """Stores of the library track of a study that its page shows."""
    if CONFIG.library.path is None:
        return []
    names = ["catalogue", "similar", "vectors", "edges", "topology"]
    if CONFIG.library.tasks:
        names += ["tasks", "rankings", "graph_rankings", "scores"]
    # For what their replies took, and what failed of them.
    names += ["slots"] if CONFIG.models.is_asked("io_schema") else []
    if CONFIG.library.tasks and CONFIG.models.is_asked("decompose"):
        names.append("trees")
    return [f"results/{study}/library/{name}.sqlite" for name in names]


def memory_stores(study):
    """Stores of the memory track of a study that its page shows."""
    if CONFIG.memory.path is None or study != CONFIG.study:
        return []
    stages = ["atoms", "entities", "relations", "memory", "rollouts"]
    stages += ["vectors"] if CONFIG.memory.vectors else []
    if CONFIG.models.is_asked("relation_extraction"):
        stages.append("typed_relations")
    if TRANSFER:
        stages.append("transferred")
    names = ["conversations", "scores"]
    names += [f"{shard}/{stage}" for shard in SHARDS for stage in stages]
    return [f"results/{study}/memory/{name}.sqlite" for name in names]


def compared_stores(study):
    """Stores that compare retrieval skills, beside those of the memory track itself."""
    if CONFIG.memory.path is None or study != CONFIG.study:
        return []
    stages = [*COMPARED_SHARDS, *(["written_memories"] if WRITTEN else [])]
    names = [f"memory/{i}/{stage}" for i in SHARDS for stage in stages]
    names += [f"{stage}/scores" for stage in COMPARED_SCORES]
    return [f"results/{study}/{name}.sqlite" for name in names]


def report_inputs(wildcards):
    """Stores that the page of a study shows."""
    study = wildcards.study
    stores = library_stores(study) + memory_stores(study) + compared_stores(study)
    return stores + evolution_stores(study)


def evolution_stores(study):
    """The first run of each variant and the figures, if the page tells of evolution."""
    if not CONFIG.report.evolution or study != CONFIG.study:
        return []
    if not evolution_targets():
        refuse(
            "report.evolution is true, and there is nothing to evolve on: set"
            " memory.path, memory.splits.train and memory.splits.val (or their sizes in"
            " memory.splits.questions) and no memory.transfer, or report.evolution"
            " to false"
        )
    states = [evolution_states(variant)[0] for variant in EVOLUTION_VARIANTS]
    return [*states, f"results/{study}/evolution/scores.sqlite", *reflective_stores()]


def compared_inputs(wildcards):
    """Stores of the run that the study's page is compared with; variants are not."""
    return COMPARED if wildcards.study == CONFIG.study else []


def compared_run():
    """Those stores, by their full path: that of another study would match our rules."""
    if CONFIG.report.compare is None:
        return []
    place = Path(os.path.normpath(CONFIG.report.compare))
    if place.parent == Path("results") and place.name in DISTRACTORS:
        if place.name == CONFIG.study:
            refuse(f"report.compare: {place} is this study itself; name another run")
        names = ("tasks.sqlite", "scores.sqlite")
        return [store for store in library_stores(place.name) if store.endswith(names)]
    # Only here: it brings what compares runs, which every start would wait for.
    from skillmill.report.othersource import compared_stores as stores_of

    found = checked(stores_of, Path(source("report.compare")))
    return [str(path.absolute()) for path in found]


COMPARED = compared_run()


# Targets name every store, not the last ones alone: Snakemake would not miss a store in
# the middle that somebody deleted.
def library_targets():
    """Stores of every study of the library track, and the draws of distractors."""
    found = [store for study in DISTRACTORS for store in library_stores(study)]
    if CONFIG.library.path and CONFIG.library.tasks and CONFIG.library.draws.seeds:
        found.append(f"results/{CONFIG.study}/draws/scores.sqlite")
    return found


def memory_targets():
    """Stores of the memory track."""
    return memory_stores(CONFIG.study) + compared_stores(CONFIG.study)


def report_targets():
    """Page of each study; the sample's also lies on top."""
    pages = expand("results/{study}/report.html", study=DISTRACTORS)
    return pages + (["results/report.html"] if CONFIG.study == "sample" else [])


def edge_targets():
    """Graph, sample to judge and measurements of every study of the library track."""
    if CONFIG.library.path is None:
        return []
    names = ["edges.sqlite", "edge_sample.csv", "topology.sqlite", "library.sqlite"]
    return expand("results/{study}/library/{name}", study=DISTRACTORS, name=names)


def trace_targets():
    """What bundles are made from; with tasks also their bundles and scores."""
    if CONFIG.library.path is None:
        return []
    stores = ["library/slots", "library/dependencies"]
    if CONFIG.library.tasks:
        stores += ["library/trees", "library/traces", "traces/scores"]
    return expand("results/{study}/{store}.sqlite", study=DISTRACTORS, store=stores)


def ranked(wildcards):
    """Tasks and rankings of a study; nothing where it has no tasks."""
    if not CONFIG.library.tasks:
        return {}
    names = ["tasks", "rankings", "graph_rankings"]
    folder = f"results/{wildcards.study}/library"
    return {name: f"{folder}/{name}.sqlite" for name in names}


def learning_splits():
    """Conversations that evolution learns from and chooses on."""
    return CONFIG.memory.splits.declared("train", "val")


def memories_with(conversations):
    """Memory stores of the shards that hold some conversations; all if drawn."""
    from skillmill.memory.shards import shard_of

    if CONFIG.memory.splits.drawn:
        return [f"results/{CONFIG.study}/memory/{n}/memory.sqlite" for n in SHARDS]
    mine = sorted({shard_of(name, CONFIG.memory.shards) for name in conversations})
    return [f"results/{CONFIG.study}/memory/{shard}/memory.sqlite" for shard in mine]


def tokens_beside(memories):
    """Token vectors of memories, where a seed skill searches by late interaction."""
    stores = [str(Path(memory).with_name("tokens.sqlite")) for memory in memories]
    return stores if LATE_SEEDS else []


def evolution_seed_files():
    """Markdown files of the skills that evolution starts from."""
    return tracked(
        checked(
            find_path, name, "evolution.seeds", data_root=CONFIG.data_root, base=BASE
        )
        for name in CONFIG.evolution.seeds
    )


def evolution_section(wildcards):
    """The settings of a variant; what varies between its runs is no part of them."""
    if wildcards.variant not in EVOLUTION_VARIANTS:
        refuse(
            f"evolution has no variant {wildcards.variant!r}; there are"
            f" {', '.join(EVOLUTION_VARIANTS)}"
        )
    section = CONFIG.evolution.variant(wildcards.variant)
    return section.model_dump(
        exclude={
            "variants",
            "seeds",
            "runs",
            "steps",
            "rivals",
            "reflective_calls",
        }
    )


def evolution_sections():
    """The settings of every variant, as their figures need them."""
    names = EVOLUTION_VARIANTS
    kept = {"variants", "seeds", "runs", "steps", "reflective_calls"}
    return {
        name: CONFIG.evolution.variant(name).model_dump(exclude=kept) for name in names
    }


def evolution_asks(wildcards):
    """What the replies of models depend on, for each role that evolution asks."""
    names = (
        [wildcards.get("variant")] if wildcards.get("variant") else EVOLUTION_VARIANTS
    )
    sections = [CONFIG.evolution.variant(name) for name in names]
    needed = [role for one in sections for role in evolution_roles(one)]
    roles = dict.fromkeys(["llm_process", *needed])
    asked = {role: CONFIG.models.asks(role) for role in roles}
    return {role: shaping for role, shaping in asked.items() if shaping}


def evolution_roles(section):
    """Roles of language models that a variant cannot do without."""
    roles = []
    if section.proposer.kind == "llm":
        roles += ["failure_analyst", "success_analyst", "designer", "generator"]
    if section.router.kind == "llm":
        roles.append("router")
    if section.reward == "judge":
        roles += ["answer", JUDGE]
    return roles


def evolution_skipped():
    """Variants that a missing model keeps from running, and which; never the default."""
    found = {}
    for name in CONFIG.evolution.variants:
        roles = evolution_roles(CONFIG.evolution.variant(name))
        without = [role for role in roles if not CONFIG.models.is_asked(role)]
        if without:
            found[name] = f"no language model for {', '.join(without)}"
    return found


def reflective_asks():
    """What the replies of rivals that reflect depend on; {} if a role has no model."""
    from skillmill.evolve.reflective.arms import ROLES

    roles = [*ROLES, JUDGE]
    asked = {role: CONFIG.models.asks(role) for role in roles}
    return asked if all(asked.values()) else {}


def router_encoder():
    """What makes the vectors that a learned router sees."""
    keys = {"name", "backend", "max_length", "base_url", "dimension"}
    own = CONFIG.evolution.router.encoder
    encoder = own if own.name else CONFIG.encoder
    return encoder.model_dump(include=keys)


def state_before(wildcards):
    """Evolution after the step before."""
    folder = f"results/{wildcards.study}/evolution/{wildcards.variant}"
    return f"{folder}/run-{wildcards.run}/step-{int(wildcards.step) - 1}.sqlite"


def evolution_states(variant, steps=None):
    """Evolution after the last step, or after all, of each run of a variant."""
    last = CONFIG.evolution.variant(variant).steps
    folder = f"results/{CONFIG.study}/evolution/{variant}"
    return [
        f"{folder}/run-{run}/step-{step}.sqlite"
        for run in range(CONFIG.evolution.runs)
        for step in (range(last + 1) if steps == "all" else [last])
    ]


def evolution_targets():
    """Every state of every run, and the figures."""
    splits = CONFIG.memory.splits
    sizes = splits.questions.model_dump() if splits.drawn else splits.named
    if CONFIG.memory.path is None or not (sizes["train"] and sizes["val"]):
        return []
    if CONFIG.memory.transfer:
        # What another study evolved is measured here; nothing is trained.
        return []
    states = [s for v in EVOLUTION_VARIANTS for s in evolution_states(v, "all")]
    scored = f"results/{CONFIG.study}/evolution/scores.sqlite"
    return [*states, scored, *reflective_stores()]


def reflective_stores():
    """Figures of rivals that reflect, if they may ask anything and have questions."""
    splits = CONFIG.memory.splits
    tested = splits.questions.test if splits.drawn else splits.test
    if not (CONFIG.evolution.reflective_calls and tested):
        return []
    return [f"results/{CONFIG.study}/reflective/scores.sqlite"]


# What another study evolved is a file like any other (memory.transfer).
OWN_STUDY = re.escape(CONFIG.study)
EVOLUTION_SEED_FILES = evolution_seed_files()
LATE_SEEDS = any(
    '"late":true' in "".join(Path(file).read_text("utf-8", "replace").split())
    for file in EVOLUTION_SEED_FILES
)
EVOLUTION_SKIPPED = evolution_skipped()
EVOLUTION_VARIANTS = [
    name
    for name in ["default", *CONFIG.evolution.variants]
    if name not in EVOLUTION_SKIPPED
]
EVOLUTION_MEMORIES = memories_with(
    name for split in ("train", "val") for name in CONFIG.memory.splits.named[split]
)
EVALUATED_MEMORIES = memories_with(
    name for names in CONFIG.memory.splits.named.values() for name in names
)
