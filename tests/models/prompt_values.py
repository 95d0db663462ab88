"""Invented values for the prompt of each role."""

ATOM = {"atom_id": "harbour/1/0", "said": "2024-03-02", "text": "Ada: The mast broke."}
VALUES = {
    "relation_extraction": {
        "source_atom": ATOM,
        "neighbour_atoms": [ATOM],
        "ordered": True,
    },
    "llm_process": {
        "instruction": "Find the days to look at.",
        "question": "When did the mast break?",
        "current_query": "mast broke",
        "evidence": [ATOM],
    },
    "memory_writer": {"kind": "note", "records": [ATOM], "earlier": [ATOM]},
    "failure_analyst": {"case": {"case_index": 3, "case_query": "When?"}},
    "success_analyst": {"case": {"case_index": 4, "case_query": "Who?"}},
    "designer": {
        "shadow_candidate_top_k": 2,
        "primitive_catalog": [{"name": "dense_search"}],
        "skill_catalog": [{"name": "plain"}],
        "frontier_skill_catalog": [{"name": "plain"}],
        "trie_history_summary": "dense_search: kept",
        "recent_history": [],
        "skill_metrics": [{"skill": "plain", "avg_acc": 0.5}],
        "oracle_acc": 0.6,
        "failed_trace_analyses": [],
        "success_trace_analyses": [],
    },
    "generator": {
        "proposal": {"action": "new_path_candidate"},
        "primitive_catalog": [{"name": "dense_search"}],
        "skill_catalog": [{"name": "plain"}],
        "current_markdown": "# plain",
    },
    "router": {
        "question": "When did the mast break?",
        "skill_candidates": [{"name": "plain"}],
        "allowed_skill_names": ["plain"],
    },
    "answer": {
        "question": "When did the mast break?",
        "asked_on": "2024-05-01",
        "evidence": [ATOM],
    },
    "judge_locomo": {
        "question": "When?",
        "gold_answer": "2 March 2024",
        "generated_answer": "in March",
    },
    "judge_longmemeval": {
        "question": "When?",
        "gold_answer": "2 March 2024",
        "generated_answer": "in March",
        "question_type": "temporal-reasoning",
    },
    "judge_perltqa": {
        "question": "Who?",
        "gold_answer": "her aunt",
        "generated_answer": "an aunt",
    },
    "emit_edges": {
        "skill": {"id": "yard/sand", "description": "Sand a hull."},
        "candidates": [{"id": "yard/paint", "description": "Paint a hull."}],
    },
    "decompose": {"task": "Sand the hull and paint it."},
    "io_schema": {
        "name": "paint",
        "description": "Paint a hull.",
        "body": "Use two coats.",
        "known_types": ["bare-hull"],
    },
    "guided_answer": {
        "question": "When did the mast break?",
        "asked_on": "2024-05-01",
        "guidance": "Give the day.",
        "evidence": [ATOM],
    },
    "curate_sheet": {"sheet": "", "attempts": [{"question": "When?"}]},
    "distil_reasoning": {"attempt": {"question": "When?"}},
    "rewrite_instruction": {
        "instruction": "Be brief.",
        "attempts": [{"question": "?"}],
    },
    "note_memory": {"skills": [{"name": "dates"}], "records": [ATOM]},
    "revise_memory_skills": {
        "skills": [{"name": "dates"}],
        "attempts": [{"question": "When?"}],
    },
    "agent": {
        "skills": [{"name": "paint", "text": "Use two coats."}],
        "first": "You see a hull 1. Your task is to: paint the hull.",
        "past": [{"action": "look", "seen": "You see a hull 1."}],
        "now": "You see a hull 1.",
        "commands": ["paint hull 1", "look"],
    },
}
