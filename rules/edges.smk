"""The typed skill graph: edges, arms that use them, and what is measured on both."""

EDGES = CONFIG.library.edges
CURATED_FILE = source("library.edges.curated")
CALLS_FILE = source("library.edges.calls")
AUDIT_FILE = source("library.edges.audit")
SEQUENCES_FILE = source("library.edges.sequences")


rule edges:
    """Draw typed edges between skills: by rule, by hand, from use and by a model."""
    input:
        catalogue="results/{study}/library/catalogue.sqlite",
        similar="results/{study}/library/similar.sqlite",
        curated=CURATED_FILE or [],
        calls=CALLS_FILE or [],
    output:
        edges="results/{study}/library/edges.sqlite",
    log:
        "logs/{study}/edges.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(3000),
        runtime=grows(240),
        gpu=0,
    params:
        settings=EDGES.model_dump(
            include={
                "candidates",
                "limit",
                "containment",
                "producers",
                "learning",
                "check_direction",
                "contradicted",
            }
        ),
        invalidation=EDGES.invalidation,
        asks=CONFIG.models.asks("emit_edges"),
        given=given(CURATED_FILE, CALLS_FILE),
        code=code_of("edges.py"),
    script:
        "../scripts/edges.py"


rule edge_sample:
    """Draw edges of each relation for a person to judge."""
    input:
        catalogue="results/{study}/library/catalogue.sqlite",
        edges="results/{study}/library/edges.sqlite",
    output:
        sample="results/{study}/library/edge_sample.csv",
    log:
        "logs/{study}/edge_sample.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1000),
        runtime=grows(10),
        gpu=0,
    params:
        per_relation=EDGES.audit_sample,
        seed=CONFIG.seed,
        code=code_of("edge_sample.py"),
    script:
        "../scripts/edge_sample.py"


rule graph_rankings:
    """Rank the library for every task with every way of using the graph."""
    input:
        catalogue="results/{study}/library/catalogue.sqlite",
        rankings="results/{study}/library/rankings.sqlite",
        similar="results/{study}/library/similar.sqlite",
        edges="results/{study}/library/edges.sqlite",
        calls=CALLS_FILE or [],
    output:
        rankings="results/{study}/library/graph_rankings.sqlite",
    log:
        "logs/{study}/graph_rankings.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
        gpu=0,
    params:
        arms=EDGES.arms.model_dump(exclude={"draws"}),
        learning=EDGES.learning.model_dump(),
        seed=CONFIG.seed,
        given=given(CALLS_FILE),
        code=code_of("graph_rankings.py"),
    script:
        "../scripts/graph_rankings.py"


rule topology:
    """Measure the graph: structure, bound, census, misses, comparisons, costs."""
    input:
        unpack(ranked),
        catalogue="results/{study}/library/catalogue.sqlite",
        similar="results/{study}/library/similar.sqlite",
        edges="results/{study}/library/edges.sqlite",
        audit=AUDIT_FILE or [],
        sequences=SEQUENCES_FILE or [],
    output:
        topology="results/{study}/library/topology.sqlite",
    log:
        "logs/{study}/topology.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(4000),
        runtime=grows(60),
        gpu=0,
    params:
        arms=EDGES.arms.model_dump(exclude={"draws"}),
        draws=EDGES.arms.draws,
        cutoffs=CONFIG.library.cutoffs,
        level=CONFIG.evaluation.level,
        seed=CONFIG.seed,
        given=given(AUDIT_FILE, SEQUENCES_FILE),
        code=code_of("topology.py"),
    script:
        "../scripts/topology.py"


rule library_store:
    """Put all that is served of a library into one file."""
    input:
        catalogue="results/{study}/library/catalogue.sqlite",
        vectors="results/{study}/library/vectors.sqlite",
        similar="results/{study}/library/similar.sqlite",
        edges="results/{study}/library/edges.sqlite",
    output:
        library="results/{study}/library/library.sqlite",
    log:
        "logs/{study}/library_store.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(20),
        gpu=0,
    params:
        ranker=CONFIG.library.ranker.model_dump(),
        encoder=CONFIG.encoder.model_dump(
            include={"name", "backend", "max_length", "base_url", "dimension"}
        ),
        serve=CONFIG.library.serve.model_dump(),
        code=code_of("library_store.py"),
    script:
        "../scripts/library_store.py"
