"""Texts to vectors: the one place where an encoder runs."""

ADAPT_QUERIES = source("library.adapt.queries")


rule vectors:
    """Embed every passage that is not recorded yet."""
    input:
        passages=passages_of,
    output:
        vectors="results/{study}/{part}/vectors.sqlite",
    log:
        "logs/{study}/vectors-{part}.log",
    conda:
        "../envs/gpu.yaml"
    threads: CONFIG.encoder.threads
    resources:
        mem_mb=grows(3000),
        runtime=grows(240),
        gpu=CONFIG.encoder.gpus,
    params:
        encoder=CONFIG.encoder.model_dump(
            include={"name", "backend", "max_length", "base_url", "dimension"}
        ),
        encoding=CONFIG.encoder.model_dump(
            include={"batch_size", "device", "key_variable", "timeout_s", "max_tries"}
        ),
        long_texts=CONFIG.encoder.long_texts,
        revision=encoder_revision(),
        code=code_of("vectors.py"),
    script:
        "../scripts/vectors.py"


rule adapt_encoder:
    """Train a copy of the encoder on the library's own texts; asked for by name alone."""
    input:
        catalogue="results/{study}/library/catalogue.sqlite",
        queries=ADAPT_QUERIES or [],
    output:
        encoder=directory("results/{study}/encoder"),
    log:
        "logs/{study}/adapt_encoder.log",
    conda:
        "../envs/gpu.yaml"
    threads: CONFIG.encoder.threads
    resources:
        mem_mb=grows(4000),
        runtime=grows(240),
        gpu=CONFIG.encoder.gpus,
    params:
        pairs=CONFIG.library.adapt.model_dump(include={"kinds", "sections"}),
        settings=CONFIG.library.adapt.model_dump(
            exclude={"kinds", "sections", "queries"}
        )
        | {"seed": CONFIG.seed},
        encoder=CONFIG.encoder.model_dump(include={"name", "device"}),
        revision=encoder_revision(),
        given=given(ADAPT_QUERIES),
        code=code_of("adapt_encoder.py"),
    script:
        "../scripts/adapt_encoder.py"


rule tokens:
    """Embed every piece of a shard's turns and questions, for late interaction."""
    input:
        conversations=conversations_of,
        atoms="results/{study}/memory/{shard}/atoms.sqlite",
    output:
        tokens="results/{study}/memory/{shard}/tokens.sqlite",
    log:
        "logs/{study}/tokens-{shard}.log",
    conda:
        "../envs/gpu.yaml"
    threads: CONFIG.encoder.threads
    resources:
        mem_mb=grows(4000),
        runtime=grows(240),
        gpu=CONFIG.encoder.gpus,
    params:
        encoder=CONFIG.encoder.model_dump(
            include={"name", "backend", "max_length", "base_url", "dimension"}
        ),
        encoding=CONFIG.encoder.model_dump(
            include={"batch_size", "device", "key_variable", "timeout_s", "max_tries"}
        ),
        code=code_of("tokens.py"),
    script:
        "../scripts/tokens.py"
