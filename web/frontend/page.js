/* What pages gain when scripts run; every one of them works without. */
import htmx from "htmx.org";
import { copyOnClick } from "./copying.js";
import { followConditions } from "./conditions.js";
import { localTimes } from "./times.js";
import { sendOnce } from "./sending.js";

htmx.config.includeIndicatorStyles = false;
htmx.config.allowEval = false;

const enhance = (root) => {
  copyOnClick(root);
  followConditions(root);
  localTimes(root);
  sendOnce(root);
};

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.person[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("details.person[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

enhance(document);
document.querySelector(".error-summary")?.focus();
htmx.onLoad(enhance);
