"""Retrieval skills and their router evolve, a job a step."""


rule evolve_start:
    """Roll out the seed skills: evolution before its first step."""
    input:
        memories=EVOLUTION_MEMORIES,
        tokens=tokens_beside(EVOLUTION_MEMORIES),
        seeds=EVOLUTION_SEED_FILES,
    output:
        state="results/{study}/evolution/{variant}/run-{run}/step-0.sqlite",
    log:
        "logs/{study}/evolution/{variant}/run-{run}/step-0.log",
    wildcard_constraints:
        study=OWN_STUDY,
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
        gpu=0,
    params:
        section=evolution_section,
        splits=learning_splits(),
        budget=CONFIG.memory.budget,
        encoder=router_encoder(),
        asks=evolution_asks,
        given=given(EVOLUTION_SEED_FILES),
        code=code_of("evolve_start.py"),
    script:
        "../scripts/evolve_start.py"


rule evolve_step:
    """Take one step of Algorithm 1 from the state before it."""
    input:
        memories=EVOLUTION_MEMORIES,
        tokens=tokens_beside(EVOLUTION_MEMORIES),
        before=state_before,
    output:
        state="results/{study}/evolution/{variant}/run-{run}/step-{step}.sqlite",
    log:
        "logs/{study}/evolution/{variant}/run-{run}/step-{step}.log",
    wildcard_constraints:
        study=OWN_STUDY,
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(240),
        gpu=0,
    params:
        section=evolution_section,
        splits=learning_splits(),
        budget=CONFIG.memory.budget,
        encoder=router_encoder(),
        asks=evolution_asks,
        seed=CONFIG.seed,
        code=code_of("evolve_step.py"),
    script:
        "../scripts/evolve_step.py"


rule evolution_scores:
    """Measure every run beside its rivals."""
    input:
        memories=EVALUATED_MEMORIES,
        tokens=tokens_beside(EVALUATED_MEMORIES),
        conversations="results/{study}/memory/conversations.sqlite",
        seeds=EVOLUTION_SEED_FILES,
        states=[state for v in EVOLUTION_VARIANTS for state in evolution_states(v)],
    output:
        scores="results/{study}/evolution/scores.sqlite",
    log:
        "logs/{study}/evolution/scores.log",
    wildcard_constraints:
        study=OWN_STUDY,
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(3000),
        runtime=grows(120),
        gpu=0,
    params:
        sections=evolution_sections(),
        runs=[(v, r) for v in EVOLUTION_VARIANTS for r in range(CONFIG.evolution.runs)],
        skipped=EVOLUTION_SKIPPED,
        splits=CONFIG.memory.splits.declared(),
        budget=CONFIG.memory.budget,
        encoder=router_encoder(),
        asks=evolution_asks,
        bootstrap=CONFIG.evaluation.bootstrap,
        level=CONFIG.evaluation.level,
        seed=CONFIG.seed,
        given=given(EVOLUTION_SEED_FILES),
        code=code_of("evolution_scores.py"),
    script:
        "../scripts/evolution_scores.py"


rule reflective_scores:
    """Measure rivals that reflect on past attempts, at one budget of model calls."""
    input:
        memories=EVALUATED_MEMORIES,
        conversations="results/{study}/memory/conversations.sqlite",
    output:
        scores="results/{study}/reflective/scores.sqlite",
    log:
        "logs/{study}/reflective_scores.log",
    wildcard_constraints:
        study=OWN_STUDY,
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(3000),
        runtime=grows(600),
        gpu=0,
    params:
        splits=CONFIG.memory.splits.declared(),
        judge=JUDGE,
        asks=reflective_asks(),
        calls=CONFIG.evolution.reflective_calls,
        encoder=router_encoder(),
        bootstrap=CONFIG.evaluation.bootstrap,
        level=CONFIG.evaluation.level,
        seed=CONFIG.seed,
        code=code_of("reflective_scores.py"),
    script:
        "../scripts/reflective_scores.py"
