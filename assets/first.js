/* A tab's first screen is asked for when the tab is first shown (only then is this view on the page),
   and again as long as it is missing: an answer that was lost on the way must leave no tab waiting. */
let pause = 1500;
const ask = () => {
  if (!element.isConnected || !element.querySelector('.lab-waiting')) return;
  trigger('first_shown');
  setTimeout(ask, pause);
  pause = Math.min(2 * pause, 20000);
};
ask();
