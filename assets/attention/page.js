/* Attention, 5: what takes the pointer and the keyboard. Python gets [view, layer, head, token] of a
   choice from `root.dataset.chosen`: while one event is pending, Gradio drops the data of the next. */
const part = (name) => root.querySelector(`.lab-attention-${name}`);
const [columns, sheet, says, grid, tools] = ['columns', 'sheet', 'says', 'grid', 'tools'].map(part);
const sides = { from: part('from'), to: part('to') };
const slider = tools.querySelector('input');
const isLines = () => data.value.view === 'head';
const isTiled = () => ['layer', 'model'].includes(data.value.view);
const isShown = () => data.value && root.clientWidth > 0; // else nothing yet, or an unopened tab
const hasMatrix = () => ['head', 'matrix'].includes(data.value.view);

const describe = ({ side, index }) => {
  const { value } = data;
  const strengths = linksOf(current(), side, index);
  const [own, others] = side === 'from' ? [value.rows, value.columns] : [value.columns, value.rows];
  const told = ranked(strengths).filter((i, rank) => rank === 0 || (rank < 4 && strengths[i] >= 0.01));
  const listed = told.map((i) => `“${others[i]}” ${inWords(strengths[i])}`).join(', ');
  const outside = side === 'from' && value.outside ? bytes(value.outside)[(data.matrices.count > 1 ? value.head : 0) * value.rows.length + index] / 255 : 0;
  const rest = outside >= 0.005 ? `; not drawn: ${inWords(outside)}` : '';
  return `“${own[index]}” ${side === 'from' ? 'looks at' : 'is looked at by'} ${listed}${rest}`;
};

/* ---- drawing on the screen ---- */
const drawLines = () => {
  if (!isShown() || !isLines()) return;
  const canvas = columns.querySelector('canvas');
  const width = columns.clientWidth - sides.from.offsetWidth - sides.to.offsetWidth;
  const height = Math.min(columns.clientHeight, Math.max(sides.from.offsetHeight, sides.to.offsetHeight));
  const context = prepared(canvas, width, height);
  const row = parseFloat(columns.style.getPropertyValue('--row'));
  const top = columns.scrollTop;
  context.translate(0, -top);
  drawLinks(canvasPen(context), width, (index) => row * (index + 0.5), { from: top, to: top + height });
};
const drawSheet = () => {
  if (!isShown() || isLines()) return;
  const scene = SCENES[data.value.view];
  const width = sheet.clientWidth;
  const context = prepared(sheet.querySelector('canvas'), width, scene(noPen, width));
  scene(canvasPen(context), width);
  if (isTiled()) placeButtons(sheet, false);
};
const drawHeads = () => {
  if (!isShown() || isTiled()) return;
  const width = grid.clientWidth;
  const context = prepared(grid.querySelector('canvas'), width, sceneTiles(noPen, width, true));
  sceneTiles(canvasPen(context), width, true);
  placeButtons(grid, true);
};
const draw = () => { drawLines(); drawSheet(); drawHeads(); };
let waiting = 0;
const soon = (work) => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(work); };

/* ---- buttons ---- */
const make = (text, css) => {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = css;
  const label = document.createElement('span');
  label.textContent = text;
  button.append(label);
  return button;
};
const buttonsOf = (holder) => [...holder.querySelectorAll('button')];
const fillColumns = () => {
  const { value } = data;
  const size = Math.max(value.rows.length, value.columns.length);
  columns.style.setProperty('--row', `${size <= 24 ? 26 : size <= 64 ? 21 : 17}px`);
  columns.scrollTop = 0;
  [['from', value.rows, value.specialRows], ['to', value.columns, value.specialColumns]].forEach(([side, tokens, special]) => {
    sides[side].replaceChildren(...tokens.map((token, index) => {
      const button = make(token, special.includes(index) ? 'lab-token lab-token-special' : 'lab-token');
      button.dataset.side = side;
      button.dataset.index = index;
      button.tabIndex = index === 0 ? 0 : -1; // one stop of the Tab key; arrows go on from there
      button.append(document.createElement('small'));
      return button;
    }));
  });
};
/* A button over every tile; those in focus keep the focus when the picture is drawn anew. */
const placeButtons = (holder, isSmall) => {
  const { places } = tilePlaces(data.value, holder.clientWidth, isSmall);
  const { value } = data;
  const known = buttonsOf(holder);
  known.slice(places.length).forEach((button) => button.remove());
  places.forEach((place, i) => {
    const button = known[i] || make('', 'lab-head');
    const on = place.layer === value.layer && place.head === value.head;
    if (!known[i]) holder.append(button);
    button.setAttribute('aria-label', value.tileset.layers.length > 1 ? `${nameOf(place)}: ${value.tileset.notes[i]}` : `Head ${place.head + 1}`);
    button.setAttribute('aria-pressed', on);
    button.title = value.tileset.notes[i];
    [button.dataset.layer, button.dataset.head] = [place.layer, place.head];
    if (document.activeElement !== button) button.tabIndex = on || (i === 0 && !places.some((p) => p.layer === value.layer)) ? 0 : -1;
    Object.assign(button.style, { left: `${place.left}px`, top: `${place.top}px`, width: `${place.side}px`, height: `${place.side}px` });
  });
};

/* ---- choosing ---- */
const choose = ({ view = data.value.view, layer = data.value.layer, head = data.value.head, token = data.value.token }) => {
  const isHere = layer === data.value.layer && view === data.value.view;
  if (isHere && data.matrices && data.matrices.count > 1) { // it is loaded: no need to wait
    Object.assign(data.value, { head, title: data.value.titles[head] });
    show(null);
    refresh();
  }
  root.dataset.chosen = JSON.stringify([view, layer, head, token]);
  trigger('select', { index: head, value: head });
};
const chooseTile = (event) => {
  const button = event.target.closest('.lab-head');
  if (!button) return;
  const view = isTiled() ? 'head' : data.value.view;
  choose({ view, layer: Number(button.dataset.layer), head: Number(button.dataset.head) });
};

/* ---- what is under the pointer ---- */
const HINTS = {
  head: 'Each token on the left shares out 100 % of its attention. Point at a token, or move to it by keyboard, to see only its links.',
  matrix: 'Each row shares out 100 %. Point at a cell, or move with the arrow keys, to read its number.',
  layer: 'Every head of this layer. Choose one to see its lines.',
  model: 'Rows are layers, columns are heads. Point at one to see what it does; choose it to see its lines.',
  match: 'The products of a row are summed and scaled: that is its score. The softmax of all scores gives the weights. Choose a row to see its query.',
};
const show = (button) => {
  data.active = button ? { side: button.dataset.side, index: Number(button.dataset.index) } : null;
  const { active } = data;
  const strengths = active ? linksOf(current(), active.side, active.index) : [];
  Object.entries(sides).forEach(([side, column]) => [...column.children].forEach((token, index) => {
    const strength = active && side !== active.side ? strengths[index] : 0;
    token.classList.toggle('lab-token-active', token === button);
    token.style.setProperty('--strength', Math.sqrt(strength / data.value.ceiling).toFixed(3));
    token.querySelector('small').textContent = strength >= 0.01 ? inWords(strength) : '';
  }));
  says.textContent = active ? describe(active) : HINTS[data.value.view];
  soon(drawLines);
};
const showCell = (cell) => {
  data.cell = cell;
  const { value } = data;
  if (!cell) says.textContent = HINTS[value.view];
  else if (value.view === 'matrix') says.textContent = `“${value.rows[cell[0]]}” looks at “${value.columns[cell[1]]}”: ${inWords(weightAt(current(), ...cell))}`;
  else says.textContent = `score ${signed(value.match.scores[cell[0]].at(-1))} of “${value.match.token}” with “${value.match.tokens[cell[0]]}” becomes a weight of ${inWords(value.match.weights[cell[0]])}`;
  soon(drawSheet);
};
const cellAt = (event) => {
  const box = sheet.querySelector('canvas').getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const { value } = data;
  if (value.view === 'match') {
    const { top, row } = matchPlace(sheet.clientWidth);
    const at = Math.floor((y - top + 2) / row);
    return at >= 0 && at < value.match.tokens.length ? [at, 0] : null;
  }
  const { left, top, cell } = matrixPlace(sheet.clientWidth);
  const [row, column] = [Math.floor((y - top) / cell), Math.floor((x - left) / cell)];
  return row >= 0 && column >= 0 && row < value.rows.length && column < value.columns.length ? [row, column] : null;
};
const tell = (event) => {
  const button = event.target.closest('.lab-head');
  if (button) says.textContent = `${nameOf(button.dataset)}: ${button.title}`;
};

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const move = (event, all, rowLength) => {
  const [across, down] = ARROWS[event.key];
  const next = all[all.indexOf(event.target.closest('button')) + across + down * rowLength];
  if (!next) return;
  event.preventDefault();
  all.forEach((button) => { button.tabIndex = button === next ? 0 : -1; });
  next.focus();
};
const moveCell = (event) => {
  const { value } = data;
  const isMatch = value.view === 'match';
  const most = isMatch ? [value.match.tokens.length, 1] : [value.rows.length, value.columns.length];
  const [across, down] = ARROWS[event.key];
  const [row, column] = data.cell || [-Math.min(down, 0), -Math.min(across, 0)];
  event.preventDefault();
  if (!data.cell) showCell([0, 0]);
  else showCell([Math.min(Math.max(row + down, 0), most[0] - 1), Math.min(Math.max(column + across, 0), most[1] - 1)]);
};
