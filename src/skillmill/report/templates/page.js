"use strict";
// Fills, filters and sorts the per-question table. Text only enters the page as
// textContent, so nothing in the data can become markup.
(() => {
  const source = document.getElementById("explorer-data");
  if (!source) return;
  const tracks = JSON.parse(source.textContent);
  const PAGE = 25;
  const NOT_RUN = -1;
  // No category begins with a space.
  const POOLED = " pooled";
  const control = (name) => document.getElementById(`explorer-${name}`);
  const table = control("table");
  const state = { track: tracks[0], column: null, descending: true, limit: PAGE };

  const element = (tag, text, className) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  const options = (select, pairs, chosen) => {
    select.replaceChildren(
      ...pairs.map(([value, label]) => {
        const made = element("option", label);
        made.value = value;
        return made;
      }),
    );
    select.value = chosen;
  };

  const valuesOf = (row) => state.track.values[metric()][row];

  const level = (place) => (place === null || place === NOT_RUN ? null : state.track.levels[place]);

  const metric = () => Number(control("metric").value);

  // How a value stands to that of the other run: 1 higher, -1 lower, 0 equal, null where
  // one is not known. Places are in the order of the levels.
  const against = (row, arm) => {
    const there = state.track.other?.values[metric()][row][arm] ?? null;
    const here = valuesOf(row)[arm];
    return level(here) === null || level(there) === null ? null : Math.sign(here - there);
  };

  const anyArm = (row, test) => {
    const chosen = control("arm").value;
    return state.track.arms.some((_, arm) => (chosen === "" || Number(chosen) === arm) && test(against(row, arm)));
  };

  const shows = {
    all: () => true,
    missed: (values) => values.some((v) => v !== null) && values.every((v) => v === null || v === 0),
    differ: (values) => new Set(values.filter((v) => v !== null)).size > 1,
    unscored: (values) => values.every((v) => v === null),
    changed: (_, row) => anyArm(row, (sign) => sign === 1 || sign === -1),
    higher: (_, row) => anyArm(row, (sign) => sign === 1),
    lower: (_, row) => anyArm(row, (sign) => sign === -1),
  };

  const matching = () => {
    const words = control("text").value.normalize("NFC").toLowerCase().split(/\s+/).filter(Boolean);
    const category = control("category").value;
    const shown = shows[control("show").value];
    const rows = [];
    state.track.queries.forEach(([id, text, categories], row) => {
      const haystack = [id, text, ...categories].join(" ").normalize("NFC").toLowerCase();
      if (category === POOLED ? !state.track.other.pooled[row] : category && !categories.includes(category)) return;
      if (!words.every((word) => haystack.includes(word))) return;
      if (shown(valuesOf(row).map(level), row)) rows.push(row);
    });
    return rows;
  };

  // A question without a value comes last in either direction; ties keep their order.
  const sorted = (rows) => {
    if (state.column === null) return rows;
    const sign = state.descending ? -1 : 1;
    return [...rows].sort((a, b) => {
      const left = level(valuesOf(a)[state.column]);
      const right = level(valuesOf(b)[state.column]);
      if (left === null || right === null) return (left === null) - (right === null);
      return sign * (left - right);
    });
  };

  const sortBy = (column) => {
    state.descending = state.column === column ? !state.descending : column !== null;
    state.column = column;
    draw();
    table.tHead.querySelectorAll("button")[column === null ? 0 : column + 1].focus();
  };

  const heading = (label, column) => {
    const cell = element("th", undefined, column === null ? "" : "figure");
    cell.scope = "col";
    if (state.column === column && column !== null) {
      cell.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
    }
    const button = element("button");
    button.type = "button";
    button.append(element("bdi", label));
    button.addEventListener("click", () => sortBy(column));
    cell.append(button);
    return cell;
  };

  const figure = (row) => (place, arm) => {
    if (place === NOT_RUN) return element("td", "not run", "figure unknown");
    if (place === null) return element("td", "n/a", "figure unknown");
    const value = state.track.levels[place];
    const kind = value <= 0 ? "miss" : value >= 1 ? "hit" : "part";
    const made = element("td", state.track.labels[place], `figure ${kind}`);
    const sign = against(row, arm);
    if (sign) {
      const there = state.track.labels[state.track.other.values[metric()][row][arm]];
      made.append(element("span", `${sign > 0 ? "▲" : "▼"} there ${there}`, sign > 0 ? "moved up" : "moved"));
    }
    return made;
  };

  const marked = (place, needed, named) => {
    const [id, text] = state.track.evidence.items[place];
    const made = element("li", undefined, needed.includes(place) ? "hit" : "");
    made.append(element("bdi", text || id));
    if (text) made.append(element("bdi", id, "id"));
    if (named && needed.includes(place)) made.append(element("span", "needed", "mark"));
    return made;
  };

  // What the question needs, and what each arm found for it.
  const evidence = (row) => {
    const [needed, found] = state.track.evidence.rows[row];
    const made = element("tr", undefined, "evidence");
    const cell = element("td");
    cell.colSpan = state.track.arms.length + 1;
    const part = (title, places, ordered, nothing) => {
      const box = element("div");
      const list = element(ordered ? "ol" : "ul");
      list.append(...places.map((place) => marked(place, needed, ordered)));
      box.append(element("h4", title), places.length ? list : element("p", nothing, "none"));
      return box;
    };
    const grid = element("div", undefined, "side");
    grid.append(part("Needed", needed, false, "No evidence is known."));
    state.track.arms.forEach((arm, place) => {
      if (found[place] !== null) grid.append(part(arm, found[place], true, "Nothing found."));
    });
    cell.append(grid);
    made.append(cell);
    return made;
  };

  const line = (row) => {
    const [id, text, categories] = state.track.queries[row];
    const made = element("tr");
    const head = element("th");
    head.scope = "row";
    head.append(element("bdi", text), element("bdi", [id, ...categories].join(" · "), "id"));
    if (row < state.track.evidence.rows.length) {
      const more = element("button", "evidence", "open");
      more.type = "button";
      more.setAttribute("aria-expanded", "false");
      more.addEventListener("click", () => {
        const open = more.getAttribute("aria-expanded") === "true";
        more.setAttribute("aria-expanded", String(!open));
        if (open) made.nextElementSibling.remove();
        else made.after(evidence(row));
      });
      head.append(more);
    }
    made.append(head, ...valuesOf(row).map(figure(row)));
    return made;
  };

  const draw = () => {
    const rows = sorted(matching());
    const headings = element("tr");
    headings.append(heading("question", null), ...state.track.arms.map(heading));
    table.tHead.replaceChildren(headings);
    table.tBodies[0].replaceChildren(...rows.slice(0, state.limit).map(line));
    const left = rows.length - state.limit;
    control("more").hidden = left <= 0;
    control("more").textContent = `Show ${Math.min(PAGE, left)} more`;
    const printed = left > 0 ? `, the first ${state.limit} shown` : "";
    control("status").textContent =
      `${rows.length} of ${state.track.queries.length} questions${printed}`;
  };

  const redraw = () => {
    state.limit = PAGE;
    draw();
  };

  const choose = (index) => {
    state.track = tracks[index];
    state.column = null;
    const names = new Set(state.track.queries.flatMap(([, , categories]) => categories));
    options(control("metric"), state.track.metrics.map((name, i) => [i, name]), state.track.chosen);
    if (control("arm")) {
      options(control("arm"), [["", "any arm"], ...state.track.arms.map((arm, i) => [i, arm])], "");
    }
    const apart = state.track.other?.pooled.includes(false) ? [[POOLED, "all that are pooled"]] : [];
    options(control("category"), [["", "all"], ...apart, ...[...names].sort().map((name) => [name, name])], "");
    redraw();
  };

  options(control("track"), tracks.map((track, i) => [i, track.track]), 0);
  control("track").addEventListener("change", (event) => choose(Number(event.target.value)));
  control("text").addEventListener("input", redraw);
  for (const name of ["metric", "category", "show", "arm"]) control(name)?.addEventListener("change", redraw);
  control("more").addEventListener("click", () => {
    state.limit += PAGE;
    draw();
  });
  choose(0);

  // A count of the comparison shows the questions that it counts.
  const place = (names, name) => String(names.indexOf(name));
  for (const button of document.querySelectorAll("button.explore")) {
    const { track, metric: column, arm, show } = button.dataset;
    button.addEventListener("click", () => {
      const index = tracks.findIndex((one) => one.track === track);
      control("track").value = String(index);
      choose(index);
      control("text").value = "";
      if (state.track.other.pooled.includes(false)) control("category").value = POOLED;
      control("metric").value = place(state.track.metrics, column);
      control("arm").value = place(state.track.arms, arm);
      control("show").value = show;
      redraw();
      document.getElementById("questions").scrollIntoView();
      table.tHead.querySelector("button").focus({ preventScroll: true });
    });
  }
})();
