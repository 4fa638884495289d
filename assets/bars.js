/* Bars as views/markup.py draws them, for views that draw in the browser; to be put before their script. */
const inPercent = (score) => {
  const share = 100 * score;
  if (share > 0 && share < 0.01) return '< 0.01 %';
  if (share > 99.99 && share < 100) return '> 99.99 %';
  return `${share.toFixed(share < 1 || share > 99 ? 2 : 1)} %`;
};
const make = (tag, css, text = '') => {
  const made = document.createElement(tag);
  made.className = css;
  made.textContent = text;
  return made;
};
const bar = ([word, score], row = make('div', 'lab-bar')) => {
  const fill = make('span', 'lab-bar-fill');
  fill.style.width = `${(100 * score).toFixed(2)}%`;
  const track = make('span', 'lab-bar-track');
  track.append(fill);
  row.append(make('span', 'lab-bar-label', word), track, make('span', 'lab-bar-value', inPercent(score)));
  return row;
};
