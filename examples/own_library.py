"""A built library from Python, cell by cell.

Run it as a script, or open it in an editor that knows `# %%` cells:

    python examples/own_library.py results/sample/library/library.sqlite
"""

# %% What was built: a results folder, or one library file.
import sys

import skillmill

RESULTS = sys.argv[1] if len(sys.argv) > 1 else "results/sample/library/library.sqlite"
library = skillmill.open_library(RESULTS)
status = library.status()
print(f"{status.skills} skills, {status.edges} edges, version {status.version}")

# %% Search: by words and meaning; nothing found is said to be nothing.
found = library.search("draw a chart or a map of the figures", limit=3)
for hit in found.hits:
    print(f"{hit.rank}. {hit.skill.id} {hit.score:.3f} {dict(hit.parts)}")
print(library.search("xylophone", arm="keyword").state)

# %% Around the best skill: what comes before, after, or instead.
best = found.hits[0].skill
for one in library.neighbours(best):
    print(one.role or "similar", one.skill, one.relation)

# %% Its text, safe to show, and the files beside it.
text = skillmill.read_skill(best.id, results=RESULTS)
print(text.text.splitlines()[1], list(text.files))

# %% The graph for networkx.
import io  # noqa: E402

import networkx as nx  # noqa: E402

graph = nx.read_graphml(io.BytesIO(skillmill.export_graph(results=RESULTS).encode()))
print(nx.number_weakly_connected_components(graph), "components")
