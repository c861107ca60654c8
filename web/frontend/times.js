/* Exact times also in the reader's own zone. */
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const localTimes = (root) => {
  const exact = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "long" });
  for (const time of root.querySelectorAll("time[datetime][title]:not([data-local])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.valueOf())) continue;
    time.dataset.local = here;
    time.title = `${time.title}\n${exact.format(at)} (${here})`;
  }
};
