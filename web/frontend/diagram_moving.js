/* Moving about in a drawing: keys while it has the focus, a finger across, the wheel only after a click into it. */
const STEP = 80;
const MOVES = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };

export const keepInReach = (viewer, canvas, figure, showWhole) => {
  const area = canvas.querySelector(".djs-container");
  area.tabIndex = 0;
  area.setAttribute("role", "group");
  area.setAttribute("aria-label", `${figure.dataset.label}. ${figure.dataset.hint}`);
  area.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = MOVES[event.key];
    if (move) viewer.get("canvas").scroll({ dx: move[0], dy: move[1] });
    else if (event.key === "+" || event.key === "=") viewer.get("zoomScroll").stepZoom(1);
    else if (event.key === "-") viewer.get("zoomScroll").stepZoom(-1);
    else if (event.key === "0") showWhole();
    else return;
    event.preventDefault();
  });
  area.addEventListener("pointerdown", () => area.focus({ preventScroll: true }));
  area.addEventListener("focus", () => viewer.get("zoomScroll").toggle(true));
  area.addEventListener("blur", () => viewer.get("zoomScroll").toggle(false));
};

export const panByTouch = (viewer, canvas) => {
  let last = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch" && event.isPrimary) last = event.clientX;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (last === null || event.pointerType !== "touch" || !event.isPrimary) return;
    viewer.get("canvas").scroll({ dx: event.clientX - last, dy: 0 });
    last = event.clientX;
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (last = null));
};
