/* A pupil's side of a room. The token stays in this browser, so a reload goes on as the same pupil; an answer is sent again
   until the server has it. Question and reveal come from the server, escaped there; what a pupil typed is put in as text. */
const element = document.querySelector('main');
const one = (selector) => element.querySelector(selector);
const KEY = 'encoder-lab-pupil';
const code = element.dataset.code.trim().toUpperCase();
const read = () => { try { return JSON.parse(localStorage.getItem(KEY)) || {}; } catch { return {}; } };
const keep = (mine) => { try { localStorage.setItem(KEY, JSON.stringify(mine)); } catch { /* kept for this page alone */ } };
let me = read().code === code ? read().me : '';
let seen = { version: -1, number: 0 };
let waiting = null; // an answer that the server has not got yet
let is_lost = false;
let span = [];
const say = (words) => { one('.lab-room-said').textContent = words; one('.lab-room-said').hidden = !words; };
const send = async (act, values) => {
  const asked = await fetch(`classroom/${encodeURIComponent(code)}/${act}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(values) });
  const said = await asked.json().catch(() => ({}));
  if (!asked.ok) throw Object.assign(new Error(said.detail || 'The server did not answer as expected.'), { status: asked.status });
  return said;
};
const mine = (words) => { one('.lab-room-yours').textContent = words; };
const pressed = (answer) => { for (const button of element.querySelectorAll('.lab-room-choices button')) button.setAttribute('aria-pressed', String(button.textContent === answer)); };
const draw = (next) => {
  const is_new = next.number !== seen.number;
  seen = next;
  element.dataset.phase = next.phase;
  if (is_new || !one('.lab-room-asked').innerHTML) { one('.lab-room-asked').innerHTML = next.asked; span = []; one('[name=answer]').value = ''; }
  one('.lab-room-answer').hidden = next.phase !== 'asked' || !next.typed;
  one('.lab-room-choices').replaceChildren(...(next.phase === 'asked' ? next.choices : []).map((choice) => Object.assign(document.createElement('button'), { type: 'button', className: 'lab-fix', textContent: choice })));
  pressed(next.yours);
  one('.lab-room-answers').innerHTML = next.answers;
  if (next.yours) mine(next.phase === 'asked' ? `Your answer “${next.yours}” has arrived. You can change it until all are shown.` : `Your answer: “${next.yours}”`);
  else mine(next.phase === 'waiting' ? '' : next.phase === 'asked' ? 'Not answered yet.' : 'You did not answer.');
};
const join = async () => { me = (await send('join', { pupil: me })).pupil; keep({ code, me }); };
const deliver = async () => {
  const now = waiting;
  try {
    const { yours } = await send('answer', { pupil: me, number: now.number, answer: now.answer });
    if (waiting === now) waiting = null;
    if (seen.number === now.number) { seen.yours = yours; pressed(yours); mine(`Your answer “${yours}” has arrived. You can change it until all are shown.`); }
  } catch (error) {
    if (error.status && waiting === now) { waiting = null; say(error.message); }
    throw error;
  }
};
const out = (words) => { me = ''; say(words); one('.lab-room-join').hidden = false; one('.lab-room-asked').innerHTML = ''; one('.lab-room-answer').hidden = true; one('.lab-room-choices').replaceChildren(); };
const look = async () => {
  if (!me) await join();
  if (waiting) await deliver();
  const next = await send('look', { pupil: me, seen: seen.version });
  if (is_lost) { is_lost = false; say(''); }
  if (next.version !== undefined) draw(next);
};
let stopped = false;
const trouble = (error) => {
  if (error.status === 404) { stopped = true; out(error.message); }
  else if (error.status === 403) { me = ''; seen = { version: -1, number: 0 }; }
  else if (error.status) say(error.message);
  else { is_lost = true; say('No connection. Trying again …'); }
};
const answer = (text) => {
  if (!text.trim()) return;
  waiting = { number: seen.number, answer: text };
  say('');
  mine('Sending …');
  deliver().catch((error) => { if (!error.status) mine('Not sent yet: no connection. It is sent as soon as there is one.'); else trouble(error); });
};
element.addEventListener('submit', (event) => {
  event.preventDefault();
  const form = event.target;
  if (form.room) location.assign(`?room=${encodeURIComponent(form.room.value.trim())}`);
  else answer(form.answer.value);
});
element.addEventListener('click', (event) => {
  const choice = event.target.closest('.lab-room-choices button');
  if (choice) answer(choice.textContent);
  const word = event.target.closest('[data-word]');
  if (!word || seen.phase !== 'asked') return;
  const words = [...element.querySelectorAll('[data-word]')];
  const at = words.indexOf(word);
  span = span.length === 1 && at >= span[0] ? [span[0], at] : [at];
  const chosen = words.slice(span[0], (span[1] ?? span[0]) + 1);
  for (const each of words) each.classList.toggle('lab-room-tapped', chosen.includes(each));
  one('[name=answer]').value = chosen.map((each) => each.textContent).join(' ').slice(0, one('[name=answer]').maxLength);
});
const again = async () => {
  if (stopped) return;
  if (!document.hidden) { try { await look(); } catch (error) { trouble(error); } }
  setTimeout(again, 1500 + 500 * Math.random()); // not all phones at once
};
one('.lab-room-code').textContent = code;
if (code) again(); else out('Type the code that your teacher shows.');
