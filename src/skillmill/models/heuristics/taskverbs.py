"""Verbs that begin a step of a task, in the form of a command."""

TASK_VERBS = frozenset(
    """
    add adjust aggregate align analyse analyze animate annotate answer apply arrange ask
    assemble assess assign attach audit automate balance benchmark book bring build
    calculate calibrate call change check choose clean close cluster collect combine
    compare compile complete compose compress compute configure confirm connect convert
    copy correct count crawl create crop cut debug decide decode decrypt define delete
    deploy derive describe design detect determine develop diagnose document download
    draft draw drop edit email embed encode encrypt enrich enter estimate evaluate
    examine execute explain export extend extract fetch fill filter find fit fix follow
    forecast format gather generate give go group guess highlight identify illustrate
    implement import improve index infer insert inspect install integrate interpolate
    investigate join keep know label lay leave link list load locate log look mail make
    manage map mark match measure mend merge migrate minimise minimize model monitor
    move name normalise normalize notify number open optimise optimize order organise
    organize outline parse pay perform pick place plan plot post predict prepare present
    print produce proofread propose prove publish put query rank rate read rebuild
    recognise recognize recommend reconcile record recover redact refactor register
    remove rename render repair replace report reproduce research resize resolve restore
    retrieve return review rewrite rotate round run sample save scan schedule score
    scrape search segment select send set settle share show sign simplify simulate
    sketch solve sort specify split stack stage start state stop store straighten style
    submit subtract suggest sum summarise summarize suppress tabulate tag take tell test
    tidy trace track train transcribe transfer transform translate transpose trim try
    tune turn typeset update upload use validate verify visit visualise visualize warn
    work wrap write zip
    """.split()  # noqa: SIM905 - a quoted list of these is harder to read
)
