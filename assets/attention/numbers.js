/* Attention is drawn by these files, joined in the order of their numbers (tabs/attention.py). */
const root = element.querySelector(".lab-attention");
/* Attention, 1: what Python sent, as numbers. A weight is its row's scale times (byte / 255) squared,
   so that small weights keep their differences; see views/packing.py. */
const nameOf = ({ layer, head }) => `Head ${Number(head) + 1} of layer ${Number(layer) + 1}`; // people count from 1
const bytes = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
const unpack = (packed) => {
  const [count, rows, columns] = packed.shape;
  const codes = bytes(packed.codes);
  const scales = new Float32Array(bytes(packed.scales).buffer); // one a row
  const values = new Float32Array(codes.length);
  codes.forEach((code, i) => { values[i] = scales[Math.floor(i / columns)] * (code / 255) ** 2; });
  return { count, rows, columns, values };
};
const matrixOf = (packed, index) => ({
  rows: packed.rows,
  columns: packed.columns,
  values: packed.values.subarray(index * packed.rows * packed.columns, (index + 1) * packed.rows * packed.columns),
});
const weightAt = (matrix, row, column) => matrix.values[row * matrix.columns + column];
const inWords = (share) => {
  const part = 100 * share;
  if (part < 0.1) return '< 0.1 %';
  return `${part < 10 ? part.toFixed(1) : Math.round(part)} %`;
};
const signed = (number) => `${number < 0 ? '−' : '+'}${Math.abs(number).toFixed(2)}`;
/* What a token looks at, or is looked at by: one number for every token of the other side. */
const linksOf = (matrix, side, index) => (side === 'from'
  ? [...matrix.values.subarray(index * matrix.columns, (index + 1) * matrix.columns)]
  : Array.from({ length: matrix.rows }, (_, row) => weightAt(matrix, row, index)));
const ranked = (numbers) => [...numbers.keys()].sort((a, b) => numbers[b] - numbers[a]);
/* Every link from `least` upwards, weakest first, so that the strong ones are drawn on top. */
const linksAbove = (matrix, least, most) => {
  const found = [];
  matrix.values.forEach((weight, i) => { if (weight >= least && weight > 0) found.push(i); });
  found.sort((a, b) => matrix.values[a] - matrix.values[b]);
  return found.slice(-most).map((i) => [Math.floor(i / matrix.columns), i % matrix.columns, matrix.values[i]]);
};
