"""Bundles of skills: slots, dependencies, query trees, traces and their scores."""

TRACE = CONFIG.library.trace
SHAPES_VECTORS = {"name", "backend", "max_length", "base_url", "dimension"}
REACHES_ENCODER = {"batch_size", "device", "key_variable", "timeout_s", "max_tries"}


rule slots:
    """Read what each skill takes and gives: as declared, by a model or by rule."""
    input:
        catalogue="results/{study}/library/catalogue.sqlite",
    output:
        slots="results/{study}/library/slots.sqlite",
    log:
        "logs/{study}/slots.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1500),
        runtime=grows(240),
        gpu=0,
    params:
        asks=CONFIG.models.asks("io_schema"),
        code=code_of("slots.py"),
    script:
        "../scripts/slots.py"


rule dependencies:
    """Join skills to those that make what they take."""
    input:
        slots="results/{study}/library/slots.sqlite",
    output:
        dependencies="results/{study}/library/dependencies.sqlite",
    log:
        "logs/{study}/dependencies.log",
    conda:
        "../envs/gpu.yaml"
    threads: CONFIG.encoder.threads
    resources:
        mem_mb=grows(1500),
        runtime=grows(60),
        gpu=CONFIG.encoder.gpus if TRACE.dependencies.soft else 0,
    params:
        settings=TRACE.dependencies.model_dump(exclude={"soft"}),
        encoder=(
            CONFIG.encoder.model_dump(include=SHAPES_VECTORS)
            if TRACE.dependencies.soft
            else {}
        ),
        encoding=CONFIG.encoder.model_dump(include=REACHES_ENCODER),
        code=code_of("dependencies.py"),
    script:
        "../scripts/dependencies.py"


rule trees:
    """Take each task apart into steps for single skills."""
    input:
        tasks="results/{study}/library/tasks.sqlite",
    output:
        trees="results/{study}/library/trees.sqlite",
    log:
        "logs/{study}/trees.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1000),
        runtime=grows(240),
        gpu=0,
    params:
        tree=TRACE.tree.model_dump(),
        asks=CONFIG.models.asks("decompose"),
        code=code_of("trees.py"),
    script:
        "../scripts/trees.py"


rule traces:
    """Bundle skills for every task, and rank with every arm at every budget."""
    input:
        catalogue="results/{study}/library/catalogue.sqlite",
        tasks="results/{study}/library/tasks.sqlite",
        vectors="results/{study}/library/vectors.sqlite",
        rankings="results/{study}/library/rankings.sqlite",
        similar="results/{study}/library/similar.sqlite",
        edges="results/{study}/library/edges.sqlite",
        slots="results/{study}/library/slots.sqlite",
        dependencies="results/{study}/library/dependencies.sqlite",
        trees="results/{study}/library/trees.sqlite",
    output:
        traces="results/{study}/library/traces.sqlite",
    log:
        "logs/{study}/traces.log",
    conda:
        "../envs/gpu.yaml"
    threads: CONFIG.encoder.threads
    resources:
        mem_mb=grows(3000),
        runtime=grows(60),
        gpu=CONFIG.encoder.gpus,
    params:
        settings=TRACE.model_dump(exclude={"tree", "dependencies", "arms"}),
        arms=TRACE.arms.model_dump(),
        seed=CONFIG.seed,
        ranker=CONFIG.library.ranker.model_dump(),
        encoder=CONFIG.encoder.model_dump(include=SHAPES_VECTORS),
        encoding=CONFIG.encoder.model_dump(include=REACHES_ENCODER),
        code=code_of("traces.py"),
    script:
        "../scripts/traces.py"


rule trace_scores:
    """Score every arm of the traces, and compare them task by task."""
    input:
        tasks="results/{study}/library/tasks.sqlite",
        traces="results/{study}/library/traces.sqlite",
    output:
        scores="results/{study}/traces/scores.sqlite",
    log:
        "logs/{study}/trace_scores.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1000),
        runtime=grows(30),
        gpu=0,
    params:
        budgets=TRACE.arms.budgets,
        depth=CONFIG.library.ranker.depth,
        heuristic=not CONFIG.models.is_asked("decompose"),
        bootstrap=CONFIG.evaluation.bootstrap,
        level=CONFIG.evaluation.level,
        seed=CONFIG.seed,
        code=code_of("trace_scores.py"),
    script:
        "../scripts/trace_scores.py"
