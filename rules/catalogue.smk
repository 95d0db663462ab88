"""Files of a skill library, read into records with a load report."""

STANDINS = source("library.standins")


rule catalogue:
    """Read every SKILL.md, and the registry rows that join as distractors."""
    input:
        skills=SKILL_FILES,
        registry=lambda w: REGISTRY_FILES if DISTRACTORS[w.study] else [],
    output:
        catalogue="results/{study}/library/catalogue.sqlite",
    log:
        "logs/{study}/catalogue.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1500),
        runtime=grows(20),
        gpu=0,
    params:
        root=lambda w: source("library.path"),
        walk=CONFIG.library.model_dump(include={"skip", "depth", "ids"}),
        distractors=lambda w: DISTRACTORS[w.study],
        seed=CONFIG.library.distractors.seed,
        pieces=(
            CONFIG.encoder.model_dump(include={"name", "max_length"})
            if CONFIG.library.bodies
            else None
        ),
        given=given(SKILL_FILES, REGISTRY_FILES),
        code=code_of("catalogue.py"),
    script:
        "../scripts/catalogue.py"


rule tasks:
    """Read the tasks and match their ground truth with the catalogue."""
    input:
        tasks=TASK_FILES,
        standins=STANDINS or [],
        catalogue="results/{study}/library/catalogue.sqlite",
    output:
        tasks="results/{study}/library/tasks.sqlite",
    log:
        "logs/{study}/tasks.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1000),
        runtime=grows(10),
        gpu=0,
    params:
        split=CONFIG.downstream.split(),
        given=given(TASK_FILES, STANDINS),
        code=code_of("tasks.py"),
    script:
        "../scripts/tasks.py"
