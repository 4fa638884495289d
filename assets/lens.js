/* The lens for every token: a grid of first guesses, and the five first ones of the cell pointed at.
   `props.value` is what views/lens.py makes. Needs bars.js. */
const root = element.querySelector('.lab-lens');
const [head, body] = [root.querySelector('thead tr'), root.querySelector('tbody')];
const [says, bars] = [root.querySelector('.lab-lens-detail p'), root.querySelector('.lab-lens-detail div')];
let data = null;
let pinned = null; // the cell whose guesses are shown when none is pointed at

const decoded = (base64, Kind) => new Kind(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);
const index = (step, token) => step * data.tokens.length + token;
const guesses = (step, token) => Array.from({ length: data.best }, (_, rank) => {
  const at = index(step, token) * data.best + rank;
  return [data.words[data.guesses[at]], data.scores[at]];
});
const place = (token) => `“${data.tokens[token]}” (position ${data.start + token})`;
const isOwn = (step, token) => data.ownRanks[index(step, token)] === 1 && !data.masks.includes(token);

const pressable = (css, text, row, column) => {
  const button = make('button', css, text);
  button.type = 'button';
  button.dataset.row = row;
  button.dataset.column = column;
  button.tabIndex = -1; // one stop of the Tab key; arrows go on from there
  return button;
};
const inCell = (tag, part) => {
  const cell = document.createElement(tag);
  cell.append(part);
  return cell;
};
const rowName = (text) => {
  const name = make('th', '', text);
  name.scope = 'row';
  return name;
};

const tokenButton = (token, column) => {
  const button = pressable('lab-lens-token', token, -1, column);
  button.dataset.value = data.start + column; // read by the page when it is pressed
  button.setAttribute('aria-pressed', data.start + column === data.position);
  button.setAttribute('aria-label', `Look at ${place(column)}`);
  return button;
};
const guessButton = (step, column) => {
  const [word, score] = guesses(step, column)[0];
  const own = isOwn(step, column);
  const button = pressable(own ? 'lab-lens-guess lab-lens-own' : 'lab-lens-guess', word, step, column);
  button.style.setProperty('--strength', Math.sqrt(score).toFixed(3));
  button.setAttribute('aria-label', `${data.steps[step]}, ${place(column)}: “${word}” ${inPercent(score)}`);
  return button;
};

const show = (button) => {
  if (!button) return;
  const [step, token] = [Number(button.dataset.row), Number(button.dataset.column)];
  const at = index(step, token);
  const own = data.masks.includes(token) ? ''
    : `. The token itself: rank ${data.ownRanks[at].toLocaleString('en')}, ${inPercent(data.ownScores[at])}`;
  says.textContent = `${data.steps[step]} at ${place(token)}${own}`;
  bars.replaceChildren(...guesses(step, token).map((guess) => bar(guess)));
  body.querySelectorAll('.lab-lens-shown').forEach((other) => other.classList.remove('lab-lens-shown'));
  button.classList.add('lab-lens-shown');
};

const buttonAt = (row, column) => root.querySelector(`[data-row="${row}"][data-column="${column}"]`);
const reach = (button) => {
  root.querySelectorAll('button[tabindex="0"]').forEach((other) => { other.tabIndex = -1; });
  button.tabIndex = 0;
};
const fill = () => {
  head.replaceChildren(make('td', ''), ...data.tokens.map((token, i) => inCell('th', tokenButton(token, i))));
  body.replaceChildren(...data.steps.map((name, step) => {
    const row = document.createElement('tr');
    row.append(rowName(name), ...data.tokens.map((_, i) => inCell('td', guessButton(step, i))));
    return row;
  }));
  pinned = buttonAt(data.steps.length - 1, data.position - data.start);
  reach(pinned);
  show(pinned);
};
const follow = () => { // the column looked at comes into sight; the page itself stays where it is
  const column = buttonAt(-1, data.position - data.start).parentElement;
  const frame = root.querySelector('.lab-lens-scroll');
  const [left, right] = [column.offsetLeft - head.firstElementChild.offsetWidth, column.offsetLeft + column.offsetWidth];
  if (left < frame.scrollLeft || right > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = left - 40;
};

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
root.addEventListener('keydown', (event) => {
  const from = event.target.closest('[data-row]');
  if (!from || !(event.key in ARROWS)) return;
  const [down, across] = ARROWS[event.key];
  const next = buttonAt(Number(from.dataset.row) + down, Number(from.dataset.column) + across);
  event.preventDefault();
  if (!next) return;
  reach(next);
  next.focus();
});
const guessIn = (event) => event.target.closest && event.target.closest('.lab-lens-guess');
['pointerover', 'focusin'].forEach((type) => body.addEventListener(type, (event) => show(guessIn(event))));
body.addEventListener('pointerleave', () => show(pinned));
root.addEventListener('click', (event) => {
  const guess = guessIn(event);
  if (guess) {
    pinned = guess;
    reach(guess);
    show(guess);
  }
  const token = event.target.closest('.lab-lens-token');
  if (!token) return;
  head.querySelectorAll('[aria-pressed]').forEach((other) => other.setAttribute('aria-pressed', other === token));
  trigger('select', { index: Number(token.dataset.value), value: Number(token.dataset.value) });
});

const update = () => {
  root.hidden = !props.value;
  data = props.value && {
    ...props.value,
    guesses: decoded(props.value.guesses, Uint16Array),
    scores: decoded(props.value.scores, Float32Array),
    ownRanks: decoded(props.value.ownRanks, Int32Array),
    ownScores: decoded(props.value.ownScores, Float32Array),
  };
  if (!data) return;
  fill();
  requestAnimationFrame(follow);
};
watch('value', update);
update();
