/* Attention, 2: one pen for the screen, for PNG and for SVG, so that what is saved is what is seen. */
const MONO = '"IBM Plex Mono", ui-monospace, monospace';
const variable = (name) => getComputedStyle(root).getPropertyValue(name).trim();
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const mixed = (one, two, part) => one.map((c, i) => Math.round(c + part * (two[i] - c)));

/* One hue from paper to ink; the square root of a share is what is seen as its strength. */
const heatColours = () => {
  const stops = ['--lab-heat-0', '--lab-heat-1', '--lab-heat-2'].map((name) => rgb(variable(name)));
  return Array.from({ length: 256 }, (_, step) => {
    const half = step < 128 ? 0 : 1;
    return mixed(stops[half], stops[half + 1], (step - 128 * half) / 127);
  });
};
/* Blue for more, orange for less, paper at zero. */
const signedColour = (part) => {
  const strength = Math.min(Math.abs(part), 1);
  return `rgb(${mixed(rgb(variable('--lab-wash')), rgb(variable(part < 0 ? '--lab-no' : '--lab-yes')), strength)})`;
};
const heatImage = (matrix, colours, ceiling, least = 0) => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [matrix.columns, matrix.rows];
  const image = new ImageData(matrix.columns, matrix.rows);
  const pixels = new Uint32Array(image.data.buffer);
  const packed = colours.map(([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r);
  matrix.values.forEach((weight, i) => {
    pixels[i] = packed[weight < least ? 0 : Math.min(255, Math.round(255 * Math.sqrt(weight / ceiling)))];
  });
  canvas.getContext('2d').putImageData(image, 0, 0);
  return canvas;
};

const ruler = document.createElement('canvas').getContext('2d');
const font = (size, bold = false) => `${bold ? '700 ' : ''}${size}px ${MONO}`;
const widthOf = (text, size) => { ruler.font = font(size); return ruler.measureText(text).width; };
const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const canvasPen = (context) => ({
  line(x1, y1, x2, y2, { colour, width, alpha = 1 }) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.globalAlpha = alpha;
    context.beginPath();
    context.moveTo(x1, y1);
    context.bezierCurveTo((x1 + x2) / 2, y1, (x1 + x2) / 2, y2, x2, y2);
    context.stroke();
    context.globalAlpha = 1;
  },
  rect(x, y, width, height, { fill, stroke }) {
    if (fill) { context.fillStyle = fill; context.fillRect(x, y, width, height); }
    if (stroke) { context.strokeStyle = stroke; context.lineWidth = 2; context.strokeRect(x, y, width, height); }
  },
  text(x, y, text, { size = 13, colour, align = 'left', bold = false, turn = 0 }) {
    context.save();
    context.translate(x, y);
    context.rotate((turn * Math.PI) / 180);
    context.font = font(size, bold);
    context.fillStyle = colour;
    context.textAlign = align;
    context.textBaseline = 'middle';
    context.fillText(text, 0, 0);
    context.restore();
  },
  image(canvas, x, y, width, height) {
    context.imageSmoothingEnabled = canvas.width > width; // smaller: every cell stays sharp
    context.drawImage(canvas, x, y, width, height);
  },
});

const svgPen = (svg) => {
  const add = (name, attributes) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', name);
    Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
    svg.append(node);
    return node;
  };
  return {
    line(x1, y1, x2, y2, { colour, width, alpha = 1 }) {
      const middle = (x1 + x2) / 2;
      add('path', { d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`, fill: 'none', stroke: colour, 'stroke-width': width.toFixed(2), 'stroke-opacity': alpha.toFixed(3) });
    },
    rect(x, y, width, height, { fill, stroke }) {
      add('rect', { x, y, width, height, fill: fill || 'none', stroke: stroke || 'none', 'stroke-width': 2 });
    },
    text(x, y, text, { size = 13, colour, align = 'left', bold = false, turn = 0 }) {
      const anchor = { left: 'start', right: 'end', center: 'middle' }[align];
      add('text', { transform: `translate(${x} ${y}) rotate(${turn})`, fill: colour, 'font-family': MONO, 'font-size': size, 'font-weight': bold ? 700 : 400, 'text-anchor': anchor, dy: '0.35em' }).textContent = text;
    },
    image(canvas, x, y, width, height) {
      add('image', { href: canvas.toDataURL(), x, y, width, height, preserveAspectRatio: 'none', style: 'image-rendering: pixelated' });
    },
  };
};
const noPen = { line() {}, rect() {}, text() {}, image() {} }; // to learn how tall a picture is

const prepared = (canvas, width, height) => {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  context.scale(ratio, ratio);
  return context;
};
