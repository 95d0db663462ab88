"""Graphs drawn from vectors and dates alone; no language model is called here."""


rule similar:
    """Join every library skill to its nearest others (the similar_to layer)."""
    input:
        vectors="results/{study}/library/vectors.sqlite",
    output:
        similar="results/{study}/library/similar.sqlite",
    log:
        "logs/{study}/similar.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
        gpu=0,
    params:
        neighbours=CONFIG.library.similarity.neighbours,
        floor=CONFIG.library.similarity.floor,
        hnsw={
            "above": CONFIG.library.similarity.hnsw_above,
            "links": CONFIG.library.similarity.hnsw_links,
            "build": CONFIG.library.similarity.hnsw_build,
            "search": CONFIG.library.similarity.hnsw_search,
        },
        code=code_of("similar.py"),
    script:
        "../scripts/similar.py"


rule relations:
    """Join atoms by similarity and by being said one after the other."""
    input:
        atoms="results/{study}/memory/{shard}/atoms.sqlite",
        vectors=vectors_of,
    output:
        relations="results/{study}/memory/{shard}/relations.sqlite",
    log:
        "logs/{study}/relations-{shard}.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1500),
        runtime=grows(30),
        gpu=0,
    params:
        neighbours=CONFIG.memory.neighbours,
        code=code_of("relations.py"),
    script:
        "../scripts/relations.py"
