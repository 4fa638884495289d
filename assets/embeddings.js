/* Every number of every token as a stripe of heat: orange below zero, blue above, white at zero.
   `props.value` is what views/embeddings.py makes; all layers travel at once, so the slider asks nobody. */
const root = element.querySelector('.lab-numbers');
const rows = root.querySelector('.lab-numbers-rows');
const [slider, stepName] = [root.querySelector('.lab-steps input'), root.querySelector('.lab-steps span')];
const [says, low, high] = ['says', 'low', 'high'].map((name) => root.querySelector(`.lab-numbers-${name}`));
let data = null;
let at = { token: 0, number: 0 }; // the number that is told; counted from 0

const whole = (base64) => new Int16Array(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);
const step = () => Number(slider.value);
const value = (token, number) =>
  (data.values[(step() * data.tokens.length + token) * data.hidden + number] / 32767) * data.peaks[step()];
const written = (number) => number.toFixed(3).replace('-', '−');
const variable = (name) => getComputedStyle(root).getPropertyValue(name).trim();
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

const paint = (canvas, token, [below, zero, above]) => {
  canvas.width = data.hidden;
  canvas.height = 1;
  const pixels = new ImageData(data.hidden, 1);
  for (let i = 0; i < data.hidden; i += 1) {
    const share = Math.max(-1, Math.min(1, value(token, i) / data.full[step()]));
    const end = share < 0 ? below : above;
    pixels.data.set([...zero.map((c, k) => c + Math.abs(share) * (end[k] - c)), 255], 4 * i);
  }
  canvas.getContext('2d').putImageData(pixels, 0, 0);
};
const tell = () => {
  const name = `“${data.tokens[at.token]}” (position ${at.token})`;
  says.textContent = `${name}, number ${at.number + 1} of ${data.hidden}: ${written(value(at.token, at.number))}`;
  rows.style.setProperty('--at', (at.number + 0.5) / data.hidden);
  [...rows.children].forEach((row, i) => row.classList.toggle('lab-lit', i === at.token));
};
const show = () => {
  stepName.textContent = data.steps[step()];
  slider.setAttribute('aria-valuetext', data.steps[step()]);
  const full = written(data.full[step()]);
  [low.textContent, high.textContent] = [`−${full} or less`, `${full} or more`];
  const colours = ['--lab-no', '--lab-paper', '--lab-accent'].map((name) => rgb(variable(name)));
  rows.querySelectorAll('canvas').forEach((canvas, token) => paint(canvas, token, colours));
  tell();
};
const rowOf = (token, i) => {
  const row = document.createElement('div');
  row.className = data.special[i] ? 'lab-numbers-row lab-special' : 'lab-numbers-row';
  const button = document.createElement('button');
  button.type = 'button';
  button.dataset.token = i;
  button.textContent = token;
  button.tabIndex = i ? -1 : 0; // one stop of the Tab key; arrows go on from there
  const strip = document.createElement('div');
  strip.dataset.strip = i;
  strip.append(document.createElement('canvas'));
  row.append(button, strip);
  return row;
};

const bounded = (number, count) => Math.max(0, Math.min(count - 1, number));
const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
rows.addEventListener('keydown', (event) => {
  if (!(event.key in KEYS)) return;
  event.preventDefault();
  const [down, across] = KEYS[event.key];
  at = { token: bounded(at.token + down, data.tokens.length), number: bounded(at.number + across, data.hidden) };
  const buttons = [...rows.querySelectorAll('button')];
  buttons.forEach((button, i) => { button.tabIndex = i === at.token ? 0 : -1; });
  buttons[at.token].focus();
  tell();
});
rows.addEventListener('focusin', (event) => {
  if (!event.target.dataset.token) return;
  at = { ...at, token: Number(event.target.dataset.token) };
  tell();
});
const point = (event) => {
  const strip = event.target.closest && event.target.closest('[data-strip]');
  if (!strip) return;
  const box = strip.getBoundingClientRect();
  at = {
    token: Number(strip.dataset.strip),
    number: bounded(Math.floor(((event.clientX - box.left) / box.width) * data.hidden), data.hidden),
  };
  tell();
};
rows.addEventListener('pointermove', point);
rows.addEventListener('pointerdown', point);
slider.addEventListener('input', show);
new MutationObserver(() => { if (data) show(); }).observe(document.body, { attributeFilter: ['class'] });

const update = () => {
  root.hidden = !props.value;
  data = props.value && { ...props.value, values: whole(props.value.values) };
  if (!data) return;
  at = { token: bounded(1, data.tokens.length), number: 0 };
  slider.max = data.steps.length - 1;
  slider.value = data.steps.length - 1;
  rows.replaceChildren(...data.tokens.map(rowOf));
  show();
};
watch('value', update);
update();
