/* The teacher's side of a room. Code and token stay in this browser, so a reload or a lost connection changes nothing;
   whoever hasn't the token can look on as a pupil only. Drawings come from the server, escaped there. */
const KEY = 'encoder-lab-room';
const one = (selector) => element.querySelector(selector);
const read = () => { try { return JSON.parse(localStorage.getItem(KEY)); } catch { return null; } };
const keep = (room) => { try { if (room) localStorage.setItem(KEY, JSON.stringify(room)); else localStorage.removeItem(KEY); } catch { /* kept for this page alone */ } };
let room = read();
let drawn = '';
let tries = 0;
let last = 0;
const say = (words) => { one('.lab-room-said').textContent = words; one('.lab-room-said').hidden = !words; };
const send = async (path, values) => {
  const asked = await fetch(`classroom/${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(values) });
  const said = await asked.json().catch(() => ({}));
  if (!asked.ok) throw Object.assign(new Error(said.detail || 'The server did not answer as expected.'), { status: asked.status });
  return said;
};
const steer = (act, more = {}) => send(`${encodeURIComponent(room.code)}/${act}`, { token: room.token, ...more });
const address = () => `${location.origin}${location.pathname}?room=${room.code}`;
const draw = (seen) => {
  one('.lab-room').dataset.phase = seen.phase;
  one('.lab-room-counts').textContent = `${seen.joined} in the room${seen.number ? ` · ${seen.answered} answered` : ''}`;
  one('[data-act=reveal]').disabled = !seen.number || seen.phase === 'shown';
  const next = JSON.stringify([seen.asked, seen.answers]);
  if (next === drawn) return;
  drawn = next;
  one('.lab-room-asked').innerHTML = seen.asked;
  one('.lab-room-answers').innerHTML = seen.answers;
};
const enter = async () => {
  const has = Boolean(room);
  one('.lab-room-start').hidden = has;
  for (const part of ['.lab-room-head', '.lab-room-counts', '.lab-room-acts']) one(part).hidden = !has;
  one('.lab-room').dataset.room = has ? JSON.stringify(room) : '';
  if (!has) { drawn = ''; one('.lab-room-asked').innerHTML = ''; one('.lab-room-answers').innerHTML = ''; one('.lab-room').dataset.phase = 'none'; return; }
  one('.lab-room-code').textContent = room.code;
  one('.lab-room-address').textContent = address();
  const alone = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
  one('.lab-room-alone').hidden = !alone;
  one('.lab-room-alone').textContent = alone ? 'Only this machine knows this address. For phones start the app with GRADIO_SERVER_NAME=0.0.0.0, and open this page by the machine’s own address in the network.' : '';
  try { one('.lab-room-door').innerHTML = (await steer('qr', { address: address() })).qr; } catch { /* the next look says why */ }
};
const leave = (words) => { room = null; keep(null); enter(); say(words); };
const trouble = (error) => {
  if (error.status === 404 || error.status === 403) leave(error.message);
  else say(error.status ? error.message : 'No connection. Trying again …');
};
const look = async () => {
  if (!room) return;
  const [now, asked] = [room, ++last];
  try {
    const seen = await steer('steer');
    if (room !== now || asked !== last) return;
    if (tries) { say(''); tries = 0; if (!one('.lab-room-door').innerHTML) enter(); }
    draw(seen);
  } catch (error) { if (room === now) { tries += 1; trouble(error); } }
};
const acts = {
  open: async () => { room = await send('open', {}); keep(room); say(''); await enter(); await look(); },
  reveal: async () => { say('Asking the model …'); last += 1; draw(await steer('reveal')); say(''); },
  close: async () => { await steer('close'); leave('The room is closed. Nothing of it was kept.'); },
};
element.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-act]');
  if (!button || button.disabled) return;
  button.disabled = true;
  try { await acts[button.dataset.act](); button.disabled = button.dataset.act === 'reveal'; } catch (error) { button.disabled = false; trouble(error); }
});
element.addEventListener('submit', (event) => {
  event.preventDefault();
  const code = event.target.room.value.trim();
  if (code) location.assign(`?room=${encodeURIComponent(code)}`);
});
const again = async () => { if (!element.isConnected) return; if (!document.hidden) await look(); setTimeout(again, 1500); };
enter().then(again);
