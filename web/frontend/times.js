/* Exact times also in the reader's own zone, on hover; a tap shows them in place of "2 hours ago", and back. */
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;

const swap = ({ currentTarget: time }) => {
  const shown = time.textContent;
  time.textContent = time.dataset.other;
  time.dataset.other = shown;
};

export const localTimes = (root) => {
  const exact = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "long" });
  for (const time of root.querySelectorAll("time[datetime][title]:not([data-other])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.valueOf())) continue;
    time.dataset.other = time.title;
    time.title = `${time.title}\n${exact.format(at)} (${here})`;
    time.addEventListener("click", swap);
  }
};
