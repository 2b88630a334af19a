"use strict";
// Plays the films of a report: a network from time to time, or the way of one event.
(() => {
  const root = document.getElementById("player");
  const films = JSON.parse(document.getElementById("films").textContent);
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const canvas = part("canvas"), pen = canvas.getContext("2d");
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const LEVELS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const TAU = 2 * Math.PI;
  let film, story, frame = 0, timer = null, near = -1, paint = {};

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const readPaint = () => {
    for (const name of ["ink", "soft", "line", "card", "accent", "second", "fifth"]) paint[name] = colour(name);
    paint.isDark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const warmth = (share) => (share < 0.5 ? 10 + 70 * share : 45 + 254 * (share - 0.5)); // red, amber, teal
  const battery = (share) => `hsl(${warmth(share)} 68% ${paint.isDark ? 58 : 40}%)`;
  const topic = (name) => name === "everything" ? paint.ink : films.colours[name] || paint.soft;
  const pairs = (flat) => Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
  const count = (number) => number.toLocaleString("en");

  // The network over rounds: links and places are told where they change.
  const overRounds = (one) => {
    const links = new Map(), frames = [];
    let places = [];
    for (const now of one.stills) {
      pairs(now.unlinked).forEach((pair) => links.delete(pair.join()));
      pairs(now.linked).forEach((pair) => links.set(pair.join(), pair));
      if (now.positions.length) places = pairs(now.positions).map(([x, y]) => [x / 10, y / 10]);
      frames.push({ now, places, links: [...links.values()], clusters: pairs(now.clusters) });
    }
    return { kind: "rounds", frames };
  };
  // An event's way: what was sent before, and what is sent now.
  const ofEvent = (one, way) => {
    const network = overRounds(one).frames;
    const at = network.filter((frame) => frame.now.round < way.round).pop() || network[0];
    const slots = [...new Set(way.hops.map((hop) => hop.slot))];
    const frames = [{ ...at, before: [], current: [] }];
    for (const slot of slots) frames.push({ ...at,
      before: way.hops.filter((hop) => hop.slot < slot), current: way.hops.filter((hop) => hop.slot === slot) });
    return { kind: "way", way, due: new Set(way.due), frames };
  };

  const size = () => {
    const scale = window.devicePixelRatio || 1, width = canvas.clientWidth;
    canvas.width = canvas.height = Math.round(width * scale);
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    return width;
  };
  const placed = (places, width) => {
    const edge = 14, room = width - 2 * edge;
    return places.map(([x, y]) => [edge + room * x / film.side_m, edge + room * (1 - y / film.side_m)]);
  };
  const shape = (at, role, radius, fill, on = pen) => {
    const [x, y] = at;
    on.beginPath();
    if (role === "publisher") {
      on.moveTo(x, y - 1.25 * radius); on.lineTo(x + 1.15 * radius, y + .85 * radius);
      on.lineTo(x - 1.15 * radius, y + .85 * radius); on.closePath();
    } else if (role === "subscriber") on.rect(x - radius * .9, y - radius * .9, 1.8 * radius, 1.8 * radius);
    else on.arc(x, y, radius * .72, 0, TAU);
    on.fillStyle = fill; on.fill();
  };
  const ring = (at, radius, stroke, width = 1.5, on = pen) => {
    on.beginPath(); on.arc(at[0], at[1], radius, 0, TAU);
    on.strokeStyle = stroke; on.lineWidth = width; on.stroke();
  };
  const cross = (at, radius, stroke, on = pen) => {
    const [x, y] = at;
    on.beginPath(); on.moveTo(x - radius, y - radius); on.lineTo(x + radius, y + radius);
    on.moveTo(x + radius, y - radius); on.lineTo(x - radius, y + radius);
    on.strokeStyle = stroke; on.lineWidth = 1.3; on.stroke();
  };
  const lines = (at, some, stroke, width, alpha = 1) => {
    pen.globalAlpha = alpha; pen.strokeStyle = stroke; pen.lineWidth = width;
    pen.beginPath();
    for (const [one, other] of some) { pen.moveTo(...at[one]); pen.lineTo(...at[other]); }
    pen.stroke(); pen.globalAlpha = 1;
  };
  const arrow = (from, to, stroke, isLost, radius) => {
    const angle = Math.atan2(to[1] - from[1], to[0] - from[0]), head = Math.min(7, 1.6 * radius);
    const tip = [to[0] - radius * Math.cos(angle), to[1] - radius * Math.sin(angle)];
    pen.strokeStyle = pen.fillStyle = stroke; pen.lineWidth = Math.min(1.8, .5 * radius);
    pen.setLineDash(isLost ? [4, 4] : []);
    pen.beginPath(); pen.moveTo(...from); pen.lineTo(...tip); pen.stroke(); pen.setLineDash([]);
    pen.beginPath(); pen.moveTo(...tip);
    for (const turn of [2.6, -2.6]) pen.lineTo(tip[0] + head * Math.cos(angle + turn), tip[1] + head * Math.sin(angle + turn));
    pen.closePath(); pen.fill();
  };
  const radiusFor = (width) => Math.max(2, Math.min(7, width / Math.sqrt(film.roles.length) / 6));

  const role = (node, now) => film.roles[node] === "relay" && now.publishers.includes(node) ? "publisher" : film.roles[node];
  const drawRounds = (one, at, radius) => {
    const byTopic = part("colours").value === "topic";
    lines(at, one.clusters, paint.accent, 1, .28);
    for (const node of film.roles.keys()) {
      const level = LEVELS.indexOf(one.now.levels[node]);
      if (level < 0) cross(at[node], radius * .7, paint.soft);
      else shape(at[node], role(node, one.now), radius, byTopic
        ? (film.topics[node] ? topic(film.topics[node]) : paint.soft) : battery(level / (LEVELS.length - 1)));
    }
    for (const node of one.now.heads) ring(at[node], radius * 1.9, paint.ink, 1.6);
  };
  const drawWay = (one, at, radius) => {
    const { way, due } = story, has = received(one);
    lines(at, one.before.flatMap((hop) => hop.receivers.map((node) => [hop.sender, node])), paint.accent, 1.2, .45);
    for (const node of film.roles.keys()) {
      const isDead = one.now.levels[node] === "-";
      if (isDead) { cross(at[node], radius * .5, paint.line); continue; }
      const fill = has.has(node) ? (due.has(node) ? paint.accent : paint.second) : paint.soft;
      pen.globalAlpha = has.has(node) || due.has(node) || node === way.publisher ? 1 : .4;
      shape(at[node], role(node, one.now), radius, node === way.publisher ? paint.ink : fill);
      pen.globalAlpha = 1;
      if (due.has(node)) ring(at[node], radius * 1.8, paint.accent);
    }
    ring(at[way.publisher], radius * 2.2, paint.ink, 2);
    for (const hop of one.current) for (const node of hop.receivers)
      arrow(at[hop.sender], at[node], hop.lost.includes(node) ? paint.second : paint.accent, hop.lost.includes(node), radius);
  };
  const received = (one) => new Set([...one.before, ...one.current].flatMap(
    (hop) => hop.receivers.filter((node) => !hop.lost.includes(node))).filter((node) => node !== story.way.publisher));

  const draw = () => {
    const width = size(), one = story.frames[frame], at = placed(one.places, width), radius = radiusFor(width);
    pen.clearRect(0, 0, width, width);
    lines(at, one.links, paint.line, 1, story.kind === "way" ? .7 : 1);
    (story.kind === "way" ? drawWay : drawRounds)(one, at, radius);
    if (near >= 0) ring(at[near], radius * 2.6, paint.fifth, 2);
    part("said").textContent = said(one);
    part("node").textContent = near < 0 ? "" : saidOf(near, one);
    part("slider").setAttribute("aria-valuetext", part("said").textContent);
  };
  const said = (one) => {
    if (story.kind === "rounds") {
      const heads = one.now.heads.length ? `; ${count(one.now.heads.length)} cluster heads` : "";
      return `After round ${count(one.now.round)}: ${count(one.now.alive)} of ${count(film.roles.length)} alive, `
        + `${count(one.now.publishers.length)} publish${heads}.`;
    }
    const has = received(one), wanted = [...has].filter((node) => story.due.has(node)).length;
    const alive = story.way.due.filter((node) => one.now.levels[node] !== "-").length;
    const sent = one.before.length + one.current.length, others = has.size - wanted;
    return `Step ${frame} of ${story.frames.length - 1}: ${count(wanted)} of ${count(alive)} who want it have it, `
      + `and so ${others === 1 ? "has 1 other" : `have ${count(others)} others`}, after ${sent === 1 ? "1 transmission" : `${count(sent)} transmissions`}.`;
  };
  const saidOf = (node, one) => {
    const level = LEVELS.indexOf(one.now.levels[node]);
    const left = level < 0 ? "dead" : `battery at ${Math.round(100 * level / (LEVELS.length - 1))} %`;
    return `Node ${node}: ${film.says[node]}; ${left}.`;
  };

  const legend = () => {
    const entries = [["publisher", (at, on) => shape(at, "publisher", 5, paint.soft, on)],
      ["subscriber", (at, on) => shape(at, "subscriber", 5, paint.soft, on)],
      ["relay", (at, on) => shape(at, "relay", 5, paint.soft, on)]];
    if (story.kind === "rounds") {
      entries.push(["dead", (at, on) => cross(at, 4, paint.soft, on)]);
      if (story.frames.some((one) => one.now.heads.length)) entries.push(["cluster head", (at, on) => ring(at, 6, paint.ink, 1.6, on)]);
      if (part("colours").value === "topic") for (const name of [...new Set(film.topics)].filter(Boolean).sort())
        entries.push([name, (at, on) => shape(at, "relay", 8, topic(name), on)]);
      else for (const share of [1, .5, 0])
        entries.push([share ? (share === 1 ? "full" : "half") : "empty", (at, on) => shape(at, "relay", 8, battery(share), on)]);
    } else entries.push(["wants it", (at, on) => ring(at, 6, paint.accent, 1.5, on)],
      ["has it and wants it", (at, on) => shape(at, "relay", 8, paint.accent, on)],
      ["has it and does not", (at, on) => shape(at, "relay", 8, paint.second, on)],
      ["has it from there", (at, on) => ring(at, 7, paint.ink, 2, on)]);
    part("legend").replaceChildren(...entries.map(([name, made]) => {
      const item = document.createElement("li"), sign = document.createElement("canvas");
      const scale = window.devicePixelRatio || 1;
      sign.width = sign.height = 16 * scale; sign.setAttribute("aria-hidden", "true");
      const on = sign.getContext("2d"); on.scale(scale, scale); made([8, 8], on);
      item.append(sign, name === "has it from there" ? "its publisher" : name);
      return item;
    }));
  };

  const stop = () => { clearInterval(timer); timer = null; part("play").textContent = "Play"; };
  const show = (number) => {
    frame = Math.max(0, Math.min(story.frames.length - 1, number));
    part("slider").value = frame; draw();
  };
  const play = () => {
    if (timer) return stop();
    if (frame === story.frames.length - 1) show(0);
    part("play").textContent = "Pause";
    const pace = Math.max(60, Math.min(600, 9000 / story.frames.length));
    timer = setInterval(() => { if (frame === story.frames.length - 1) stop(); else show(frame + 1); }, still ? 1000 : pace);
  };
  const follow = () => {
    stop();
    const chosen = Number(part("story").value);
    story = chosen < 0 ? overRounds(film) : ofEvent(film, film.ways[chosen]);
    part("slider").max = story.frames.length - 1;
    part("colours").disabled = story.kind === "way";
    legend(); show(0);
  };
  const choose = () => {
    const kept = part("story").value;
    film = films.films[Number(part("routing").value)];
    near = -1;
    const options = [["-1", "the network over rounds"], ...film.ways.map((way, place) =>
      [String(place), `an event of round ${count(way.round)}: ${way.event} (${count(way.due.length)} want it)`])];
    part("story").replaceChildren(...options.map(([value, text]) => new Option(text, value)));
    part("story").value = kept && film.ways[Number(kept)] ? kept : "-1";
    follow();
  };
  const pointed = (event) => {
    const box = canvas.getBoundingClientRect(), at = placed(story.frames[frame].places, box.width);
    const x = event.clientX - box.left, y = event.clientY - box.top;
    let best = -1, least = 18 * 18;
    at.forEach(([a, b], node) => { const far = (a - x) ** 2 + (b - y) ** 2; if (far < least) { least = far; best = node; } });
    if (best !== near) { near = best; draw(); }
  };

  part("routing").replaceChildren(...films.films.map((one, place) => new Option(one.routing, place)));
  part("routing").value = films.first;
  part("routing").onchange = choose;
  part("story").onchange = follow;
  part("colours").onchange = () => { legend(); draw(); };
  part("slider").oninput = (event) => { stop(); show(Number(event.target.value)); };
  part("play").onclick = play;
  part("back").onclick = () => { stop(); show(frame - 1); };
  part("on").onclick = () => { stop(); show(frame + 1); };
  canvas.onpointermove = canvas.onpointerdown = pointed;
  canvas.onpointerleave = () => { near = -1; draw(); };
  const again = () => { readPaint(); legend(); draw(); };
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  readPaint(); choose();
  new ResizeObserver(draw).observe(canvas);
  root.hidden = false;
})();
