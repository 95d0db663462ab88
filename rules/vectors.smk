"""Texts to vectors: the one place where an encoder runs."""


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
    threads: 1
    resources:
        mem_mb=3000,
        runtime=240,
        gpu=CONFIG.encoder.gpus,
    params:
        encoder=CONFIG.encoder.name,
        batch_size=CONFIG.encoder.batch_size,
        max_length=CONFIG.encoder.max_length,
        records=CONFIG.records,
        code=code_of("vectors.py"),
    script:
        "../scripts/vectors.py"
