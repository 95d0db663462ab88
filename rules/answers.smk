"""What retrieval skills are compared with, turn by turn and by the answers they allow."""


rule turns:
    """Order the single turns of what every retrieval skill found in one shard."""
    input:
        memory="results/{study}/memory/{shard}/memory.sqlite",
        tokens=tokens_of,
        rollouts="results/{study}/memory/{shard}/rollouts.sqlite",
    output:
        turns="results/{study}/memory/{shard}/turns.sqlite",
    log:
        "logs/{study}/turns-{shard}.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
        gpu=0,
    params:
        code=code_of("turns.py"),
    script:
        "../scripts/turns.py"


rule turn_scores:
    """Score the rankings of single turns."""
    input:
        conversations="results/{study}/memory/conversations.sqlite",
        turns=expand("results/{{study}}/memory/{shard}/turns.sqlite", shard=SHARDS),
    output:
        scores="results/{study}/turns/scores.sqlite",
    log:
        "logs/{study}/turn_scores.log",
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
        code=code_of("turn_scores.py"),
    script:
        "../scripts/turn_scores.py"


rule baselines:
    """Rank the atoms of one shard with what retrieval skills are held against."""
    input:
        memory="results/{study}/memory/{shard}/memory.sqlite",
        rollouts="results/{study}/memory/{shard}/rollouts.sqlite",
    output:
        baselines="results/{study}/memory/{shard}/baselines.sqlite",
    log:
        "logs/{study}/baselines-{shard}.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
        gpu=0,
    params:
        budget=CONFIG.memory.budget,
        seed=CONFIG.seed,
        written=WRITTEN,
        code=code_of("baselines.py"),
    script:
        "../scripts/baselines.py"


rule written_memories:
    """Have a language model write memories of one shard, and rank its atoms by them."""
    input:
        memory="results/{study}/memory/{shard}/memory.sqlite",
    output:
        rankings="results/{study}/memory/{shard}/written_memories.sqlite",
    log:
        "logs/{study}/written_memories-{shard}.log",
    conda:
        "../envs/gpu.yaml"
    threads: CONFIG.encoder.threads
    resources:
        mem_mb=grows(3000),
        runtime=grows(480),
        gpu=CONFIG.encoder.gpus,
    params:
        budget=CONFIG.memory.budget,
        asks=CONFIG.models.asks("memory_writer"),
        encoder=CONFIG.encoder.model_dump(
            include={"name", "backend", "max_length", "base_url", "dimension"}
        ),
        encoding=CONFIG.encoder.model_dump(
            include={"batch_size", "device", "key_variable", "timeout_s", "max_tries"}
        ),
        revision=encoder_revision(),
        code=code_of("written_memories.py"),
    script:
        "../scripts/written_memories.py"


rule comparisons:
    """Compare retrieval skills with each other and with baselines."""
    input:
        conversations="results/{study}/memory/conversations.sqlite",
        scores="results/{study}/memory/scores.sqlite",
        atoms=expand("results/{{study}}/memory/{shard}/atoms.sqlite", shard=SHARDS),
        baselines=expand(
            "results/{{study}}/memory/{shard}/baselines.sqlite", shard=SHARDS
        ),
        written=written_memories_of,
    output:
        scores="results/{study}/comparisons/scores.sqlite",
    log:
        "logs/{study}/comparisons.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
        gpu=0,
    params:
        cutoffs=CONFIG.memory.cutoffs,
        splits=CONFIG.memory.splits.declared(),
        bootstrap=CONFIG.evaluation.bootstrap,
        level=CONFIG.evaluation.level,
        seed=CONFIG.seed,
        code=code_of("comparisons.py"),
    script:
        "../scripts/comparisons.py"


rule answers:
    """Answer every question of one shard from found and from known evidence."""
    input:
        memory="results/{study}/memory/{shard}/memory.sqlite",
        rollouts="results/{study}/memory/{shard}/rollouts.sqlite",
        baselines="results/{study}/memory/{shard}/baselines.sqlite",
    output:
        answers="results/{study}/memory/{shard}/answers.sqlite",
    log:
        "logs/{study}/answers-{shard}.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
        gpu=0,
    params:
        skills=CONFIG.memory.answering.skills,
        atoms=CONFIG.memory.answering.atoms,
        asks=CONFIG.models.asks("answer"),
        code=code_of("answers.py"),
    script:
        "../scripts/answers.py"


rule answer_scores:
    """Score the answers."""
    input:
        conversations="results/{study}/memory/conversations.sqlite",
        answers=expand("results/{{study}}/memory/{shard}/answers.sqlite", shard=SHARDS),
    output:
        scores="results/{study}/answers/scores.sqlite",
    log:
        "logs/{study}/answer_scores.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1500),
        runtime=grows(30),
        gpu=0,
    params:
        splits=CONFIG.memory.splits.declared(),
        bootstrap=CONFIG.evaluation.bootstrap,
        level=CONFIG.evaluation.level,
        seed=CONFIG.seed,
        judge=JUDGE,
        asks=CONFIG.models.asks(JUDGE),
        code=code_of("answer_scores.py"),
    script:
        "../scripts/answer_scores.py"
