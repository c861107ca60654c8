/* The drawing of a process, with what happened on it: [data-drawing] names the BPMN, [data-marks] the marks as JSON,
   {"elements": {id: {"mark": "done|failed|waiting|running|retrying|unknown", "count": n}}}. */
import Viewer from "bpmn-js/lib/Viewer";
import MoveCanvas from "diagram-js/lib/navigation/movecanvas";
import ZoomScroll from "diagram-js/lib/navigation/zoomscroll";
import { is } from "bpmn-js/lib/util/ModelUtil";
import "bpmn-js/dist/assets/diagram-js.css";
import "bpmn-js/dist/assets/bpmn-js.css";
import "./diagram.css";
import { keepInReach, panByTouch } from "./diagram_moving.js";

const SIGNS = { done: "✓", failed: "✕", waiting: "◷", running: "▶", retrying: "↻", unknown: "?" };
/* Where a reader looks first. */
const URGENT = ["failed", "unknown", "retrying", "waiting", "running"];
const READABLE = 0.8;
const MARGIN = 24;

const element = (tag, className, text = "") => {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
};

const isSuggestion = (drawn) =>
  (drawn.businessObject.extensionElements?.values ?? []).some(
    ({ $type, name }) => /(^|:)operation$/.test($type) && String(name).startsWith("ai."),
  );

const showAuthors = (viewer) => {
  const canvas = viewer.get("canvas");
  const overlays = viewer.get("overlays");
  viewer.get("elementRegistry").forEach((drawn) => {
    if (drawn.labelTarget) return;
    if (is(drawn, "bpmn:UserTask")) {
      canvas.addMarker(drawn, "by-person");
      overlays.add(drawn, { position: { top: -9, right: 15 }, html: element("span", "author-seal", "印") });
    } else if (isSuggestion(drawn)) {
      canvas.addMarker(drawn, "by-model");
      overlays.add(drawn, { position: { top: -9, right: 15 }, html: element("span", "author-pencil", "✎") });
    }
  });
};

const showMarks = (viewer, marks, words) => {
  const registry = viewer.get("elementRegistry");
  const shown = [];
  for (const [id, { mark, count = 1 }] of Object.entries(marks)) {
    const drawn = registry.get(id);
    if (!drawn || !(mark in SIGNS)) continue;
    viewer.get("canvas").addMarker(drawn, `mark-${mark}`);
    if (!drawn.waypoints) {
      const badge = element("span", `badge badge-${mark}`, count > 1 ? `${SIGNS[mark]} ${count}×` : SIGNS[mark]);
      badge.title = words[mark] ?? mark;
      viewer.get("overlays").add(drawn, { position: { bottom: 10, left: -9 }, html: badge });
    }
    shown.push({ drawn, mark });
  }
  return shown;
};

const legend = (shown, words) => {
  const list = element("ul", "legend");
  for (const mark of Object.keys(SIGNS).filter((each) => shown.some((one) => one.mark === each))) {
    const item = element("li", "");
    item.append(element("span", `badge badge-${mark}`, SIGNS[mark]), ` ${words[mark] ?? mark}`);
    list.append(item);
  }
  return list;
};

const showWhole = (viewer) => viewer.get("canvas").zoom("fit-viewport", "auto");

const showPart = (viewer, shown) => {
  const canvas = viewer.get("canvas");
  const first = URGENT.map((mark) => shown.find((one) => one.mark === mark)).find(Boolean) ?? shown.at(-1);
  showWhole(viewer);
  if (canvas.zoom() >= READABLE) return;
  const { width, height } = canvas.viewbox().outer;
  const start = viewer.get("elementRegistry").find((drawn) => is(drawn, "bpmn:StartEvent"));
  const focus = first?.drawn ?? start;
  if (!focus) return;
  const box = { width: width / READABLE, height: height / READABLE };
  const middle = { x: focus.x + focus.width / 2, y: focus.y + focus.height / 2 };
  const { inner } = canvas.viewbox();
  canvas.viewbox({
    x: Math.max(inner.x - MARGIN, middle.x - box.width / 2),
    y: Math.max(inner.y - MARGIN, middle.y - box.height / 2),
    ...box,
  });
};

const tools = (viewer, figure, canvas) => {
  const bar = element("div", "diagram-tools");
  const button = (text, label, act) => {
    const made = element("button", "button-quiet", text);
    made.type = "button";
    made.setAttribute("aria-label", label);
    made.title = label;
    made.addEventListener("click", act);
    bar.append(made);
  };
  button("−", figure.dataset.smaller, () => viewer.get("zoomScroll").stepZoom(-1));
  button("+", figure.dataset.larger, () => viewer.get("zoomScroll").stepZoom(1));
  button("⤢", figure.dataset.fit, () => showWhole(viewer));
  canvas.before(bar);
};

const load = async (address) => {
  const answer = await fetch(address, { credentials: "same-origin" });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer;
};

const show = async (figure) => {
  const canvas = figure.querySelector(".canvas");
  const words = JSON.parse(figure.dataset.words);
  try {
    const [drawing, marks] = await Promise.all([
      load(figure.dataset.drawing).then((answer) => answer.text()),
      figure.dataset.marks ? load(figure.dataset.marks).then((answer) => answer.json()) : { elements: {} },
    ]);
    canvas.hidden = false;
    const viewer = new Viewer({
      container: canvas,
      additionalModules: [MoveCanvas, ZoomScroll],
      zoomScroll: { enabled: false },
    });
    await viewer.importXML(drawing);
    const svg = canvas.querySelector("svg[data-element-id]") ?? canvas.querySelector("svg");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", figure.dataset.label);
    showAuthors(viewer);
    const shown = showMarks(viewer, marks.elements ?? {}, words);
    tools(viewer, figure, canvas);
    if (shown.length) canvas.after(legend(shown, words));
    showPart(viewer, shown);
    keepInReach(viewer, canvas, figure, () => showWhole(viewer));
    panByTouch(viewer, canvas);
    const outline = figure.querySelector("details.outline");
    if (outline) outline.open = false;
    figure.dataset.shown = "";
  } catch (error) {
    canvas.hidden = false;
    canvas.replaceChildren(element("p", "diagram-failed", figure.dataset.failed));
    canvas.classList.add("is-failed");
  }
};

for (const figure of document.querySelectorAll("figure[data-drawing]")) show(figure);
