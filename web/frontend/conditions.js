/* What follows from the choices in a form, at once; the server decides again by itself.
   [data-shown-if]: JSON, a list of {field, equals} or {field, differs}; the part is shown while each holds
   (equals: the value as the form sends it; null: nothing chosen).
   button[data-words]: JSON, {value: words}; the button says what the chosen value causes, else [data-plain]. */
const valueOf = (form, name) => {
  const field = form.elements[name];
  if (!field) return null;
  if (field.type === "checkbox") return field.checked ? "true" : "false";
  return field.value || null;
};

const holds = (form, { field, equals, differs }) =>
  differs === undefined ? valueOf(form, field) === equals : valueOf(form, field) !== differs;

const chosenWords = (form, words) =>
  [...form.querySelectorAll("input:checked, select")].map(({ value }) => words[value]).find(Boolean);

const follow = (form) => {
  for (const part of form.querySelectorAll("[data-shown-if]")) {
    part.hidden = !JSON.parse(part.dataset.shownIf).every((each) => holds(form, each));
  }
  for (const hint of form.querySelectorAll("[data-shown-if] .condition")) hint.hidden = true;
  for (const button of form.querySelectorAll("button[data-words]")) {
    button.textContent = chosenWords(form, JSON.parse(button.dataset.words)) ?? button.dataset.plain;
  }
};

export const followConditions = (root) => {
  for (const form of root.querySelectorAll("form:has([data-shown-if], [data-words])")) {
    form.addEventListener("input", () => follow(form));
    form.addEventListener("change", () => follow(form));
    follow(form);
  }
};
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form:has([data-shown-if], [data-words])")) follow(form);
});
