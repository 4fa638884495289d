/* The scores of answers along a passage, drawn from `props.value`, which views/answer_scores.py makes. All of it is
   there at once: moving the threshold or choosing a question asks nobody. Spans count code points.
   Needs lights.js and bars.js. */
const root = element.querySelector('.lab-scores');
const part = (name) => root.querySelector(`.lab-scores-${name}`);
const slider = root.querySelector('input[type=range]');
const [CHART, LANE, GAP] = [1000, 84, 8]; // the chart's width, the height of a lane, and what is between the two
let data = null;
let chosenQuestion = 0;
let letters = []; // of the passage
let stretches = []; // what the passage is drawn in: {from, to, node}
let pointedAt = -1; // a piece

const unpacked = (base64, Kind) => new Kind(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);
const raw = (logit) => logit.toFixed(2).replace('-', '−');
const svg = (tag, attributes) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};
const asked = () => data.questions[chosenQuestion];
const threshold = () => Number(slider.value);
const isAnswered = (question) => question.ahead !== null && question.ahead <= threshold();
const begin = (piece) => data.pieces[2 * piece];
const stop = (piece) => data.pieces[2 * piece + 1];
const count = () => data.pieces.length / 2;

/* The threshold: a line of numbers with a dot for each question. */
const along = (ahead) => 100 * (ahead - Number(slider.min)) / (Number(slider.max) - Number(slider.min));
const setRange = () => {
  const all = data.questions.map((one) => one.ahead).filter((ahead) => ahead !== null);
  slider.min = Math.floor(Math.min(-10, ...all) - 1);
  slider.max = Math.ceil(Math.max(10, ...all) + 1);
  slider.value = 0;
};
const dot = (one, number) => {
  const made = make('button', 'lab-scores-dot', data.questions.length > 1 ? number + 1 : '');
  made.type = 'button';
  made.dataset.question = number;
  made.style.left = `${along(one.ahead)}%`;
  made.title = `${one.question} “No answer” is ahead by ${raw(one.ahead)}`;
  made.setAttribute('aria-label', made.title);
  return made;
};
const drawLine = () => {
  const dots = data.questions.map((one, i) => (one.ahead === null ? '' : dot(one, i)));
  const zero = make('span', 'lab-scores-zero');
  zero.style.left = `${along(0)}%`;
  part('line').replaceChildren(
    make('span', 'lab-scores-side', '← the best span is ahead'), make('span', 'lab-scores-side', '“no answer” is ahead →'),
    zero, make('span', 'lab-scores-threshold'), ...dots,
  );
};
const decide = () => {
  const answered = data.questions.filter(isAnswered).length;
  root.querySelector('output').textContent = raw(threshold());
  part('threshold').style.left = `${along(threshold())}%`;
  for (const made of root.querySelectorAll('.lab-scores-dot')) {
    const number = Number(made.dataset.question);
    made.classList.toggle('lab-scores-none', !isAnswered(data.questions[number]));
    made.classList.toggle('lab-scores-chosen', number === chosenQuestion);
  }
  for (const made of part('asked').querySelectorAll('button')) {
    const one = data.questions[Number(made.dataset.question)];
    made.setAttribute('aria-pressed', Number(made.dataset.question) === chosenQuestion);
    made.querySelector('bdi').textContent = isAnswered(one) ? one.answers[0].text : 'no answer';
    made.classList.toggle('lab-scores-none', !isAnswered(one));
  }
  const one = asked();
  const best = one.answers.length ? `“${one.answers[0].text}”` : 'nothing it can read';
  const many = data.questions.length > 1 ? ` ${answered} of ${data.questions.length} questions are answered.` : '';
  const ahead = one.ahead === null ? '' : ` “No answer” ${raw(one.none.sum)} − best span ${raw(one.answers[0].sum)} = ${raw(one.ahead)}.`;
  part('verdict').textContent = `Answer: ${isAnswered(one) ? best : `none (the best span would be ${best})`}.${ahead}${many}`;
  root.querySelector('.lab-passage').classList.toggle('lab-beaten', !isAnswered(one));
};
const drawQuestions = () => {
  const buttons = data.questions.map((one, i) => {
    const made = make('button', 'lab-scores-question', `${i + 1}. ${one.question} `);
    made.type = 'button';
    made.dataset.question = i;
    made.append(make('bdi', ''));
    return made;
  });
  part('asked').replaceChildren(...(buttons.length > 1 ? buttons : []));
};

/* The chart: the start's scores upwards, the end's downwards, one scale for both. */
const scaled = (one) => {
  const all = [one.none.start, one.none.end];
  let [low, high] = [Math.min(...all), Math.max(...all)];
  for (const track of [one.starts, one.ends]) for (const logit of track) { low = Math.min(low, logit); high = Math.max(high, logit); }
  return (logit) => LANE * (logit - low) / (high - low || 1);
};
const place = (offset) => CHART * offset / (letters.length || 1);
const outline = (track, height, up) => {  // of many pieces in one column of the picture the highest is drawn
  const base = up ? LANE : LANE + GAP;
  const columns = new Map();
  for (let i = 0; i < count(); i += 1) {
    const [left, right] = [Math.round(place(begin(i))), Math.max(Math.round(place(stop(i))), Math.round(place(begin(i))) + 1)];
    for (let x = left; x < right; x += 1) columns.set(x, Math.max(columns.has(x) ? columns.get(x) : -Infinity, height(track[i])));
  }
  return [...columns].map(([x, tall]) => `M${x} ${base}h1v${(up ? -tall : tall).toFixed(1)}h-1z`).join('');
};
const drawChart = () => {
  const one = asked();
  const height = scaled(one);
  const picture = svg('svg', { viewBox: `0 0 ${CHART} ${2 * LANE + GAP}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  const best = one.answers[0];
  if (best) {
    const left = place(best.span[0]);
    picture.append(svg('rect', { class: 'lab-scores-best', x: left, y: 0, width: Math.max(3, place(best.span[1]) - left), height: 2 * LANE + GAP }));
  }
  picture.append(svg('path', { class: 'lab-scores-starts', d: outline(one.starts, height, true) }));
  picture.append(svg('path', { class: 'lab-scores-ends', d: outline(one.ends, height, false) }));
  for (const y of [LANE - height(one.none.start), LANE + GAP + height(one.none.end)]) {
    picture.append(svg('line', { class: 'lab-scores-nowhere', x1: 0, x2: CHART, y1: y, y2: y }));
  }
  picture.append(svg('rect', { class: 'lab-scores-pointer', x: -9, y: 0, width: 2, height: 2 * LANE + GAP }));
  part('chart').replaceChildren(picture);
  part('chart').setAttribute('aria-label', best
    ? `Start and end scores along the passage. The best span is “${best.text}”: start ${raw(best.start)}, end ${raw(best.end)}. Arrow keys go from token to token.`
    : 'Start and end scores along the passage');
};
const drawWindows = () => {
  const { windows, answers } = asked();
  const won = answers.length ? answers[0].window : -1;
  const rows = windows.length > 1 ? windows.map((one, i) => {
    const best = one.best === null ? 'no word' : raw(one.best);
    const made = make('span', i === won ? 'lab-scores-window lab-won' : 'lab-scores-window', windows.length <= 12 ? best : '');
    made.style.left = `${place(one.span[0]) * 100 / CHART}%`;
    made.style.width = `${place(one.span[1] - one.span[0]) * 100 / CHART}%`;
    made.style.top = `${1.5 * (i % 3)}rem`;
    made.title = `Window ${i + 1}: characters ${one.span[0]} to ${one.span[1]}, best raw sum ${best}, no answer ${raw(one.none)}`;
    return made;
  }) : [];
  part('windows').replaceChildren(...rows);
  part('windows').style.height = rows.length ? '4.6rem' : 0;
  part('won').textContent = windows.length > 1 && won >= 0
    ? `${windows.length} windows, each with its best raw sum. Window ${won + 1} won with ${raw(answers[0].sum)}; “no answer” counts where it is lowest, in window ${asked().none.window + 1}.`
    : '';
};

/* The passage: the more a token may be the start or the end, the darker. */
const shares = (track) => {
  const top = track.reduce((high, logit) => Math.max(high, logit), -Infinity);
  return Array.from(track, (logit) => Math.exp(logit - top));
};
const drawPassage = () => {
  const { answers } = asked();
  const [starts, ends] = [shares(asked().starts), shares(asked().ends)];
  const shaded = new Map();
  for (let i = 0; i < count(); i += 1) if (Math.max(starts[i], ends[i]) > 0.02) shaded.set(begin(i), i);
  const cuts = new Set([0, letters.length, ...answers.flatMap((one) => one.span)]);
  shaded.forEach((i) => { cuts.add(begin(i)); cuts.add(stop(i)); });
  const edges = [...cuts].sort((a, b) => a - b);
  const box = root.querySelector('.lab-passage');
  const best = make('mark', 'lab-answer');
  box.replaceChildren();
  stretches = [];
  for (let k = 0; k + 1 < edges.length; k += 1) {
    const [from, to] = [edges[k], edges[k + 1]];
    const span = make('span', '', letters.slice(from, to).join(''));
    const lit = answers.flatMap((one, i) => (one.span[0] <= from && to <= one.span[1] ? [i] : []));
    if (lit.length) span.dataset.litBy = lit.join(' ');
    const piece = shaded.get(from);
    if (piece !== undefined) {
      span.className = 'lab-scores-piece';
      span.style.setProperty('--start', Math.sqrt(starts[piece]).toFixed(3));
      span.style.setProperty('--end', Math.sqrt(ends[piece]).toFixed(3));
    }
    stretches.push({ from, to, node: span });
    if (lit.includes(0)) { best.append(span); if (!best.isConnected) box.append(best); } else box.append(span);
  }
  box.classList.toggle('lab-long', letters.length > 700);
};
const drawSpans = () => {
  const rows = asked().answers.map((one, i) => {
    const row = make('button', 'lab-bar');
    row.type = 'button';
    row.dataset.lights = i;
    row.setAttribute('aria-pressed', 'false');
    bar([one.text, one.score], row);
    const where = asked().windows.length > 1 ? ` · window ${one.window + 1}` : '';
    row.append(make('span', 'lab-bar-remark', `${raw(one.start)} ${one.end < 0 ? '−' : '+'} ${raw(Math.abs(one.end))} = ${raw(one.sum)}${where}`));
    return row;
  });
  const none = bar(['no answer in this passage', asked().none.score], make('div', 'lab-bar lab-no'));
  none.append(make('span', 'lab-bar-remark', `= ${raw(asked().none.sum)}`));
  rows.splice(asked().answers.filter((one) => one.sum >= asked().none.sum).length, 0, none);
  root.querySelector('.lab-bars').replaceChildren(...rows);
};

/* A token that is pointed at in the chart is marked in the passage. */
const rangeOf = (piece) => {
  const range = document.createRange();
  const end = (offset, isStop) => {
    const at = stretches.find((s) => (isStop ? s.from < offset && offset <= s.to : s.from <= offset && offset < s.to));
    return [at.node.firstChild, letters.slice(at.from, offset).join('').length];
  };
  range.setStart(...end(begin(piece), false));
  range.setEnd(...end(stop(piece), true));
  return range;
};
const point = (piece, scroll, isMarked = true) => {
  pointedAt = piece;
  if (window.CSS && CSS.highlights) CSS.highlights.delete('lab-piece');
  if (piece < 0) return;
  const text = letters.slice(begin(piece), stop(piece)).join('');
  part('says').textContent = `“${text}”, character ${begin(piece)}: start ${raw(asked().starts[piece])}, end ${raw(asked().ends[piece])}. “No answer”: start ${raw(asked().none.start)}, end ${raw(asked().none.end)} (the broken lines).`;
  root.querySelector('.lab-scores-pointer').setAttribute('x', (place((begin(piece) + stop(piece)) / 2) - 1).toFixed(1));
  if (!isMarked) return;
  const range = rangeOf(piece);
  if (window.CSS && CSS.highlights) CSS.highlights.set('lab-piece', new Highlight(range));
  if (!scroll) return;
  const box = root.querySelector('.lab-passage');  // the page itself stays where it is
  box.scrollTop += range.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
};
const nearest = (event) => {
  const frame = part('chart').getBoundingClientRect();
  const offset = letters.length * (event.clientX - frame.left) / frame.width;
  let [low, high] = [0, count() - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stop(middle) <= offset) low = middle + 1; else high = middle;
  }
  return count() ? low : -1;
};
const peak = () => asked().starts.reduce((high, logit, i, all) => (logit > all[high] ? i : high), 0);
part('chart').addEventListener('pointermove', (event) => { if (data) point(nearest(event), false); });
part('chart').addEventListener('click', (event) => { if (data) point(nearest(event), true); });
part('chart').addEventListener('keydown', (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!data || !step || !count()) return;
  event.preventDefault();
  point(Math.max(0, Math.min(pointedAt + step, count() - 1)), true);
});

const drawQuestion = () => {
  [drawChart, drawWindows, drawPassage, drawSpans, decide].forEach((draw) => draw());
  point(count() ? peak() : -1, false, false);
};
root.addEventListener('click', (event) => {
  const made = event.target.closest('[data-question]');
  if (!made) return;
  chosenQuestion = Number(made.dataset.question);
  drawQuestion();
  reveal();
});
slider.addEventListener('input', () => { if (data) decide(); });

const update = () => {
  root.hidden = !props.value;
  if (!props.value) { data = null; return; }
  const { pieces, scale, questions } = props.value;
  const track = (packed) => Array.from(unpacked(packed, Int16Array), (whole) => whole / scale);
  data = {
    pieces: unpacked(pieces, Int32Array),
    questions: questions.map((one) => ({ ...one, starts: track(one.start), ends: track(one.end) })),
  };
  letters = Array.from(props.value.passage);
  chosenQuestion = 0;
  setRange();
  drawLine();
  drawQuestions();
  drawQuestion();
};
watch('value', update);
update();
