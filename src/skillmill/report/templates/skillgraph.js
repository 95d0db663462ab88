"use strict";
// Draws the skill graph on a canvas. Places come from the build; text only enters the
// page as textContent or as pixels.
(() => {
  const source = document.getElementById("graph-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const part = (name) => document.getElementById(`graph-${name}`);
  const canvas = part("plane");
  const pen = canvas.getContext("2d");
  const [ID, NAME, GROUP, X, Y, DEGREE] = [0, 1, 2, 3, 4, 5];
  const HOPS = 3;
  const LABELS = 60;
  const view = { scale: 1, x: 0, y: 0, width: 0, height: 0 };
  const state = { picked: null, task: null, arm: 0, marks: new Map(), asked: false };
  const on = { layers: data.layers.map(() => true), provenances: data.provenances.map(() => true) };
  const touching = data.nodes.map(() => []);
  data.edges.forEach((edge, place) => {
    touching[edge[2]].push(place);
    touching[edge[3]].push(place);
  });
  const byDegree = data.nodes.map((_, place) => place);
  byDegree.sort((a, b) => data.nodes[b][DEGREE] - data.nodes[a][DEGREE] || a - b);

  const element = (tag, text, className) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const hue = (layer) => {
    const near = data.layers[layer] === "similar_to";
    const turn = Math.round((360 * layer) / Math.max(data.layers.length, 1));
    return near ? style("--soft") : `hsl(${turn} 65% ${style("--edge-light")})`;
  };
  const shown = (edge) => on.layers[edge[0]] && on.provenances[edge[1]];
  const across = (place) => [
    (data.nodes[place][X] - view.x) * view.scale + view.width / 2,
    (data.nodes[place][Y] - view.y) * view.scale + view.height / 2,
  ];
  const inside = (x, y, margin) =>
    x > -margin && y > -margin && x < view.width + margin && y < view.height + margin;

  // Distance in hops from what an arm found to what the task needs, over shown edges.
  const marks = () => {
    const made = new Map();
    if (state.task === null) return made;
    const [, , relevant, found] = data.tasks[state.task];
    const hops = new Map((found[state.arm] || []).map((place) => [place, 0]));
    let edge = [...hops.keys()];
    for (let hop = 1; hop <= HOPS; hop += 1) {
      const next = [];
      for (const place of edge) {
        for (const number of touching[place]) {
          const line = data.edges[number];
          const other = line[2] === place ? line[3] : line[2];
          if (!shown(line) || hops.has(other)) continue;
          hops.set(other, hop);
          next.push(other);
        }
      }
      edge = next;
    }
    for (const place of found[state.arm] || []) made.set(place, "found, not needed");
    for (const place of relevant) {
      const hop = hops.get(place);
      if (hop === 0) made.set(place, "needed and found");
      else if (hop) made.set(place, `needed, missed, ${hop} ${hop === 1 ? "hop" : "hops"} away`);
      else made.set(place, `needed, missed, not within ${HOPS} hops`);
    }
    return made;
  };
  const markColour = (mark) => {
    if (mark === "needed and found") return style("--good");
    if (mark === "found, not needed") return style("--accent");
    return mark.includes("away") ? style("--warn") : style("--bad");
  };

  const drawEdges = () => {
    const lines = data.layers.map(() => []);
    const edges = state.picked === null ? data.edges : touching[state.picked].map((n) => data.edges[n]);
    for (const edge of edges) if (shown(edge)) lines[edge[0]].push(edge);
    const count = lines.reduce((sum, some) => sum + some.length, 0);
    pen.globalAlpha = state.picked !== null ? 0.9 : Math.max(0.06, Math.min(0.6, 400 / count));
    lines.forEach((some, layer) => {
      pen.strokeStyle = hue(layer);
      pen.lineWidth = state.picked === null ? 1 : 1.5;
      pen.beginPath();
      for (const [, , from, to] of some) {
        const [x, y] = across(from);
        const [u, v] = across(to);
        if (Math.max(x, u) < 0 || Math.min(x, u) > view.width) continue;
        if (Math.max(y, v) < 0 || Math.min(y, v) > view.height) continue;
        pen.moveTo(x, y);
        pen.lineTo(u, v);
        if (state.picked !== null && data.layers[layer] !== "similar_to") arrow(x, y, u, v);
      }
      pen.stroke();
    });
    pen.globalAlpha = 1;
  };
  const arrow = (x, y, u, v) => {
    const angle = Math.atan2(v - y, u - x);
    for (const side of [2.7, -2.7]) {
      pen.moveTo(u - 6 * Math.cos(angle), v - 6 * Math.sin(angle));
      pen.lineTo(u - 6 * Math.cos(angle) + 7 * Math.cos(angle + side),
        v - 6 * Math.sin(angle) + 7 * Math.sin(angle + side));
    }
  };
  const drawNodes = () => {
    const size = Math.max(1, Math.min(6, 2.2 * view.scale));
    pen.fillStyle = style("--ink");
    pen.globalAlpha = state.picked === null && state.task === null ? 0.85 : 0.35;
    pen.beginPath();
    for (let place = 0; place < data.nodes.length; place += 1) {
      const [x, y] = across(place);
      if (!inside(x, y, size)) continue;
      if (size < 2) pen.rect(x, y, size, size);
      else {
        pen.moveTo(x + size, y);
        pen.arc(x, y, size, 0, 7);
      }
    }
    pen.fill();
    pen.globalAlpha = 1;
  };
  const spot = (place, colour) => {
    const [x, y] = across(place);
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(x, y, Math.max(5, 2.6 * view.scale), 0, 7);
    pen.fill();
  };
  const label = (text, x, y, colour, taken) => {
    const width = pen.measureText(text).width;
    const box = [x - width / 2, y - 7, x + width / 2, y + 7];
    if (taken.some((b) => box[0] < b[2] && box[2] > b[0] && box[1] < b[3] && box[3] > b[1])) return;
    taken.push(box);
    pen.lineWidth = 3;
    pen.strokeStyle = style("--paper");
    pen.fillStyle = colour;
    pen.strokeText(text, x, y);
    pen.fillText(text, x, y);
  };
  // Departments from afar, skills from near: as many labels as fit.
  const drawLabels = () => {
    const taken = [];
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    const first = [...state.marks.keys()];
    if (state.picked !== null) first.unshift(state.picked, ...neighbours(state.picked).map(([, , place]) => place));
    for (const place of first.slice(0, LABELS)) {
      const [x, y] = across(place);
      if (inside(x, y, 0)) label(data.nodes[place][NAME], x, y - 13, style("--ink"), taken);
    }
    for (const [name, x, y, radius] of data.groups) {
      const [u, v] = [(x - view.x) * view.scale + view.width / 2, (y - radius - view.y) * view.scale + view.height / 2];
      if (name && radius * view.scale > 12 && inside(u, v, 0)) label(name, u, v - 2, style("--soft"), taken);
    }
    if (view.scale < 1.6) return;
    let left = LABELS;
    for (const place of byDegree) {
      const [x, y] = across(place);
      if (!inside(x, y, 0)) continue;
      label(data.nodes[place][NAME], x, y - 13, style("--ink"), taken);
      left -= 1;
      if (left === 0) return;
    }
  };
  const draw = () => {
    state.asked = false;
    const ratio = window.devicePixelRatio || 1;
    const box = canvas.getBoundingClientRect();
    view.width = box.width;
    view.height = box.height;
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawEdges();
    drawNodes();
    for (const [place, mark] of state.marks) spot(place, markColour(mark));
    if (state.picked !== null) spot(state.picked, style("--accent"));
    drawLabels();
  };
  const ask = () => {
    if (!state.asked) requestAnimationFrame(draw);
    state.asked = true;
  };

  const neighbours = (place) =>
    touching[place]
      .map((number) => data.edges[number])
      .filter(shown)
      .map(([layer, provenance, from, to]) => [layer, provenance, from === place ? to : from, from === place]);

  const button = (place, text) => {
    const made = element("button");
    made.type = "button";
    made.append(element("bdi", text === undefined ? data.nodes[place][NAME] : text));
    made.addEventListener("click", () => pick(place, true));
    return made;
  };
  const list = (title, items) => {
    const made = element("div");
    const rows = element("ul");
    rows.append(...items.map((item) => {
      const row = element("li");
      row.append(...item);
      return row;
    }));
    made.append(element("h3", title), rows);
    return made;
  };
  const aside = () => {
    const parts = [];
    if (state.picked !== null) {
      const node = data.nodes[state.picked];
      const heading = element("p");
      heading.append(element("b", node[NAME]), element("bdi", ` ${node[ID]} · ${data.groups[node[GROUP]][0] || "no department"}`, "soft"));
      parts.push(heading);
      data.layers.forEach((name, layer) => {
        for (const outward of name === "similar_to" ? [null] : [true, false]) {
          const here = neighbours(state.picked).filter((n) => n[0] === layer && (outward === null || n[3] === outward));
          if (here.length === 0) continue;
          const title = outward === null ? name : outward ? `${name} →` : `← ${name}`;
          parts.push(list(title, here.map(([, provenance, place]) =>
            [button(place), element("span", ` ${data.provenances[provenance]}`, "soft")])));
        }
      });
    }
    if (state.task !== null) {
      parts.push(list("Skills of the task", [...state.marks].map(([place, mark]) =>
        [button(place), element("span", ` ${mark}`, "soft")])));
    }
    part("side").replaceChildren(...parts);
    const seen = data.edges.filter(shown).length;
    const of = state.picked === null ? "" : `; ${neighbours(state.picked).length} at ${data.nodes[state.picked][NAME]}`;
    part("status").textContent = `${data.nodes.length} skills, ${seen} of ${data.edges.length} edges shown${of}`;
  };
  const refresh = () => {
    state.marks = marks();
    aside();
    ask();
  };
  const pick = (place, centre) => {
    state.picked = place;
    if (place !== null && centre) {
      [view.x, view.y] = [data.nodes[place][X], data.nodes[place][Y]];
      view.scale = Math.max(view.scale, 2);
    }
    refresh();
  };

  const bounds = () => {
    const reach = data.groups.map(([, x, y, r]) => [x - r, y - r, x + r, y + r]);
    const edge = (place, choose) => reach.reduce((best, box) => choose(best, box[place]), reach[0][place]);
    return [edge(0, Math.min), edge(1, Math.min), edge(2, Math.max), edge(3, Math.max)];
  };
  const seeAll = () => {
    const [left, top, right, bottom] = bounds();
    const box = canvas.getBoundingClientRect();
    view.x = (left + right) / 2;
    view.y = (top + bottom) / 2;
    view.scale = Math.min(box.width / (right - left), (box.height - 40) / (bottom - top), 8);
    ask();
  };
  const zoom = (factor, x = view.width / 2, y = view.height / 2) => {
    const scale = Math.min(40, Math.max(0.02, view.scale * factor));
    view.x += (x - view.width / 2) * (1 / view.scale - 1 / scale);
    view.y += (y - view.height / 2) * (1 / view.scale - 1 / scale);
    view.scale = scale;
    ask();
  };
  const move = (x, y) => {
    view.x -= x / view.scale;
    view.y -= y / view.scale;
    ask();
  };
  const nearest = (x, y) => {
    let [best, least] = [null, 12];
    data.nodes.forEach((_, place) => {
      const [u, v] = across(place);
      const gap = Math.hypot(u - x, v - y);
      if (gap < least) [best, least] = [place, gap];
    });
    return best;
  };

  const fingers = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = [event.offsetX, event.offsetY];
    const other = [...fingers].find(([id]) => id !== event.pointerId);
    if (other) {
      const [, [x, y]] = other;
      const wide = (at) => Math.max(1, Math.hypot(at[0] - x, at[1] - y));
      zoom(wide(now) / wide(before), (now[0] + x) / 2, (now[1] + y) / 2);
    } else move(now[0] - before[0], now[1] - before[1]);
    moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
    fingers.set(event.pointerId, now);
  });
  canvas.addEventListener("pointerup", (event) => {
    fingers.delete(event.pointerId);
    if (moved < 4) pick(nearest(event.offsetX, event.offsetY), false);
  });
  canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
  }, { passive: false });
  const keys = {
    ArrowLeft: () => move(60, 0), ArrowRight: () => move(-60, 0),
    ArrowUp: () => move(0, 60), ArrowDown: () => move(0, -60),
    "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4),
    0: seeAll, Escape: () => pick(null, false),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  part("in").addEventListener("click", () => zoom(1.4));
  part("out").addEventListener("click", () => zoom(1 / 1.4));
  part("all").addEventListener("click", seeAll);
  part("find").addEventListener("input", (event) => {
    const wanted = event.target.value.normalize("NFC").toLowerCase().trim();
    if (!wanted) return refresh();
    const found = byDegree.filter((place) =>
      `${data.nodes[place][NAME]} ${data.nodes[place][ID]}`.toLowerCase().includes(wanted));
    part("side").replaceChildren(list(`${found.length} found`, found.slice(0, 12).map((place) =>
      [button(place), element("bdi", ` ${data.nodes[place][ID]}`, "soft")])));
  });

  const boxes = (name) => {
    data[name].forEach((text, place) => {
      const made = element("label");
      const box = element("input");
      box.type = "checkbox";
      box.checked = true;
      box.addEventListener("change", () => {
        on[name][place] = box.checked;
        refresh();
      });
      made.append(box, element("span", ` ${text}`));
      if (name === "layers") made.style.setProperty("--dot", hue(place));
      part(name).append(made);
    });
  };
  boxes("layers");
  boxes("provenances");
  const option = (value, text) => {
    const made = element("option", text);
    made.value = value;
    return made;
  };
  part("task").append(option("", "none"), ...data.tasks.map((task, place) => option(place, `${task[0]}: ${task[1].slice(0, 60)}`)));
  part("arm").append(...data.arms.map((arm, place) => option(place, arm)));
  // What `search` runs, where it was run.
  state.arm = Math.max(0, data.arms.indexOf("hybrid"));
  part("arm").value = String(state.arm);
  part("task").addEventListener("change", (event) => {
    state.task = event.target.value === "" ? null : Number(event.target.value);
    state.picked = null;
    refresh();
  });
  part("arm").addEventListener("change", (event) => {
    state.arm = Number(event.target.value);
    refresh();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ask);
  new ResizeObserver(ask).observe(canvas);
  seeAll();
  refresh();
})();
