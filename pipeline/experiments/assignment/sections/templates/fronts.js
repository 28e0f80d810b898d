"use strict";
/* Fronts: values of a mark on demand, and the front of the selected algorithms.
   Without scripts the drawing still shows everything. */
(() => {
  const NEAR = 22; /* maximum distance to a mark, pixels */

  for (const figure of document.querySelectorAll("figure")) {
    const pick = figure.querySelector(".pick");
    if (pick) enliven(figure, pick);
  }

  function enliven(figure, pick) {
    const plot = figure.querySelector(".plot");
    const boxes = [...pick.querySelectorAll("input")];
    const panels = [...plot.querySelectorAll(".front-panel")].map(readPanel);
    const tip = plot.appendChild(document.createElement("div"));
    tip.className = "tip";
    tip.hidden = true;
    tip.setAttribute("aria-hidden", "true"); /* the same text is the label of the mark */

    const chosen = () => new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const update = () => {
      const names = chosen();
      hide();
      for (const part of plot.querySelectorAll(".of")) {
        part.classList.toggle("off", !names.has(part.dataset.name));
      }
      panels.forEach((panel) => {
        drawFront(panel, names);
        stopAt(panel, panel.points.find((point) => names.has(point.name)));
      });
    };

    function show(panel, point) {
      hide();
      const lines = point.words.split(/[:;] /).concat(standing(panel, point, chosen()));
      lines.forEach((line, i) => {
        const part = tip.appendChild(document.createElement(i ? "span" : "b"));
        part.textContent = i ? line : `${line}, ${panel.where}`;
      });
      tip.hidden = false;
      placeTip(plot, tip, point.group);
      plot.classList.add("asked");
      for (const part of plot.querySelectorAll(".of")) {
        part.classList.toggle("lit", part.dataset.name === point.name);
      }
    }

    function hide() {
      tip.hidden = true;
      tip.replaceChildren();
      plot.classList.remove("asked");
    }

    for (const panel of panels) {
      panel.points.forEach((point) => {
        point.group.addEventListener("focus", () => show(panel, point));
        point.group.addEventListener("blur", hide);
      });
      panel.group.addEventListener("keydown", (event) => step(panel, event));
    }
    for (const drawing of plot.querySelectorAll(".wide > svg, .narrow > svg")) {
      const here = panels.filter((panel) => drawing.contains(panel.group));
      const look = (event) => {
        const found = nearest(drawing, here, event);
        if (found) show(...found);
        else hide();
      };
      drawing.setAttribute("role", "group");
      drawing.addEventListener("pointermove", look);
      drawing.addEventListener("pointerdown", look);
      drawing.addEventListener("pointerleave", hide);
    }
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hide();
    });
    boxes.forEach((box) => box.addEventListener("change", update));
    pick.querySelector("button").addEventListener("click", () => {
      boxes.forEach((box) => (box.checked = true));
      update();
    });
    pick.hidden = false;
    update();
  }

  function readPanel(group) {
    const points = [...group.querySelectorAll(".point")].map(readPoint);
    points.sort((a, b) => a.cbs - b.cbs || a.rscore - b.rscore);
    const { where, top, right } = group.dataset;
    return { group, points, where, top: Number(top), right: Number(right) };
  }

  function readPoint(group) {
    const { name, cbs, rscore, x, y, tip } = group.dataset;
    group.querySelectorAll("title").forEach((title) => title.remove());
    group.setAttribute("role", "img");
    group.setAttribute("aria-label", tip);
    return {
      group, name, words: tip, cbs: Number(cbs), rscore: Number(rscore), x: Number(x), y: Number(y),
    };
  }

  /* At most as large in both scores, and smaller in one. */
  function beats(a, b) {
    return a.cbs <= b.cbs && a.rscore <= b.rscore && (a.cbs < b.cbs || a.rscore < b.rscore);
  }

  function standing(panel, point, names) {
    const better = panel.points.filter((other) => names.has(other.name) && beats(other, point));
    if (!better.length) return ["on the front"];
    return [`dominated by ${better.map((other) => other.name).join(", ")}`];
  }

  function drawFront(panel, names) {
    const shown = panel.points.filter((point) => names.has(point.name));
    const front = shown.filter((point) => !shown.some((other) => beats(other, point)));
    const corners = [];
    let level = panel.top;
    for (const point of front) {
      corners.push([point.x, level], [point.x, point.y]);
      level = point.y;
    }
    if (front.length) corners.push([panel.right, level]);
    const line = panel.group.querySelector(".front");
    if (line) line.setAttribute("points", corners.map((corner) => corner.join()).join(" "));
    const best = new Set(front.map((point) => point.name));
    for (const name of panel.group.querySelectorAll(".of .name")) {
      name.classList.toggle("bold", best.has(name.parentNode.dataset.name));
    }
  }

  /* One tab stop per panel; arrow keys move within it. */
  function step(panel, event) {
    const shown = panel.points.filter((point) => !point.group.classList.contains("off"));
    const at = shown.findIndex((point) => point.group === document.activeElement);
    const next = {
      ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1,
      Home: 0, End: shown.length - 1,
    }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    const target = shown[Math.min(Math.max(next, 0), shown.length - 1)];
    stopAt(panel, target);
    target.group.focus();
  }

  function stopAt(panel, chosen) {
    for (const point of panel.points) {
      point.group.setAttribute("tabindex", point === chosen ? "0" : "-1");
    }
  }

  function nearest(drawing, panels, event) {
    const matrix = drawing.getScreenCTM();
    if (!matrix) return null;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    let best = null;
    let least = NEAR / matrix.a;
    for (const panel of panels) {
      for (const point of panel.points) {
        const distance = Math.hypot(point.x - at.x, point.y - at.y);
        if (distance < least && !point.group.classList.contains("off")) {
          least = distance;
          best = [panel, point];
        }
      }
    }
    return best;
  }

  /* Below the mark, within the width of the drawing; above it at the end of the page. */
  function placeTip(plot, tip, group) {
    const frame = plot.getBoundingClientRect();
    const mark = group.getBoundingClientRect();
    const left = mark.left - frame.left + mark.width / 2 - tip.offsetWidth / 2;
    const room = frame.width - tip.offsetWidth;
    const below = mark.bottom - frame.top + 10;
    const fits = mark.bottom + 10 + tip.offsetHeight < window.innerHeight;
    tip.style.left = `${Math.max(0, Math.min(left, room))}px`;
    tip.style.top = `${fits ? below : mark.top - frame.top - tip.offsetHeight - 10}px`;
  }
})();
