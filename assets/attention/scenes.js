/* Attention, 3: the pictures. Each is drawn with a pen into a width, and gives its height. */
const ROW = 26; // pixels of a token in a saved picture
const MOST_LINES = 6000; // the strongest; more are a grey mass, and slow
const data = { value: null, matrices: null, tiles: null, least: 0, active: null, cell: null };
const current = () => matrixOf(data.matrices, data.matrices.count > 1 ? data.value.head : 0);

const drawLinks = (pen, width, centre, { from = 0, to = Infinity } = {}) => {
  const { active, value } = data;
  const matrix = current();
  const colour = variable('--lab-accent');
  const chosen = active
    ? linksOf(matrix, active.side, active.index).map((w, other) => (active.side === 'from' ? [active.index, other, w] : [other, active.index, w]))
    : data.links;
  chosen.forEach(([row, column, weight]) => {
    if (weight < data.least || weight <= 0) return;
    const [y1, y2] = [centre(row), centre(column)];
    if (Math.max(y1, y2) < from || Math.min(y1, y2) > to) return;
    const strength = weight / value.ceiling;
    pen.line(0, y1, width, y2, { colour, width: 1 + 4 * strength, alpha: active ? 0.2 + 0.8 * strength : Math.max(strength, 0.04) });
  });
};

const sceneHead = (pen, width) => {
  const { rows, columns } = data.value;
  const most = (tokens) => Math.min(220, Math.max(...tokens.map((t) => widthOf(shortened(t, 24), 14)))) + 12;
  const [left, right] = [most(rows), most(columns)];
  const centre = (index) => ROW * (index + 0.5);
  const [ink] = [variable('--lab-ink')];
  rows.forEach((token, i) => pen.text(left - 8, centre(i), shortened(token, 24), { size: 14, colour: ink, align: 'right' }));
  columns.forEach((token, i) => pen.text(width - right + 8, centre(i), shortened(token, 24), { size: 14, colour: ink }));
  const moved = { ...pen, line: (x1, y1, x2, y2, look) => pen.line(x1 + left, y1, x2 + left, y2, look) };
  drawLinks(moved, width - left - right, centre);
  return ROW * Math.max(rows.length, columns.length);
};

/* Where the cells of the matrix are, in pixels. */
const matrixPlace = (width) => {
  const { rows, columns } = data.value;
  const size = columns.length <= 40 ? 13 : 10;
  const left = Math.min(width * 0.3, Math.max(...rows.map((t) => widthOf(shortened(t, 14), size))) + 10);
  const top = Math.max(...columns.map((t) => widthOf(shortened(t, 14), size))) * 0.87 + 14;
  const room = width - left - 28; // the last label leans over the edge
  const cell = Math.min(44, room / Math.max(columns.length, 8));
  return { left, top, cell, size, step: Math.max(1, Math.ceil((size + 3) / cell)) };
};
const sceneMatrix = (pen, width) => {
  const { rows, columns, ceiling } = data.value;
  const { left, top, cell, size, step } = matrixPlace(width);
  const [ink, soft] = [variable('--lab-ink'), variable('--lab-soft')];
  const image = heatImage(current(), heatColours(), ceiling, data.least);
  pen.image(image, left, top, cell * columns.length, cell * rows.length);
  const isOn = (index, at) => at === index;
  rows.forEach((token, i) => {
    const on = isOn(i, data.cell?.[0]);
    if (i % step && !on) return;
    pen.text(left - 6, top + cell * (i + 0.5), shortened(token, 14), { size, colour: on || !data.cell ? ink : soft, align: 'right', bold: on });
  });
  columns.forEach((token, i) => {
    const on = isOn(i, data.cell?.[1]);
    if (i % step && !on) return;
    pen.text(left + cell * (i + 0.5), top - 6, shortened(token, 14), { size, colour: on || !data.cell ? ink : soft, bold: on, turn: -60 });
  });
  if (data.cell) {
    const [row, column] = data.cell;
    const least = Math.max(cell, 3);
    pen.rect(left + cell * column, top + cell * row, least, least, { stroke: variable('--lab-no') });
  }
  const bottom = top + cell * rows.length + 22;
  heatColours().forEach((colour, i) => pen.rect(left + i * 0.6, bottom - 6, 0.9, 10, { fill: `rgb(${colour})` }));
  pen.text(left - 6, bottom, '0 %', { size: 11, colour: soft, align: 'right' });
  pen.text(left + 162, bottom, inWords(ceiling), { size: 11, colour: soft });
  return bottom + 14;
};

/* Tiles: one for each head, in rows; where they stand depends on the width. */
const tilePlaces = (value, width, isSmall) => {
  const { layers, perLayer } = value.tileset;
  const isModel = layers.length > 1;
  const labelWidth = isModel ? 26 : 0;
  const wanted = isSmall ? 62 : isModel ? 0 : width < 420 ? 130 : 170;
  const across = isModel ? perLayer : Math.max(1, Math.min(perLayer, Math.floor((width + 8) / (wanted + 8))));
  const gap = isModel ? Math.min(8, width / perLayer / 8) : 8;
  const side = Math.min(isSmall ? 80 : 230, (width - labelWidth - gap * (across - 1)) / across);
  const label = isModel ? 0 : isSmall ? 18 : 38;
  const top = isModel ? 22 : 0;
  const places = [];
  for (let i = 0; i < layers.length * perLayer; i += 1) {
    const [x, y] = [i % across, Math.floor(i / across)];
    places.push({
      layer: layers[Math.floor(i / perLayer)],
      head: i % perLayer,
      left: labelWidth + x * (side + gap),
      top: top + y * (side + gap + label),
      side,
    });
  }
  return { places, label, isModel, across, height: top + Math.ceil(places.length / across) * (side + gap + label) };
};
const sceneTiles = (pen, width, isSmall = false) => {
  const { value } = data;
  const { places, isModel, height, label } = tilePlaces(value, width, isSmall);
  const [ink, soft, accent] = ['--lab-ink', '--lab-soft', '--lab-accent'].map(variable);
  const colours = heatColours();
  places.forEach((place, i) => {
    const { left, top, side, layer, head } = place;
    const on = layer === value.layer && head === value.head;
    pen.image(heatImage(matrixOf(data.tiles, i), colours, 1), left, top, side, side);
    if (on) pen.rect(left + 1, top + 1, side - 2, side - 2, { stroke: accent });
    if (!isModel) {
      pen.text(left + side / 2, top + side + 10, isSmall ? `${head + 1}` : `head ${head + 1}`, { size: isSmall ? 12 : 13, colour: on ? ink : soft, align: 'center', bold: on });
      if (label > 20) pen.text(left + side / 2, top + side + 26, shortened(value.tileset.notes[i], Math.floor(side / 6.7)), { size: 11, colour: soft, align: 'center' });
    }
    if (isModel && head === 0) pen.text(16, top + side / 2, `${layer + 1}`, { size: 12, colour: soft, align: 'right' });
    if (isModel && layer === 0) pen.text(left + side / 2, 10, `${head + 1}`, { size: 12, colour: soft, align: 'center' });
  });
  return height;
};

/* One query, and how it meets the keys: each key times the query, summed, gives the score. */
const matchPlace = (width) => {
  const { match } = data.value;
  const label = Math.min(width * 0.26, Math.max(...match.tokens.map((t) => widthOf(shortened(t, 16), 13))) + 12);
  const numbers = 62 * (match.parts.length > 1 ? match.parts.length + 1 : 1) + 8;
  const weight = Math.max(84, Math.min(150, width * 0.2));
  const room = width - label - numbers - weight - 60;
  const isNarrow = room < 90; // a phone: the strip goes below the numbers
  const start = isNarrow ? width - numbers - weight - 60 : label + room; // of the numbers
  return { label, numbers, weight, start, isNarrow, left: isNarrow ? 0 : label, strip: isNarrow ? width : room, row: isNarrow ? 42 : 24, top: 78 };
};
const strip = (pen, values, x, y, width, height) => {
  const top = Math.max(...values.map(Math.abs)) || 1;
  const cell = width / values.length;
  values.forEach((value, i) => pen.rect(x + i * cell, y, cell + 0.3, height, { fill: signedColour(value / top) }));
};
const sceneMatch = (pen, width) => {
  const { match } = data.value;
  const { label, numbers, weight, start, isNarrow, left: from, strip: wide, row, top } = matchPlace(width);
  const [ink, soft, accent] = ['--lab-ink', '--lab-soft', '--lab-accent'].map(variable);
  const names = match.parts.length > 1 ? ['content', 'c → pos', 'pos → c', 'score'] : ['score'];
  pen.text(label - 8, 16, shortened(match.token, 16), { size: 14, colour: accent, align: 'right', bold: true });
  strip(pen, match.query, label, 6, isNarrow ? width - label - 84 : wide, 20);
  pen.text(isNarrow ? width - 76 : label + wide + 8, 16, 'its query', { size: 12, colour: soft });
  const heads = { size: 11, colour: soft };
  pen.text(label - 8, top - 18, 'key of', { ...heads, align: 'right' });
  pen.text(isNarrow ? 0 : label, top - (isNarrow ? 36 : 18), 'key × query, number by number', heads);
  const shown = match.parts.length > 1 ? [...match.parts, 'score'] : ['score'];
  shown.forEach((_, i) => pen.text(start + 62 * (i + 1), top - 18, names[i], { ...heads, align: 'right' }));
  pen.text(start + numbers + 8, top - 18, 'weight', heads);
  match.tokens.forEach((token, i) => {
    const y = top + row * i;
    const on = data.cell?.[0] === i;
    if (on) pen.rect(0, y - 2, width, row, { fill: variable('--lab-accent-wash') });
    pen.text(label - 8, y + 10, shortened(token, 16), { colour: ink, align: 'right', bold: on });
    strip(pen, match.products[i], from, isNarrow ? y + 22 : y + 2, wide, isNarrow ? 12 : row - 8);
    match.scores[i].forEach((score, part) => pen.text(start + 62 * (part + 1), y + 10, signed(score), { size: 12, colour: part === shown.length - 1 ? ink : soft, align: 'right' }));
    const left = start + numbers + 8;
    pen.rect(left, y + 3, weight - 8, 14, { fill: variable('--lab-wash') });
    pen.rect(left, y + 3, Math.max(1, (weight - 8) * match.weights[i]), 14, { fill: accent });
    pen.text(left + weight - 2, y + 10, inWords(match.weights[i]), { size: 12, colour: ink });
  });
  const bottom = top + row * match.tokens.length + 10;
  if (match.rest) pen.text(label, bottom, match.rest, { size: 12, colour: soft });
  return bottom + 14;
};
const SCENES = { head: sceneHead, matrix: sceneMatrix, layer: sceneTiles, model: sceneTiles, match: sceneMatch };
