"""Rankings of every arm, and their scores with intervals."""


rule rankings:
    """Rank the library for every task with every arm."""
    input:
        catalogue="results/{study}/library/catalogue.sqlite",
        tasks="results/{study}/library/tasks.sqlite",
        vectors="results/{study}/library/vectors.sqlite",
    output:
        rankings="results/{study}/library/rankings.sqlite",
    log:
        "logs/{study}/rankings.log",
    conda:
        "../envs/gpu.yaml"
    threads: CONFIG.encoder.threads
    resources:
        mem_mb=grows(3000),
        runtime=grows(60),
        gpu=CONFIG.encoder.gpus,
    params:
        ranker=CONFIG.library.ranker.model_dump(),
        encoder=CONFIG.encoder.model_dump(
            include={"name", "backend", "max_length", "base_url", "dimension"}
        ),
        encoding=CONFIG.encoder.model_dump(
            include={"batch_size", "device", "key_variable", "timeout_s", "max_tries"}
        ),
        code=code_of("rankings.py"),
    script:
        "../scripts/rankings.py"


rule draws:
    """Rank and score among several draws of distractors of each size."""
    input:
        catalogue="results/{study}/library/catalogue.sqlite",
        tasks="results/{study}/library/tasks.sqlite",
        vectors="results/{study}/library/vectors.sqlite",
    output:
        scores="results/{study}/draws/scores.sqlite",
    log:
        "logs/{study}/draws.log",
    conda:
        "../envs/gpu.yaml"
    threads: CONFIG.encoder.threads
    resources:
        mem_mb=grows(3000),
        runtime=grows(120),
        gpu=CONFIG.encoder.gpus,
    params:
        draws=CONFIG.library.draws.model_dump(),
        ranker=CONFIG.library.ranker.model_dump(),
        encoder=CONFIG.encoder.model_dump(
            include={"name", "backend", "max_length", "base_url", "dimension"}
        ),
        encoding=CONFIG.encoder.model_dump(
            include={"batch_size", "device", "key_variable", "timeout_s", "max_tries"}
        ),
        cutoffs=CONFIG.library.cutoffs,
        bootstrap=CONFIG.evaluation.bootstrap,
        level=CONFIG.evaluation.level,
        seed=CONFIG.seed,
        code=code_of("draws.py"),
    script:
        "../scripts/draws.py"


rule learned:
    """Score what learning from tasks adds, held out; asked for by name alone."""
    input:
        tasks="results/{study}/library/tasks.sqlite",
        rankings="results/{study}/library/rankings.sqlite",
    output:
        scores="results/{study}/learned/scores.sqlite",
    log:
        "logs/{study}/learned.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1000),
        runtime=grows(30),
        gpu=0,
    params:
        learned=CONFIG.library.learned.model_dump(),
        cutoffs=CONFIG.library.cutoffs,
        bootstrap=CONFIG.evaluation.bootstrap,
        level=CONFIG.evaluation.level,
        seed=CONFIG.seed,
        code=code_of("learned.py"),
    script:
        "../scripts/learned.py"


rule library_scores:
    """Score the arms of the library track."""
    input:
        tasks="results/{study}/library/tasks.sqlite",
        rankings=[
            "results/{study}/library/rankings.sqlite",
            "results/{study}/library/graph_rankings.sqlite",
        ],
    output:
        scores="results/{study}/library/scores.sqlite",
    log:
        "logs/{study}/library_scores.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1000),
        runtime=grows(30),
        gpu=0,
    params:
        cutoffs=CONFIG.library.cutoffs,
        bootstrap=CONFIG.evaluation.bootstrap,
        level=CONFIG.evaluation.level,
        seed=CONFIG.seed,
        code=code_of("library_scores.py"),
    script:
        "../scripts/library_scores.py"


rule memory_scores:
    """Score every retrieval skill of the memory track."""
    input:
        conversations="results/{study}/memory/conversations.sqlite",
        atoms=expand("results/{{study}}/memory/{shard}/atoms.sqlite", shard=SHARDS),
        rollouts=expand(
            "results/{{study}}/memory/{shard}/rollouts.sqlite", shard=SHARDS
        ),
        transferred=expand(
            "results/{{study}}/memory/{shard}/transferred.sqlite",
            shard=SHARDS if TRANSFER else [],
        ),
    output:
        scores="results/{study}/memory/scores.sqlite",
    log:
        "logs/{study}/memory_scores.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1500),
        runtime=grows(30),
        gpu=0,
    params:
        cutoffs=CONFIG.memory.cutoffs,
        splits=CONFIG.memory.splits.declared(),
        bootstrap=CONFIG.evaluation.bootstrap,
        level=CONFIG.evaluation.level,
        seed=CONFIG.seed,
        code=code_of("memory_scores.py"),
    script:
        "../scripts/memory_scores.py"
