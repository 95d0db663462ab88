"""What a person reads: figures and one page a study."""


rule report:
    """Draw the figures of a study and write its page."""
    input:
        stores=report_inputs,
        other=compared_inputs,
    output:
        page=report(
            "results/{study}/report.html",
            caption="../reports/page.rst",
            category="{study}",
        ),
        recall=report(
            "results/{study}/figures/recall.svg",
            caption="../reports/recall.rst",
            category="{study}",
        ),
        rankers=report(
            "results/{study}/figures/rankers.svg",
            caption="../reports/rankers.rst",
            category="{study}",
        ),
        evolution=report(
            "results/{study}/figures/evolution.svg",
            caption="../reports/evolution.rst",
            category="{study}",
        ),
        rules=report(
            "results/{study}/figures/rules.svg",
            caption="../reports/rules.rst",
            category="{study}",
        ),
    log:
        "logs/{study}/report.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(1500),
        runtime=grows(15),
        gpu=0,
    params:
        limits=CONFIG.report.limits(),
        compare=CONFIG.report.compare,
        resampling=(
            CONFIG.evaluation.bootstrap,
            CONFIG.evaluation.level,
            CONFIG.seed,
        ),
        prices=CONFIG.models.prices(),
        code=code_of("report.py"),
    script:
        "../scripts/report.py"


rule front_page:
    """Put the sample's page where a newcomer looks for it."""
    input:
        page="results/sample/report.html",
    output:
        page="results/report.html",
    log:
        "logs/front_page.log",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=grows(200),
        runtime=grows(5),
        gpu=0,
    shell:
        "cp {input.page:q} {output.page:q} 2> {log:q}"
