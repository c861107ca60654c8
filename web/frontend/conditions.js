/* Fields that count only under a condition: [data-shown-if] holds JSON, a list of {field, equals} or {field, differs} of which each must hold
   (equals: the value as the form sends it; null: nothing chosen). The server decides again by itself. */
const valueOf = (form, name) => {
  const field = form.elements[name];
  if (!field) return null;
  if (field.type === "checkbox") return field.checked ? "true" : "false";
  return field.value || null;
};

const matches = (form, { field, equals, differs }) =>
  differs === undefined ? valueOf(form, field) === equals : valueOf(form, field) !== differs;

export const followConditions = (root) => {
  for (const form of root.querySelectorAll("form:has([data-shown-if])")) {
    const follow = () => {
      for (const part of form.querySelectorAll("[data-shown-if]")) {
        part.hidden = !JSON.parse(part.dataset.shownIf).every((each) => matches(form, each));
      }
    };
    form.addEventListener("input", follow);
    form.addEventListener("change", follow);
    follow();
  }
};
