/* Attention, 4: the picture as a file, with the model and the input under it. */
const SAVED_WIDTH = 1000;
const EDGE = 24;
const wrapped = (text, most) => text.match(new RegExp(`.{1,${most}}(\\s|$)|.{1,${most}}`, 'gs')) || [];
const composed = (pen, background) => {
  const scene = SCENES[data.value.view];
  const width = SAVED_WIDTH - 2 * EDGE;
  const inner = scene(noPen, width);
  const lines = wrapped(data.value.caption, 110).slice(0, 4);
  const height = inner + 2 * EDGE + 40 + 20 * lines.length;
  pen.rect(0, 0, SAVED_WIDTH, height, { fill: background });
  pen.text(EDGE, EDGE, data.value.title, { size: 16, colour: variable('--lab-ink'), bold: true });
  const down = EDGE + 24;
  scene({
    line: (x1, y1, x2, y2, look) => pen.line(x1 + EDGE, y1 + down, x2 + EDGE, y2 + down, look),
    rect: (x, y, w, h, look) => pen.rect(x + EDGE, y + down, w, h, look),
    text: (x, y, text, look) => pen.text(x + EDGE, y + down, text, look),
    image: (canvas, x, y, w, h) => pen.image(canvas, x + EDGE, y + down, w, h),
  }, width);
  lines.forEach((line, i) => pen.text(EDGE, down + inner + 20 + 20 * i, line.trim(), { size: 12, colour: variable('--lab-soft') }));
  return height;
};
const asPng = () => new Promise((done) => {
  const canvas = document.createElement('canvas');
  const height = composed(noPen);
  const scale = Math.min(2, 16000 / height);
  [canvas.width, canvas.height] = [SAVED_WIDTH * scale, height * scale];
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  composed(canvasPen(context), variable('--lab-paper'));
  canvas.toBlob(done, 'image/png');
});
const asSvg = () => {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const height = composed(svgPen(svg), variable('--lab-paper'));
  svg.setAttribute('viewBox', `0 0 ${SAVED_WIDTH} ${height}`);
  svg.setAttribute('width', SAVED_WIDTH);
  svg.setAttribute('height', height);
  return new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' });
};
/* A text that a spreadsheet would run as a formula gets a leading quote, as in views/download.py. */
const cellText = (value) => {
  const text = typeof value === 'number' ? String(value) : value.replace(/^(\s*[=+\-@])/, "'$1");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const exact = (number) => Number(number.toPrecision(4));
const tableRows = () => {
  const { value } = data;
  if (value.view === 'match') {
    const { match } = value;
    return [['token', ...match.parts, ...(match.parts.length > 1 ? ['score'] : []), 'weight'],
      ...match.tokens.map((token, i) => [token, ...match.scores[i], match.weights[i]])];
  }
  if (value.view === 'head' || value.view === 'matrix') {
    const matrix = current();
    return [['looks at →', ...value.columns],
      ...value.rows.map((token, row) => [token, ...value.columns.map((_, column) => exact(weightAt(matrix, row, column)))])];
  }
  const { places } = tilePlaces(value, SAVED_WIDTH, false);
  return [['layer', 'head', 'what it does'], ...places.map(({ layer, head }, i) => [layer + 1, head + 1, value.tileset.notes[i]])];
};
const asCsv = () => new Blob([`\ufeff${tableRows().map((row) => row.map(cellText).join(',')).join('\r\n')}`], { type: 'text/csv' });
const save = async (kind) => {
  const blob = await { png: asPng, svg: asSvg, csv: asCsv }[kind]();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `attention-${data.value.view}.${kind}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
