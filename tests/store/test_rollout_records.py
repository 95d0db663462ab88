from skillmill.store.merging import merge_records
from skillmill.store.rollout_records import RolloutRecords, RolloutRow

EXECUTOR = {"executor": "abc", "budget": 20, "reader": "none", "judge": "none"}
ROW = RolloutRow("k1", "skill", "c/q1", "val", "mem", "ok", None, ("c/1/0", "c/2/1"))
EMPTY = RolloutRow("k2", "skill", "c/q2", "val", "mem", "empty", "no match", ())


def test_rollouts_come_back_by_key_and_survive_a_merge(tmp_path):
    with RolloutRecords(tmp_path, EXECUTOR) as records:
        records.add([ROW, EMPTY])
        assert records.known(["k2", "k1", "k3"]) == {"k2": EMPTY, "k1": ROW}
        assert list(records.known(["k2", "k1"])) == ["k2", "k1"]
    assert merge_records(tmp_path).rows == 2
    with RolloutRecords(tmp_path, EXECUTOR) as records:
        assert records.known(["k1"]) == {"k1": ROW}


def test_another_executor_or_judge_finds_nothing(tmp_path):
    with RolloutRecords(tmp_path, EXECUTOR) as records:
        records.add([ROW])
    for change in ({"executor": "abd"}, {"judge": "heuristic"}, {"budget": 10}):
        with RolloutRecords(tmp_path, {**EXECUTOR, **change}) as records:
            assert records.known(["k1"]) == {}


def test_a_rollout_that_is_there_keeps_its_row(tmp_path):
    with RolloutRecords(tmp_path, EXECUTOR) as records:
        records.add([ROW])
        records.add([ROW._replace(items=())])
        records.add([])
        assert records.known(["k1"]) == {"k1": ROW}
