/* Attention: the lines of one head, and a picture of every head of its layer to choose from.
   `props.value` is what views/attention.py makes; a byte is 255 times the root of a weight. */
const root = element.querySelector('.lab-attention');
const part = (name) => root.querySelector(`.lab-attention-${name}`);
const [columns, says, grid] = [part('columns'), part('says'), part('grid')];
const sides = { from: part('from'), to: part('to') };
let data = null; // what is drawn; its head changes at once, the rest of the page follows
let active = null; // {side, index}: the token whose links alone are shown

/* ---- numbers ---- */
const bytes = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
const weight = (byte) => (byte / 255) ** 2;
const inWords = (share) => (share < 0.01 ? '< 1 %' : `${Math.round(100 * share)} %`);
const at = (query, key) => {
  const size = data.tokens.length;
  return data.weights[(data.head * size + query) * size + key];
};
const links = ({ side, index }) =>
  data.tokens.map((_, other) => weight(side === 'from' ? at(index, other) : at(other, index)));

const describe = (token) => {
  const strengths = links(token);
  const best = [...strengths.keys()].sort((a, b) => strengths[b] - strengths[a]);
  const told = best.filter((i, rank) => rank === 0 || (rank < 4 && strengths[i] >= 0.01));
  const listed = told.map((i) => `“${data.tokens[i]}” ${inWords(strengths[i])}`).join(', ');
  const outside = weight(data.outside[data.head * data.tokens.length + token.index]);
  const rest = token.side === 'from' && outside >= 0.005 ? `; not drawn: ${inWords(outside)}` : '';
  const verb = token.side === 'from' ? 'looks at' : 'is looked at by';
  return `“${data.tokens[token.index]}” ${verb} ${listed}${rest}`;
};

/* ---- colours: one hue from paper to ink, from the variables of the style sheet ---- */
const variable = (name) => getComputedStyle(root).getPropertyValue(name).trim();
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const ramp = () => {
  const stops = ['--lab-heat-0', '--lab-heat-1', '--lab-heat-2'].map((name) => rgb(variable(name)));
  const pixels = new ImageData(256, 1);
  for (let byte = 0; byte < 256; byte += 1) {
    const half = byte < 128 ? 0 : 1;
    const mixed = stops[half].map((c, i) => c + ((byte - 128 * half) / 127) * (stops[half + 1][i] - c));
    pixels.data.set([...mixed, 255], 4 * byte);
  }
  return new Uint32Array(pixels.data.buffer); // one number a colour, as in any other ImageData
};

/* ---- drawing ---- */
const prepare = (canvas, width, height) => {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  context.scale(ratio, ratio);
  return context;
};

const isShown = () => data && columns.clientWidth > 0; // else nothing yet, or an unopened tab

const pairs = () => {
  const all = [...data.tokens.keys()];
  const [from, to] = ['from', 'to'].map((side) => (active?.side === side ? [active.index] : all));
  return from.flatMap((query) => to.map((key) => [query, key]));
};

const drawLines = () => {
  if (!isShown()) return;
  const canvas = columns.querySelector('canvas');
  const width = columns.clientWidth - sides.from.offsetWidth - sides.to.offsetWidth;
  const context = prepare(canvas, width, sides.from.offsetHeight);
  const centres = [...sides.from.children].map((token) => token.offsetTop - sides.from.offsetTop + token.offsetHeight / 2);
  context.strokeStyle = variable('--lab-accent');
  for (const [query, key] of pairs()) {
    const strength = weight(at(query, key));
    if (strength < 0.01) continue;
    context.globalAlpha = active ? 0.2 + 0.8 * strength : strength;
    context.lineWidth = 1 + 4 * strength;
    context.beginPath();
    context.moveTo(0, centres[query]);
    context.bezierCurveTo(width / 2, centres[query], width / 2, centres[key], width, centres[key]);
    context.stroke();
  }
};

const thumbnail = (head, colours) => {
  const size = data.tokens.length;
  const canvas = document.createElement('canvas');
  canvas.width = size;
  canvas.height = size;
  const image = new ImageData(size, size);
  const pixels = new Uint32Array(image.data.buffer);
  const weights = data.weights.subarray(head * size * size, (head + 1) * size * size);
  weights.forEach((byte, cell) => { pixels[cell] = colours[byte]; });
  canvas.getContext('2d').putImageData(image, 0, 0);
  return canvas;
};

const drawHeads = () => {
  const context = prepare(grid.querySelector('canvas'), grid.clientWidth, grid.clientHeight);
  const colours = ramp();
  buttons().forEach((button, head) => {
    const side = button.clientWidth - 8;
    context.imageSmoothingEnabled = data.tokens.length > side; // smaller: every cell stays sharp
    const [left, top] = [button.offsetLeft + button.clientLeft + 4, button.offsetTop + button.clientTop + 4];
    context.drawImage(thumbnail(head, colours), left, top, side, side);
  });
};

const draw = () => {
  if (!isShown()) return;
  drawLines();
  drawHeads();
};

/* ---- the parts that take the pointer and the keyboard ---- */
const buttons = () => [...grid.querySelectorAll('button')];
const make = (text, css) => {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = css;
  const label = document.createElement('span');
  label.textContent = text;
  button.append(label);
  return button;
};

const fillColumns = () => {
  const size = data.tokens.length;
  columns.style.setProperty('--row', `${size <= 24 ? 26 : size <= 64 ? 21 : 17}px`);
  Object.entries(sides).forEach(([side, column]) => {
    column.replaceChildren(...data.tokens.map((token, index) => {
      const button = make(token, data.special[index] ? 'lab-token lab-token-special' : 'lab-token');
      button.dataset.side = side;
      button.dataset.index = index;
      button.tabIndex = index === 0 ? 0 : -1; // one stop of the Tab key; arrows go on from there
      button.append(document.createElement('small'));
      return button;
    }));
  });
};

const fillHeads = () => {
  if (buttons().length === data.heads) return; // the one in focus keeps the focus
  buttons().forEach((button) => button.remove());
  for (let head = 0; head < data.heads; head += 1) {
    const button = make(String(head), 'lab-head');
    button.dataset.value = head; // read by the page when it is pressed
    grid.append(button);
  }
};

const name = () => {
  root.querySelector('.lab-attention-lines h4').textContent =
    `Layer ${data.layer}, head ${data.head}: each token on the left looks at tokens on the right`;
  root.querySelector('.lab-attention-heads h4').textContent = `All heads of layer ${data.layer}`;
  grid.setAttribute('aria-label', `Heads of layer ${data.layer}`);
  buttons().forEach((button, head) => {
    button.setAttribute('aria-label', `Head ${head}`);
    button.setAttribute('aria-pressed', head === data.head);
    button.tabIndex = head === data.head ? 0 : -1;
  });
  Object.values(sides).forEach((column) => [...column.children].forEach((button) => {
    const token = { side: button.dataset.side, index: Number(button.dataset.index) };
    button.setAttribute('aria-label', describe(token));
  }));
};

const show = (button) => {
  active = button ? { side: button.dataset.side, index: Number(button.dataset.index) } : null;
  const strengths = active ? links(active) : [];
  Object.entries(sides).forEach(([side, column]) => [...column.children].forEach((token, index) => {
    const linked = active && side !== active.side;
    token.classList.toggle('lab-token-active', token === button);
    token.style.setProperty('--strength', linked ? Math.sqrt(strengths[index]).toFixed(3) : '0');
    token.querySelector('small').textContent = linked && strengths[index] >= 0.01 ? inWords(strengths[index]) : '';
  }));
  says.textContent = active ? describe(active)
    : 'Every row sums to one: each token on the left shares out 100 % of its attention. Point at a token, or move to it by keyboard, to see only its links.';
  drawLines();
};

const choose = (head) => {
  data.head = head;
  name();
  show(null);
  draw();
  trigger('select', { index: head, value: head });
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

grid.addEventListener('click', (event) => {
  const head = buttons().indexOf(event.target.closest('button'));
  if (head >= 0) choose(head);
});
grid.addEventListener('keydown', (event) => {
  const all = buttons();
  if (event.key in ARROWS) move(event, all, all.filter((b) => b.offsetTop === all[0].offsetTop).length);
});
columns.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') show(null);
  const column = event.target.closest('[role=group]');
  if (column && event.key in ARROWS) move(event, [...column.children], 1);
});
['pointerover', 'focusin', 'click'].forEach((type) => columns.addEventListener(type, (event) => {
  const token = event.target.closest('.lab-token');
  if (token) show(token);
}));
columns.addEventListener('focusout', () => show(null));
columns.addEventListener('pointerleave', (event) => {
  const focused = document.activeElement.closest('.lab-token');
  if (event.pointerType === 'mouse') show(columns.contains(focused) ? focused : null);
});

const update = () => {
  root.hidden = !props.value;
  data = props.value
    ? { ...props.value, weights: bytes(props.value.weights), outside: bytes(props.value.outside) }
    : null;
  if (!data) return;
  fillColumns();
  fillHeads();
  name();
  show(null);
  draw();
};

watch('value', update);
new ResizeObserver(draw).observe(root); // also when the tab is shown for the first time
new MutationObserver(draw).observe(document.body, { attributes: true, attributeFilter: ['class'] }); // light, dark
update();
