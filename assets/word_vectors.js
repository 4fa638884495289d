/* One word in many sentences: a map whose points move from layer to layer, and the cosine of every pair.
   `props.value` is what views/word_vectors.py makes; all layers travel at once, so the slider asks nobody. */
const root = element.querySelector('.lab-vectors');
const [slider, stepName] = [root.querySelector('.lab-steps input'), root.querySelector('.lab-steps span')];
const says = root.querySelector('.lab-vectors-says');
const layer = { points: root.querySelector('.lab-vectors-points'), grid: root.querySelector('.lab-vectors-grid') };
const [head, body] = [root.querySelector('thead tr'), root.querySelector('tbody')];
const lines = root.querySelector('.lab-vectors-lines');
const kinds = [...root.querySelectorAll('[data-kind]')];
const MOST_WRITTEN = 12; // occurrences whose cosines are written into the square
let data = null;
let kind = 'raw';

const floats = (base64) => new Float32Array(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);
const make = (tag, css, text = '') => {
  const made = document.createElement(tag);
  made.className = css;
  made.textContent = text;
  return made;
};
const draw = (tag, attributes, text = '') => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
};
const sense = (i) => `lab-sense-${data.senses[i]}`;
const written = (number) => {
  const text = number.toFixed(2);
  return text === '-0.00' ? '0.00' : text.replace('-', '−');
};

const pointOf = (name, i) => {
  const point = draw('g', { class: `lab-vectors-point ${sense(i)}`, 'data-at': i });
  const shape = data.senses[i] ? draw('rect', { x: -12, y: -12, width: 24, height: 24, rx: 4 }) : draw('circle', { r: 13 });
  point.append(shape, draw('text', { 'text-anchor': 'middle', dy: '.35em' }, name));
  return point;
};
const named = (tag, name, i, scope) => {
  const cell = make(tag, sense(i), name);
  cell.scope = scope;
  cell.dataset.at = i;
  return cell;
};
const fill = () => { // what stays the same in every layer
  layer.points.replaceChildren(...data.names.map(pointOf));
  head.replaceChildren(make('td', ''), ...data.names.map((name, i) => named('th', name, i, 'col')));
  body.replaceChildren(...data.names.map((name, i) => {
    const row = document.createElement('tr');
    row.append(named('th', name, i, 'row'), ...data.names.map((_, j) => {
      const cell = document.createElement('td');
      cell.dataset.pair = `${i} ${j}`;
      return cell;
    }));
    return row;
  }));
  lines.replaceChildren(...data.lines.map((line) => {
    const item = document.createElement('li');
    item.append(make('span', `lab-sense-name lab-sense-${line.sense}`, line.name));
    const text = document.createElement('bdi');
    for (const [piece, at] of line.pieces) {
      const part = make(at === null ? 'span' : 'mark', '', piece);
      if (at !== null) part.dataset.at = at;
      text.append(part);
    }
    item.append(text);
    return item;
  }));
};

const show = () => { // one layer
  const [step, count] = [Number(slider.value), data.names.length];
  stepName.textContent = data.steps[step];
  slider.setAttribute('aria-valuetext', data.steps[step]);
  says.textContent = data.says[kind][step];
  const points = data.points.subarray(step * count * 2, (step + 1) * count * 2);
  [...layer.points.children].forEach((point, i) => {
    point.style.transform = `translate(${(points[2 * i] * data.scale).toFixed(1)}px, ${(-points[2 * i + 1] * data.scale).toFixed(1)}px)`;
  });
  const cosines = data[kind].subarray(step * count * count, (step + 1) * count * count);
  body.querySelectorAll('[data-pair]').forEach((cell) => {
    const [i, j] = cell.dataset.pair.split(' ').map(Number);
    const value = cosines[i * count + j];
    cell.textContent = count > MOST_WRITTEN ? '' : i === j ? '1' : written(value);
    cell.title = `${data.names[i]} and ${data.names[j]}: ${written(value)}`;
    cell.classList.toggle('lab-below', value < 0);
    cell.style.setProperty('--strength', Math.abs(value).toFixed(3));
  });
};

const light = (numbers) => {
  root.querySelectorAll('[data-at]').forEach((part) => part.classList.toggle('lab-lit', numbers.includes(part.dataset.at)));
};
root.addEventListener('pointerover', (event) => {
  const part = event.target.closest && event.target.closest('[data-at], [data-pair]');
  light(part ? (part.dataset.pair || part.dataset.at).split(' ') : []);
});
root.addEventListener('pointerleave', () => light([]));
slider.addEventListener('input', show);
kinds.forEach((button) => button.addEventListener('click', () => {
  kind = button.dataset.kind;
  kinds.forEach((other) => other.setAttribute('aria-pressed', String(other === button)));
  show();
}));

const update = () => {
  root.hidden = !props.value;
  data = props.value && { ...props.value };
  if (!data) return;
  for (const name of ['points', 'raw', 'centred']) data[name] = floats(data[name]);
  let [across, up] = [1e-9, 1e-9]; // one scale for every layer and both directions
  data.points.forEach((value, i) => { if (i % 2) up = Math.max(up, Math.abs(value)); else across = Math.max(across, Math.abs(value)); });
  data.scale = Math.min(190 / across, 140 / up);
  slider.max = data.steps.length - 1;
  slider.value = data.step;
  fill();
  layer.grid.replaceChildren(draw('path', { d: 'M-210 0H210M0-160V160' }));
  show();
};
watch('value', update);
update();
