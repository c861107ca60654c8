/* A form is sent once: a second click while it is under way does nothing. The server holds this by itself, too. */
export const sendOnce = (root) => {
  for (const form of root.querySelectorAll('form[method="post"]:not([data-once])')) {
    form.dataset.once = "";
    form.addEventListener("submit", (event) => {
      if (form.dataset.once === "sent") event.preventDefault();
      form.dataset.once = "sent";
      setTimeout(() => (form.dataset.once = ""), 8000);
    });
  }
};
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-once]")) form.dataset.once = "";
});
