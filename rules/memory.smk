"""From conversations to the memory store, in shards, and retrieval skills on it."""


rule conversations:
    """Read every conversation and question."""
    input:
        conversations=CONVERSATION_FILES,
    output:
        conversations="results/{study}/memory/conversations.sqlite",
    log:
        "logs/{study}/conversations.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(20),
        gpu=0,
    params:
        path=lambda w: source("memory.path"),
        format=CONFIG.memory.format,
        splits=sized_splits(),
        given=given(CONVERSATION_FILES),
        code=code_of("conversations.py"),
    script:
        "../scripts/conversations.py"


rule atoms:
    """Cut the conversations of one shard into memory atoms."""
    input:
        conversations=conversations_of,
    output:
        atoms="results/{study}/memory/{shard}/atoms.sqlite",
    log:
        "logs/{study}/atoms-{shard}.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1000),
        runtime=grows(10),
        gpu=0,
    params:
        shards=CONFIG.memory.shards,
        granularity=CONFIG.memory.granularity,
        code=code_of("atoms.py"),
    script:
        "../scripts/atoms.py"


rule entities:
    """Find the entities of atoms and questions."""
    input:
        atoms="results/{study}/memory/{shard}/atoms.sqlite",
    output:
        entities="results/{study}/memory/{shard}/entities.sqlite",
    log:
        "logs/{study}/entities-{shard}.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
        gpu=0,
    params:
        tagger=CONFIG.tagger.name,
        kinds=sorted(CONFIG.memory.entities),
        version=tagger_version(),
        code=code_of("entities.py"),
    script:
        "../scripts/entities.py"


rule typed_relations:
    """Ask a language model what each memory atom means for those like it."""
    input:
        atoms="results/{study}/memory/{shard}/atoms.sqlite",
        relations="results/{study}/memory/{shard}/relations.sqlite",
    output:
        relations="results/{study}/memory/{shard}/typed_relations.sqlite",
    log:
        "logs/{study}/typed_relations-{shard}.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1500),
        runtime=grows(240),
        gpu=0,
    params:
        both_ways=CONFIG.memory.both_ways,
        asks=CONFIG.models.asks("relation_extraction"),
        code=code_of("typed_relations.py"),
    script:
        "../scripts/typed_relations.py"


rule memory_store:
    """Join what one shard's memory consists of in one file."""
    input:
        atoms="results/{study}/memory/{shard}/atoms.sqlite",
        entities="results/{study}/memory/{shard}/entities.sqlite",
        vectors=vectors_of,
        relations="results/{study}/memory/{shard}/relations.sqlite",
        typed=typed_relations_of,
    output:
        memory="results/{study}/memory/{shard}/memory.sqlite",
    log:
        "logs/{study}/memory_store-{shard}.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1000),
        runtime=grows(10),
        gpu=0,
    params:
        lacking=LACKING,
        code=code_of("memory_store.py"),
    script:
        "../scripts/memory_store.py"


rule rollouts:
    """Run every retrieval skill on every question of one shard."""
    input:
        memory="results/{study}/memory/{shard}/memory.sqlite",
        tokens=tokens_of,
        skills=RETRIEVAL_SKILL_FILES,
    output:
        rollouts="results/{study}/memory/{shard}/rollouts.sqlite",
    log:
        "logs/{study}/rollouts-{shard}.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
        gpu=0,
    params:
        budget=CONFIG.memory.budget,
        asks=CONFIG.models.asks("llm_process") if PROCESSING else {},
        given=given(RETRIEVAL_SKILL_FILES),
        code=code_of("rollouts.py"),
    script:
        "../scripts/rollouts.py"


rule transferred:
    """Run what another study's evolution deployed on one shard, untrained."""
    input:
        memory="results/{study}/memory/{shard}/memory.sqlite",
        tokens=tokens_of,
        state=TRANSFER or [],
    output:
        transferred="results/{study}/memory/{shard}/transferred.sqlite",
    log:
        "logs/{study}/transferred-{shard}.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(3000),
        runtime=grows(60),
        gpu=0,
    params:
        budget=CONFIG.memory.budget,
        given=given(TRANSFER),
        code=code_of("transferred.py"),
    script:
        "../scripts/transferred.py"
